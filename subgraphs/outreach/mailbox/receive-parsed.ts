import { oneLine } from '../../kernel/template/one-line.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { applySignal } from '../email/email-status.ts'
import { kindOf } from '../email/mail-kind.ts'
import { receiveEmail } from '../email/receive-email.ts'
import type { DeliveryReport } from './delivery-report.ts'
import type { Mailbox } from './mailbox.ts'
import type { ParsedMail } from './parse-mail.ts'

/** The sender of a mail that names no valid one. Nobody has this address (RFC 2606). */
const unknownSender = 'unknown@sender.invalid'

/** Stores a mail of a mailbox and what it reports, in the transaction of `ctx`. */
export async function receiveParsed(ctx: RequestContext, box: Mailbox, mail: ParsedMail): Promise<void> {
  const now = ctx.clock.now().toISOString()
  const from = mail.from ?? unknownSender
  const subject = oneLine(mail.subject)
  const headers = new Map(mail.headers)
  const told = mail.report ? 'BOUNCE' : kindOf({ headers, subject, from })
  const answered = mail.report?.messageId ?? mail.inReplyTo
  const stored = await receiveEmail(ctx, {
    messageId: mail.messageId,
    inReplyTo: answered,
    references: mail.references,
    from,
    to: mail.to.length > 0 ? mail.to : [box.email],
    cc: mail.cc,
    subject,
    bodyHtml: mail.bodyHtml,
    bodyText: mail.bodyText,
    sentAt: mail.sentAt !== null && mail.sentAt < now ? mail.sentAt : now,
    kind: told,
    attachments: mail.attachments,
    mailboxId: box.id,
    ownerId: box.ownerId!,
  })
  if (stored && mail.report) await applyReport(ctx, mail.report, answered, now)
}

interface SentMail {
  readonly id: string
  readonly recipients: readonly string[]
}

/** A report counts only for a recipient of the mail that it names, so nobody can report the address of somebody else. */
async function applyReport(
  ctx: RequestContext,
  { deliveries }: DeliveryReport,
  messageId: string | null,
  at: string,
): Promise<void> {
  if (messageId === null) return
  const [sent] = await ctx.db.query<SentMail>(
    `select id, to_emails || cc_emails || bcc_emails as recipients from outreach.email_message
     where organization_id = $1 and internet_message_id = $2 and direction = 'OUTBOUND' and deleted_at is null`,
    [ctx.caller.organizationId, messageId],
  )
  for (const { recipient, outcome, reason } of deliveries) {
    if (!sent?.recipients.includes(recipient)) continue
    if (outcome === 'DELIVERED') await applySignal(ctx, sent.id, { kind: 'DELIVERED', at })
    else await applySignal(ctx, sent.id, { kind: 'BOUNCED', at, bounceType: outcome, reason, recipient })
  }
}
