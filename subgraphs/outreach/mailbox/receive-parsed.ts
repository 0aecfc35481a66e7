import { keepReceived, type ReceivedFile } from '../../crm/public.ts'
import { oneLine } from '../../kernel/template/one-line.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { receiveEmail } from '../email/receive-email.ts'
import { applyReport, findReportedMail } from '../received-mail/reported-mail.ts'
import type { Mailbox } from './mailbox.ts'
import type { ParsedMail } from './parse-mail.ts'

/** The sender of a mail that names no valid one. Nobody has this address (RFC 2606). */
const unknownSender = 'unknown@sender.invalid'

/** Stores a mail of a mailbox with its files and what it reports, in the transaction of `ctx`. False if it is stored already. */
export async function receiveParsed(
  ctx: RequestContext,
  box: Mailbox,
  mail: ParsedMail,
  files: readonly ReceivedFile[] = [],
): Promise<boolean> {
  const now = ctx.clock.now().toISOString()
  const { judgement, references } = mail
  const answered = [mail.inReplyTo, ...references.toReversed()].filter((id) => id !== null)
  const reported = await findReportedMail(ctx, { ...judgement, answered, mailboxId: box.id })
  const stored = await receiveEmail(ctx, {
    messageId: mail.messageId,
    inReplyTo: reported?.internetMessageId ?? mail.inReplyTo,
    references,
    from: mail.from ?? unknownSender,
    to: mail.to.length > 0 ? mail.to : [box.email],
    cc: mail.cc,
    subject: oneLine(mail.subject),
    bodyHtml: mail.bodyHtml,
    bodyText: mail.bodyText,
    sentAt: mail.sentAt !== null && mail.sentAt < now ? mail.sentAt : now,
    kind: judgement.kind,
    attachments: mail.attachments,
    mailboxId: box.id,
    ownerId: box.ownerId!,
  })
  if (!stored) return false
  await keepReceived(ctx, stored, files)
  if (reported) await applyReport(ctx, judgement, reported)
  return true
}
