import { contactEmail } from '../../crm/public.ts'
import { requireDeliverable } from '../../outreach/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { requireLines, requireSendable } from './quote.actions.ts'
import { requireWholeQuote } from './quote.document.ts'
import { queueQuoteMail, type QuoteMail } from './quote-mail.ts'
import { quote } from './quote.record.ts'
import type { Quote } from './quote.ts'

/**
 * Mails the quote with a link to its public page. The first time it becomes SENT; sending it again mails another link. The mail, its
 * link and the change of the status exist together or not at all. No transaction is open while the PDF is laid out.
 */
export function sendQuote(
  ctx: RequestContext<'vault' | 'work' | 'files'>,
  id: string,
  { to: given, message, fileIds }: Omit<QuoteMail, 'to'> & { readonly to: string | null },
  expectedVersion: number | null,
): Promise<Quote> {
  requireWritableRole(ctx)
  if (given !== null) requireWholeQuote(ctx)
  return transactionWithExternalCalls(ctx, async (inner) => {
    const now = inner.clock.now().toISOString()
    // The mail has the whole quote, also fields that the caller's profile hides.
    let whole: Quote
    const decide = async (previous: Quote, current: RequestContext): Promise<SentChange> => {
      await requireSendable(current, previous)
      requireLines(previous)
      requireFuture(previous, now)
      const first: Partial<Quote> = previous.status === 'SENT' ? {} : { status: 'SENT', sentAt: now }
      const implied = { ...first, mailFailure: null }
      whole = { ...previous, ...implied }
      return { operation: 'UPDATE', values: {}, implied, events: previous.status === 'SENT' ? [] : ['quote.sent'] }
    }
    const sent = await change(inner, quote, id, decide, { expectedVersion })
    const to = await recipientOf(inner, whole!, given)
    await requireDeliverable(inner, to)
    await queueQuoteMail(inner, whole!, { to, message, fileIds })
    return sent
  })
}

type SentChange = Omit<Draft<Quote>, 'previous' | 'expectedVersion'>

function requireFuture({ validUntil }: Quote, now: string): void {
  if (validUntil === null || validUntil > now) return
  throw invalid({ path: 'validUntil', code: 'OUT_OF_RANGE', message: 'validUntil must be in the future.' })
}

async function recipientOf(ctx: RequestContext, { contactId }: Quote, given: string | null): Promise<string> {
  if (given !== null) {
    const email = parseEmail(given)
    if (email) return email
    throw invalid({ path: 'to', code: 'NOT_AN_EMAIL', message: 'to must be an email address.' })
  }
  const email = contactId === null ? null : await contactEmail(ctx, contactId)
  if (email) return email
  const message = 'to is required, because the quote has no contact with an email address.'
  throw invalid({ path: 'to', code: 'REQUIRED', message })
}
