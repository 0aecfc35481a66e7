import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Quote } from './quote.ts'

/** The documents that a mail with a quote has: the place where its PDF is attached. */
export async function quoteAttachments(
  _ctx: RequestContext,
  _quote: Quote,
  _organization: string,
): Promise<readonly MailAttachment[]> {
  return []
}
