import { customersGuard } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { mailContent, type MailFact } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, sumOf, zero } from '../../kernel/values/decimal.ts'
import { answersTo, greetingOf, letterheadOf, senderOf } from '../customer-mail/correspondence.ts'
import { amountFormat } from '../document/amount-format.ts'
import { documentDay } from '../document/document-day.ts'
import { countTemplateUse, templateMail } from '../../outreach/public.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { publicPageOf } from '../invoice/public-page.ts'
import type { DunningTone } from './dunning-configuration.ts'

const dayMs = 86_400_000

/** A customer with many invoices gets at most fifty reminders a day; the others are sent on the next days. */
export const reminderMails: MailKind = {
  name: 'REMINDER',
  of: 'ORGANIZATION',
  guard: customersGuard,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 50, windowMs: dayMs },
    { by: ['ORGANIZATION'], max: 200_000, windowMs: dayMs },
  ],
}

const noticeMails: MailKind = {
  name: 'REMINDER_NOTICE',
  of: 'ORGANIZATION',
  guard: null,
  limits: [{ by: ['ORGANIZATION', 'MAILBOX'], max: 200, windowMs: dayMs, isSilent: true }],
}

export interface Claim {
  readonly level: number
  readonly tone: DunningTone
  readonly daysOverdue: number
  /** All fees up to this reminder. */
  readonly fees: ExactNumber
  readonly interest: ExactNumber
}

const subjects: Readonly<Record<DunningTone, string>> = {
  FRIENDLY: 'Reminder',
  FIRM: 'Second reminder',
  URGENT: 'Urgent reminder',
  FINAL: 'Final reminder',
}

/** What the mail asks for, by tone. */
const requests: Readonly<Record<DunningTone, string>> = {
  FRIENDLY: 'Perhaps it was overlooked. We would be grateful if you paid it in the next days.',
  FIRM: 'We have not received the payment. Please pay now, or tell us what stands in the way.',
  URGENT: 'In spite of our reminders we have not received the payment. Please pay at once.',
  FINAL: 'This is our last reminder. If we do not receive the payment within seven days, we will take further steps.',
}

const totalDue = ({ amountDue }: Invoice, { fees, interest }: Claim): ExactNumber =>
  exactOf(sumOf([amountDue, fees, interest].map((value) => decimalOf(value))))

function factsOf(invoice: Invoice, claim: Claim): MailFact[] {
  const { amount } = amountFormat(invoice.currency)
  const extras = (
    [
      ['Fees', claim.fees],
      ['Interest', claim.interest],
    ] as const
  ).filter(([, value]) => decimalOf(value).gt(zero))
  return [
    { label: 'Amount due', value: amount(invoice.amountDue) },
    ...extras.map(([label, value]) => ({ label, value: amount(value) })),
    ...(extras.length > 0 ? [{ label: 'Together', value: amount(totalDue(invoice, claim)) }] : []),
    { label: 'Due date', value: day(invoice.dueDate!), isLate: claim.daysOverdue > 0 },
  ]
}

/** What a template may contain of an invoice, as a mail shows it. */
function templateValues(ctx: RequestContext, invoice: Invoice, claim: Claim) {
  const { level, daysOverdue, fees, interest } = claim
  const { invoiceNumber, currency, total, amountDue, purchaseOrderNumber } = invoice
  const { amount } = amountFormat(currency)
  return {
    invoice: {
      invoiceNumber,
      issueDate: invoice.issueDate!.slice(0, 10),
      dueDate: invoice.dueDate!.slice(0, 10),
      daysOverdue,
      total: amount(total),
      amountDue: amount(amountDue),
      fees: amount(fees),
      interest: amount(interest),
      totalDue: amount(totalDue(invoice, claim)),
      currency,
      purchaseOrderNumber,
      publicUrl: publicPageOf(ctx, invoice),
      level,
    },
  }
}

/** Days are stored as midnight UTC. */
const day = documentDay('UTC')

/** The user who reminds; null in the daily run. */
const reminderSender = (ctx: RequestContext) => senderOf(ctx, ctx.caller.kind === 'SYSTEM' ? null : ctx.caller.userId)

/** Mails the reminder with the text of the template if it can be used. The caller changes the invoice in the same transaction. */
export const queueReminder = (
  ctx: RequestContext<'vault' | 'work'>,
  invoice: Invoice,
  to: string,
  claim: Claim,
  templateId: string | null,
): Promise<boolean> =>
  queueMail(ctx, { to, kind: reminderMails }, async () => {
    const expiresAt = new Date(ctx.clock.now().getTime() + 2 * dayMs)
    const { contactId, customerId: accountId, ownerId } = invoice
    const record = { organizationId: invoice.organizationId, object: 'invoice', id: invoice.id }
    const answers = await answersTo(ctx, await reminderSender(ctx), ownerId)
    const own =
      templateId === null
        ? null
        : await templateMail(ctx, templateId, { contactId, accountId, ownerId }, templateValues(ctx, invoice, claim))
    if (own) {
      await countTemplateUse(ctx, templateId!)
      return { subject: own.subject, text: own.bodyText, html: own.bodyHtml, ...answers.header, record, expiresAt }
    }
    const letterhead = await letterheadOf(ctx)
    const { invoiceNumber, dueDate } = invoice
    const due = day(dueDate!)
    const state = claim.daysOverdue > 0 ? `was due on ${due}, ${claim.daysOverdue} days ago` : `is due on ${due}`
    const content = mailContent({
      subject: `${subjects[claim.tone]}: invoice ${invoiceNumber!}`,
      lines: [
        await greetingOf(ctx, contactId, to),
        `The invoice ${invoiceNumber!}${letterhead.name ? ` of the organization “${letterhead.name}”` : ''} ${state}.`,
        requests[claim.tone],
      ],
      facts: factsOf(invoice, claim),
      letterhead,
      action: { label: 'View the invoice', url: publicPageOf(ctx, invoice)! },
      closing: ['If you have paid already, please ignore this mail.', ...answers.lines],
    })
    return { ...content, ...answers.header, record, expiresAt }
  })

/** Tells a user of the organization that a customer got a reminder of this level. */
export const queueNotice = (
  ctx: RequestContext<'vault'>,
  { invoiceNumber, currency, amountDue }: Invoice,
  to: string,
  { level, tone, daysOverdue }: Claim,
  isReminded: boolean,
): Promise<boolean> =>
  queueMail(ctx, { to, kind: noticeMails }, () =>
    Promise.resolve({
      ...mailContent({
        subject: `Invoice ${invoiceNumber!} reached dunning level ${level}`,
        lines: [
          isReminded
            ? `The customer got a reminder of level ${level} (${tone}).`
            : `The customer has no email address that may get mails, so nobody got the reminder of level ${level} (${tone}).`,
          `The invoice is ${daysOverdue} days overdue, and ${amountFormat(currency).amount(amountDue)} is due.`,
        ],
      }),
      expiresAt: new Date(ctx.clock.now().getTime() + 2 * dayMs),
    }),
  )
