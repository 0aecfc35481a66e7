import { attachedFile, filesTooLarge, requireAttachable, type AttachedFile } from '../../crm/public.ts'
import { customersGuard, organizationSettings } from '../../identity/public.ts'
import { notFound } from '../../kernel/errors.ts'
import { mailContent, type MailFact } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import { attachmentBytesMax, queueMail } from '../../kernel/mail/queue-mail.ts'
import { pureCall } from '../../kernel/outbound/external-call.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import {
  answersTo,
  greetingOf,
  letterheadOf,
  messageLines,
  senderOf,
  sendingOrganization,
} from '../customer-mail/correspondence.ts'
import { amountFormat } from '../document/amount-format.ts'
import { documentDay } from '../document/document-day.ts'
import { attachmentOf, contentHash } from '../document/document-file.ts'
import { renderDocument } from '../document/render-document.ts'
import { documentOfQuote } from './quote.document.ts'
import { quote as definition } from './quote.record.ts'
import type { Quote } from './quote.ts'
import { issueLink } from './quote-link.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const quoteMails: MailKind = {
  name: 'QUOTE',
  of: 'ORGANIZATION',
  guard: customersGuard,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 10, windowMs: hourMs },
    { by: ['ORGANIZATION', 'MAILBOX'], max: 30, windowMs: dayMs },
    { by: ['SENDER'], max: 200, windowMs: hourMs },
    { by: ['ORGANIZATION'], max: 2000, windowMs: dayMs },
  ],
}

/** A mail that cannot be delivered for two days is not sent. */
const mailLifeMs = 2 * dayMs

type Context = RequestContext<'vault' | 'work' | 'files'>

export interface QuoteMail {
  readonly to: string
  /** What the sender writes; null for nothing. */
  readonly message: string | null
  /** Files that the sender attaches. */
  readonly fileIds: readonly string[]
}

/** Mails the quote with its PDF, a link to its public page, what the sender writes and attaches. */
export const queueQuoteMail = (ctx: Context, sent: Quote, { to, message, fileIds }: QuoteMail): Promise<boolean> =>
  queueMail(ctx, { to, kind: quoteMails }, async () => {
    const token = await issueLink(ctx, sent, to)
    const sender = await senderOf(ctx, ctx.caller.userId)
    const answers = await answersTo(ctx, sender, sent.ownerId)
    const letterhead = await letterheadOf(ctx)
    const content = mailContent({
      subject: `Quote ${sent.quoteNumber}`,
      lines: [
        await greetingOf(ctx, sent.contactId, to),
        `${sendingOrganization(letterhead)} sends you the quote ${sent.quoteNumber}.`,
        ...messageLines(sender, message),
      ],
      facts: await termsOf(ctx, sent),
      letterhead,
      action: { label: 'View the quote', url: `${ctx.settings.publicUrl}/v1/public/quotes/${token}` },
      closing: [
        'On this page you can accept or reject it. Everybody with the link can do this, so do not share it.',
        ...answers.lines,
      ],
    })
    return {
      ...content,
      ...answers.header,
      record: { organizationId: sent.organizationId, object: 'quote', id: sent.id },
      attachments: await attachmentsOf(ctx, sent, fileIds),
      expiresAt: new Date(ctx.clock.now().getTime() + mailLifeMs),
    }
  })

/** The amount, and the last day unless the profile of the sender hides it. */
async function termsOf(ctx: RequestContext, { currency, total, validUntil }: Quote): Promise<MailFact[]> {
  const { timezone = 'UTC' } = await organizationSettings(ctx)
  const isDayShown = validUntil !== null && !isHidden(ctx.caller, definition, 'validUntil')
  return [
    { label: 'Total', value: amountFormat(currency).amount(total) },
    ...(isDayShown ? [{ label: 'Valid until', value: documentDay(timezone)(validUntil) }] : []),
  ]
}

/** The PDF of the quote and the files of the sender. */
async function attachmentsOf(ctx: Context, sent: Quote, fileIds: readonly string[]): Promise<MailAttachment[]> {
  const files = await requireAttachable(ctx, fileIds, attachmentBytesMax)
  const pdf = await pdfOf(ctx, sent)
  const left = attachmentBytesMax - pdf.content.length
  if (files.reduce((sum, { size }) => sum + size, 0) > left) throw filesTooLarge(left)
  if (files.length === 0) return [pdf]
  const ids = files.map(({ id }) => id)
  const attached = await pureCall(ctx, `files ${ids.join(' ')}`, async () => {
    const opened = await Promise.all(ids.map((id) => attachedFile(ctx, ctx.files, id)))
    return () => Promise.all(opened.flatMap((file) => (file ? [withBytes(file)] : [])))
  })
  // One of them was deleted in this moment.
  if (attached.length < ids.length) throw notFound('The file')
  return [pdf, ...attached]
}

const withBytes = async ({ filename, contentType, read }: AttachedFile): Promise<MailAttachment> => ({
  filename,
  contentType,
  content: await read(),
})

async function pdfOf(ctx: RequestContext<'work'>, sent: Quote): Promise<MailAttachment> {
  // It is for the customer, not for the caller.
  const document = await documentOfQuote(asSystem(ctx, sent.organizationId), sent)
  // Another content is another call.
  const key = `PDF ${contentHash(document)}`
  return attachmentOf(document, await pureCall(ctx, key, async () => () => renderDocument(ctx, document)))
}
