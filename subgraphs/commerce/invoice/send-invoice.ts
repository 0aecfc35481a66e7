import { randomBytes } from 'node:crypto'
import { contactEmail } from '../../crm/public.ts'
import { requireDeliverable } from '../../outreach/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { countMail } from '../../kernel/mail/mail-limits.ts'
import { nextNumber } from '../../kernel/record/record-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { greetingOf } from '../customer-mail/correspondence.ts'
import { changeInvoice, type Move, type Version } from './change-invoice.ts'
import { isZero } from './invoice.amounts.ts'
import { dayOf, dueDayOf, todayOf } from './invoice-day.ts'
import { invoiceMails, mailInvoice } from './invoice-mail.ts'
import { requireWholeInvoice } from './invoice.document.ts'
import { refuseInState } from './invoice.states.ts'
import type { Invoice } from './invoice.ts'

/** `INV-2026-000123`: counted for each year of issue. */
async function numberFor(ctx: RequestContext, issueDate: string): Promise<string> {
  const year = issueDate.slice(0, 4)
  const number = await nextNumber(ctx, `invoice:${year}`)
  return `INV-${year}-${String(number).padStart(6, '0')}`
}

function requireComplete({ lineItems, customerId }: Invoice): void {
  const missing = (path: string, message: string) => invalid({ path, code: 'REQUIRED', message })
  if (lineItems.length === 0) throw missing('lineItems', 'lineItems must have at least one line.')
  if (customerId === null) throw missing('customerId', 'customerId is required to send an invoice.')
}

/** What a DRAFT becomes when it is issued. An invoice over nothing is PAID at once. */
export async function issued(ctx: RequestContext, previous: Invoice): Promise<Move> {
  requireComplete(previous)
  const issueDate = dayOf(previous.issueDate ?? (await todayOf(ctx)))
  const dueDate = dayOf(previous.dueDate ?? dueDayOf(issueDate, previous.paymentTerms))
  if (dueDate < issueDate) {
    const message = `dueDate must not be before ${issueDate.slice(0, 10)}, the day of the invoice.`
    throw invalid({ path: 'dueDate', code: 'OUT_OF_RANGE', message })
  }
  const isPaid = isZero(previous.total)
  return {
    implied: {
      status: isPaid ? 'PAID' : 'SENT',
      sentAt: ctx.clock.now().toISOString(),
      issueDate,
      dueDate,
      publicToken: randomBytes(32).toString('base64url'),
      // Last, because the counter is locked from here to the end of the transaction.
      invoiceNumber: await numberFor(ctx, issueDate),
    },
    events: ['invoice.sent', ...(isPaid ? ['invoice.paid'] : [])],
  }
}

async function recipientOf(
  ctx: RequestContext,
  { contactId, sentTo }: Invoice,
  given: string | null,
): Promise<string | null> {
  if (given === null) return (contactId === null ? null : await contactEmail(ctx, contactId)) ?? sentTo
  const email = parseEmail(given)
  if (email) return email
  throw invalid({ path: 'to', code: 'NOT_AN_EMAIL', message: 'to must be an email address.' })
}

/**
 * Issues a DRAFT and mails it with a link to its public page; an open invoice is mailed again. The number, the status and the row from which
 * the mail is made exist together or not at all. The PDF is laid out after the commit, because it has the number, and no transaction
 * waits for it.
 */
export async function sendInvoice(
  ctx: RequestContext<'vault' | 'work'>,
  id: string,
  given: string | null,
  message: string | null,
  expectedVersion: Version,
): Promise<Invoice> {
  if (given !== null) requireWholeInvoice(ctx)
  let mailId: string | null = null
  const sent = await changeInvoice(ctx, id, expectedVersion, async (previous, inner) => {
    const { status } = previous
    if (status === 'PAID' || status === 'VOID')
      await refuseInState(inner, previous, `An invoice with status ${status} cannot be sent.`)
    const to = await recipientOf(inner, previous, given)
    if (to !== null) await requireDeliverable(inner, to)
    const { implied, events = [] } = status === 'DRAFT' ? await issued(inner, previous) : { implied: {} }
    if (to !== null && (await countMail(inner, invoiceMails, to))) mailId = await wantMail(inner, previous, to, message)
    return { implied: { ...implied, sentTo: to, mailFailure: null }, events }
  })
  // Inside the transaction of an idempotent request, the job mails it after the commit. It also does when this fails: the invoice is sent.
  if (mailId !== null && !ctx.db.open)
    await mailInvoice(ctx, { id: mailId, organizationId: sent.organizationId }).catch((error: unknown) =>
      ctx.log.warn({ err: error, invoiceId: id }, 'the mail of an invoice could not be made; the job tries again'),
    )
  return sent
}

/** The greeting is what the sender sees, so it is decided here. */
async function wantMail(
  ctx: RequestContext,
  { id: invoiceId, contactId }: Invoice,
  to: string,
  message: string | null,
): Promise<string> {
  const { db, caller, clock } = ctx
  const id = newId()
  const greeting = await greetingOf(ctx, contactId, to)
  await db.query(
    `insert into commerce.invoice_mail (organization_id, id, invoice_id, recipient, greeting, message, sender_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [caller.organizationId, id, invoiceId, to, greeting, message, caller.userId || null, clock.now().toISOString()],
  )
  return id
}
