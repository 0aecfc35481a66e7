import { contactEmail } from '../../crm/public.ts'
import { activeOrganizationName, customersGuard } from '../../identity/public.ts'
import { requireDeliverable } from '../../outreach/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { mailContent } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'
import { quotedName } from '../../kernel/mail/quoted-name.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { change } from '../../kernel/record/records-of.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { attachmentOf, contentHash } from '../document/document-file.ts'
import { renderDocument } from '../document/render-document.ts'
import { requireLines, requireSendable } from './quote.actions.ts'
import { documentOfQuote, requireWholeQuote } from './quote.document.ts'
import { quote } from './quote.record.ts'
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

/**
 * Mails the quote with a link to its public page. The first time it becomes SENT; sending it again mails another link. The mail, its
 * link and the change of the status exist together or not at all. No transaction is open while the PDF is laid out.
 */
export function sendQuote(
  ctx: RequestContext<'vault' | 'work'>,
  id: string,
  given: string | null,
  expectedVersion: number | null,
): Promise<Quote> {
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
    await queueQuoteMail(inner, whole!, to)
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

const queueQuoteMail = (ctx: RequestContext<'vault' | 'work'>, sent: Quote, to: string): Promise<boolean> =>
  queueMail(ctx, { to, kind: quoteMails }, async () => {
    const organization = (await activeOrganizationName(ctx)) ?? ''
    const token = await issueLink(ctx, sent, to)
    const sender = quotedName(organization)
    const content = mailContent({
      subject: `Quote ${sent.quoteNumber}`,
      lines: [`${sender ? `The organization ${sender}` : 'An organization'} sends you the quote ${sent.quoteNumber}.`],
      action: { label: 'View the quote', url: `${ctx.settings.publicUrl}/v1/public/quotes/${token}` },
      closing: ['On this page you can accept or reject it. Everybody with the link can do this, so do not share it.'],
    })
    return {
      ...content,
      record: { organizationId: sent.organizationId, object: 'quote', id: sent.id },
      attachments: [await pdfOf(ctx, sent)],
      expiresAt: new Date(ctx.clock.now().getTime() + mailLifeMs),
    }
  })

async function pdfOf(ctx: RequestContext<'work'>, sent: Quote): Promise<MailAttachment> {
  // It is for the customer, not for the caller.
  const document = await documentOfQuote(asSystem(ctx, sent.organizationId), sent)
  // Another content is another call.
  const key = `PDF ${contentHash(document)}`
  return attachmentOf(document, await externalCall(ctx, key, async () => () => renderDocument(ctx, document)))
}
