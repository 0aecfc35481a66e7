import { customersGuard } from '../../identity/public.ts'
import { mailContent } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import { queueCountedMail, type MailDraft } from '../../kernel/mail/queue-mail.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { asSystem, inTransaction, type RequestContext } from '../../kernel/request.ts'
import { decimalOf } from '../../kernel/values/decimal.ts'
import {
  answersTo,
  letterheadOf,
  messageLines,
  senderOf,
  sendingOrganization,
} from '../customer-mail/correspondence.ts'
import { amountFormat } from '../document/amount-format.ts'
import { documentDay } from '../document/document-day.ts'
import { attachmentOf } from '../document/document-file.ts'
import { renderDocument } from '../document/render-document.ts'
import { claimOf } from './invoice.amounts.ts'
import { documentOfInvoice } from './invoice.document.ts'
import { invoice } from './invoice.record.ts'
import type { Invoice } from './invoice.ts'
import { publicPageOf } from './public-page.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const invoiceMails: MailKind = {
  name: 'INVOICE',
  of: 'ORGANIZATION',
  guard: customersGuard,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 20, windowMs: hourMs },
    { by: ['ORGANIZATION', 'MAILBOX'], max: 60, windowMs: dayMs },
    { by: ['SENDER'], max: 500, windowMs: hourMs },
    { by: ['ORGANIZATION'], max: 5000, windowMs: dayMs },
  ],
}

/** A mail that cannot be delivered for two days is not sent. */
const mailLifeMs = 2 * dayMs

export interface WantedMail {
  readonly id: string
  readonly organizationId: string
}

type Context = RequestContext<'vault' | 'work'>

/** What the mail has of its sender, who is no part of the transaction in which it is made. */
interface Addressed {
  readonly recipient: string
  readonly greeting: string
  /** What the sender writes. */
  readonly message: string | null
  readonly senderId: string | null
}

/**
 * Lays out the PDF of a sent invoice, and queues its mail in the transaction that removes the row from which it is made: it is sent once,
 * whoever does this and how often. An invoice that was voided meanwhile is not mailed.
 */
export async function mailInvoice(ctx: Context, { id, organizationId }: WantedMail): Promise<void> {
  const outer = asSystem(ctx, organizationId)
  const [wanted] = await outer.db.query<{ invoiceId: string }>(
    'select invoice_id as "invoiceId" from commerce.invoice_mail where organization_id = $1 and id = $2',
    [organizationId, id],
  )
  if (!wanted) return
  const sent = await requireRecord(outer, invoice, wanted.invoiceId)
  const isVoid = sent.status === 'VOID'
  const document = isVoid ? null : await documentOfInvoice(outer, sent)
  const attachment = document && attachmentOf(document, await renderDocument(outer, document))
  await inTransaction(outer, async (inner) => {
    const [taken] = await inner.db.query<Addressed & Record<string, unknown>>(
      `delete from commerce.invoice_mail where organization_id = $1 and id = $2
       returning recipient, greeting, message, sender_id as "senderId"`,
      [organizationId, id],
    )
    // `sendInvoice` has counted the mail.
    if (taken && attachment)
      await queueCountedMail(inner, taken.recipient, await draftOf(inner, sent, taken, attachment))
  })
}

/** Days are stored as midnight UTC. */
const day = documentDay('UTC')

async function draftOf(
  ctx: Context,
  sent: Invoice,
  { greeting, message, senderId }: Addressed,
  attachment: ReturnType<typeof attachmentOf>,
): Promise<MailDraft> {
  const sender = await senderOf(ctx, senderId)
  const answers = await answersTo(ctx, sender, sent.ownerId)
  const letterhead = await letterheadOf(ctx)
  const number = sent.invoiceNumber!
  const { amountToPay } = claimOf(sent)
  const isSettled = decimalOf(amountToPay).eq(0)
  const content = mailContent({
    subject: `Invoice ${number}`,
    lines: [
      greeting,
      `${sendingOrganization(letterhead)} sends you the invoice ${number}.`,
      ...messageLines(sender, message),
      ...(isSettled ? ['Nothing is left to pay.'] : []),
    ],
    facts: isSettled
      ? []
      : [
          { label: 'To pay', value: amountFormat(sent.currency).amount(amountToPay) },
          { label: 'Due date', value: day(sent.dueDate!), isLate: sent.status === 'OVERDUE' },
        ],
    letterhead,
    action: { label: 'View the invoice', url: publicPageOf(ctx, sent)! },
    closing: ['Everybody with the link can see the invoice, so do not share it.', ...answers.lines],
  })
  const { organizationId, id } = sent
  const record = { organizationId, object: 'invoice', id }
  return {
    ...content,
    ...answers.header,
    record,
    attachments: [attachment],
    expiresAt: new Date(ctx.clock.now().getTime() + mailLifeMs),
  }
}
