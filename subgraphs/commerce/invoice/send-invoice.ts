import { randomBytes } from 'node:crypto'
import { contactEmail } from '../../crm/public.ts'
import { activeOrganizationName } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { mailContent } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'
import { quotedName } from '../../kernel/mail/quoted-name.ts'
import { nextNumber } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { amountFormat } from '../document/amount-format.ts'
import { changeInvoice, type Move, type Version } from './change-invoice.ts'
import { isZero } from './invoice.amounts.ts'
import { dayOf, dueDayOf, todayOf } from './invoice-day.ts'
import { invoiceDocument } from './invoice.document.ts'
import { refuseInState } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'
import { publicPageOf } from './public-page.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const invoiceMails: MailKind = {
  name: 'INVOICE',
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 20, windowMs: hourMs },
    { by: ['ORGANIZATION', 'MAILBOX'], max: 60, windowMs: dayMs },
    { by: ['SENDER'], max: 500, windowMs: hourMs },
    { by: ['ORGANIZATION'], max: 5000, windowMs: dayMs },
  ],
}

/** A mail that cannot be delivered for two days is not sent. */
const mailLifeMs = 2 * dayMs

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
 * Issues a DRAFT and mails it with a link to its public page; an open invoice is mailed again. The number, the mail and the status
 * exist together or not at all.
 */
export async function sendInvoice(
  ctx: RequestContext<'vault'>,
  id: string,
  given: string | null,
  expectedVersion: Version,
): Promise<Invoice> {
  return changeInvoice(ctx, id, expectedVersion, async (previous, inner) => {
    const { status } = previous
    if (status === 'PAID' || status === 'VOID')
      refuseInState(status, `An invoice with status ${status} cannot be sent.`)
    const to = await recipientOf(inner, previous, given)
    const { implied, events = [] } = status === 'DRAFT' ? await issued(inner, previous) : { implied: {} }
    if (to === null) return { implied: { ...implied, sentTo: null }, events }
    const whole = { ...previous, ...implied }
    await queueInvoiceMail(inner, whole, to)
    return { implied: { ...implied, sentTo: to }, events }
  })
}

const queueInvoiceMail = (ctx: RequestContext<'vault'>, sent: Invoice, to: string): Promise<boolean> =>
  queueMail(ctx, { to, kind: invoiceMails }, async () => {
    const sender = quotedName((await activeOrganizationName(ctx)) ?? '')
    const number = sent.invoiceNumber!
    const due = `${amountFormat(sent.currency).amount(sent.amountDue)} by ${sent.dueDate!.slice(0, 10)}`
    const content = mailContent({
      subject: `Invoice ${number}`,
      lines: [
        `${sender ? `The organization ${sender}` : 'An organization'} sends you the invoice ${number}.`,
        `Please pay ${due}.`,
      ],
      action: { label: 'View the invoice', url: publicPageOf(ctx, sent)! },
      closing: ['Everybody with the link can see the invoice, so do not share it.'],
    })
    return {
      ...content,
      attachments: [await invoiceDocument(ctx, sent)],
      expiresAt: new Date(ctx.clock.now().getTime() + mailLifeMs),
    }
  })
