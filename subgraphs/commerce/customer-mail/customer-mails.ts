import { bounceOfError, deliveryRefusal, suppress } from '../../outreach/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { CustomerMails, MailedRecord } from '../../kernel/mail/customer-mails.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, systemContext, type RequestContext } from '../../kernel/request.ts'
import { changeInvoice } from '../invoice/change-invoice.ts'
import { quote } from '../quote/quote.record.ts'

interface Mailed {
  readonly mailFailure: string | null
}

/** A failure that is known already is not announced again. */
const failure = (event: string, mailFailure: string) => (previous: Mailed) =>
  previous.mailFailure === null ? { implied: { mailFailure }, events: [event] } : { implied: {} }

/** Says in the record why its mail was not delivered; the event tells the owner. */
async function recordFailure(ctx: RequestContext, { object, id }: MailedRecord, reason: string): Promise<void> {
  if (object === 'invoice') await changeInvoice(ctx, id, null, failure('invoice.mail_failed', reason))
  if (object === 'quote')
    await change(ctx, quote, id, (previous) => ({
      operation: 'UPDATE',
      values: {},
      ...failure('quote.mail_failed', reason)(previous),
    }))
}

/** The mails with quotes, invoices and reminders. They bounce like mails of users. */
export const customerMails: CustomerMails = {
  refusalOf: (services, { organizationId }, recipient) =>
    deliveryRefusal(systemContext(services, organizationId), recipient),
  async failed(services, record, recipient, error) {
    const { reason, isAddressGone } = bounceOfError(error)
    await inTransaction(systemContext(services, record.organizationId), async (ctx) => {
      if (isAddressGone) await suppress(ctx, recipient, 'BOUNCED', null)
      try {
        await recordFailure(ctx, record, reason)
      } catch (problem) {
        // Deleted meanwhile.
        if (!(problem instanceof Refusal && problem.code === 'NOT_FOUND')) throw problem
      }
    })
    return { end: isAddressGone ? 'BOUNCED' : 'FAILED', error: reason }
  },
}
