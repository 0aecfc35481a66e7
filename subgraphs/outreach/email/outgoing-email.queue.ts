import type Mail from 'nodemailer/lib/mailer/index.js'
import { attachedFile, logEmail } from '../../crm/public.ts'
import { heldMail, isSuspended, userIdentity } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { sendFromMailbox } from '../mailbox/connect.ts'
import { mailbox } from '../mailbox/mailbox.record.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { takeSendSlot } from '../mailbox/send-slot.ts'
import { isSilent, observingSilence } from '../mailbox/silent-server.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { headerName, MailRefused } from '../../kernel/mail/message.ts'
import type { RefusedRecipient } from '../../kernel/mail/outgoing-mail.ts'
import { contentRefusal, refusedBy } from '../../kernel/mail/smtp-transport.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { untilAborted } from '../../kernel/queue/deadline.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext, type Services } from '../../kernel/request.ts'
import { heldBySequence, isOfSequence, skipAttempt } from '../enrollment/before-sending.ts'
import { organizationContext } from './organization-context.ts'
import { isStoredEmail } from '../../kernel/values/email-address.ts'
import { emailMessage, emailThread } from './email.record.ts'
import type { Email } from './email.ts'
import { applySignal, reasonOf } from './email-status.ts'
import { isAddressRefused } from './bounce-type.ts'
import { bounceRefused, bounceTypeOfContent, printable } from './refused-recipients.ts'
import { suppressedAddresses } from './suppression.ts'
import { trackedPath } from './tracked-path.ts'
import { trackingToken } from './tracking-token.ts'

const minuteMs = 60_000
/** A mail of a suspended organization is looked at again after this time, until it is older than the second one. */
const [suspendedWaitMs, suspendedMaxMs] = [15 * minuteMs, 7 * 86_400_000]

interface OutgoingEmail extends QueuedItem {
  readonly senderId: string
  readonly ignoresWindow: boolean
}

/**
 * Sends each mail once; twice only when a process dies after the mail server has accepted the mail and before it has recorded that. Both
 * then have the same Message-ID, so that mail programs show one.
 */
export const outgoingEmailQueue: Queue<OutgoingEmail> = {
  name: 'outgoing_email',
  table: 'outreach.outgoing_email',
  columns: 'sender_id as "senderId", ignores_window as "ignoresWindow", traceparent',
  leaseMs: 2 * minuteMs,
  attemptMsMax: 90_000,
  // A server can hold a slot until the deadline, so an organization uses three of a lane.
  lanes: { fresh: 12, retry: 8 },
  // The key is the mailbox or, for the mail server of the platform, the organization. A server that takes 300 ms for a mail gets 10 of them a second.
  shares: { organization: 'organization_id', key: 'sender_id', perKeyMax: 4, perOrganizationMax: 3 },
  attemptsMax: () => 8,
  // 1, 4, 16, 64 and 256 minutes, then 6 hours each: about a day.
  retryAfterMs: ({ attempts }) => Math.min(minuteMs * 4 ** (attempts - 1), 360 * minuteMs),
  retentionMs: 30 * 86_400_000,
  attempt: sendQueued,
}

export const deleteOldOutgoingEmail: Job = {
  name: 'outreach.forgetOutgoing',
  cron: '35 * * * *',
  run: (services) => deleteFinishedItems(outgoingEmailQueue, services),
}

async function sendQueued(services: Services, item: Leased<OutgoingEmail>, signal: AbortSignal): Promise<Outcome> {
  const ctx = organizationContext(services, item.organization!)
  const message = await recordsOf(emailMessage).require(ctx, item.id)
  if (message.status !== 'QUEUED') return { end: 'SENT' }
  if (await isSuspended(services, item.organization!)) return suspended(ctx, message)
  const held = await heldBySequence(ctx, message, item.ignoresWindow)
  if (held?.waitMs === null) return withheld(ctx, message, held.reason)
  if (held) return { retry: held.reason, afterMs: held.waitMs, isWait: true }
  const addresses = [...message.toEmails, ...message.ccEmails, ...message.bccEmails]
  const suppressed = await suppressedAddresses(ctx, addresses)
  if (suppressed.size > 0 || !addresses.every(isStoredEmail))
    return withheld(ctx, message, [...suppressed.values()].join(', ') || 'an address is not valid')
  const box = message.mailboxId === null ? null : await mailboxOf(ctx, message.mailboxId)
  if (message.mailboxId !== null && !box) return withheld(ctx, message, 'the mailbox is turned off or deleted')
  if (!box) {
    const standing = await heldMail(ctx, message.createdById, async () => !(await isUncounted(ctx, item)))
    if (standing?.waitMs === null) return withheld(ctx, message, standing.reason)
    if (standing) return { retry: standing.reason, afterMs: standing.waitMs, isWait: true }
  }
  const wasSilent = box !== null && (await isSilent(ctx, box))
  // Its mails are retries until it answers one of them: only servers that answer hold slots of the fresh lane again and again.
  if (wasSilent && item.attempts === 1) return { retry: 'The mail server did not answer to an earlier mail.' }
  const waitMs = box ? await takeSendSlot(ctx, box) : 0
  if (waitMs > 0) return { retry: 'The limit of the mailbox is reached.', afterMs: waitMs, isWait: true }
  const attachments = await attachedTo(ctx, services, message)
  if (!attachments) return withheld(ctx, message, 'an attached file is deleted')
  let refused: readonly RefusedRecipient[]
  try {
    const options = { ...(await optionsOf(ctx, services, message, box)), attachments }
    const mail = { id: message.id, date: new Date(message.createdAt), message: options }
    refused = await (box
      ? observingSilence(ctx, box, wasSilent, () => untilAborted(signal, sendFromMailbox(services, box, options)))
      : untilAborted(signal, services.mailer.sendForUser(mail)))
  } catch (error) {
    const isOver = error instanceof MailRefused || item.attempts >= outgoingEmailQueue.attemptsMax(item)
    if (isOver) return notSent(ctx, message, error as Error)
    throw error
  }
  await recordSent(ctx, message, refused)
  return { end: 'SENT' }
}

/** Mails of users are counted when they are queued; those of sequences when they leave, once. */
const isUncounted = async (ctx: RequestContext, { id, attempts }: Leased<OutgoingEmail>): Promise<boolean> =>
  attempts === 1 && (await isOfSequence(ctx, id))

/** A suspension holds the mails of an organization back; after a week they are never sent. */
function suspended(ctx: RequestContext, message: Email): Outcome | Promise<Outcome> {
  const reason = 'the organization is suspended'
  const isOver = ctx.clock.now().getTime() - Date.parse(message.createdAt) > suspendedMaxMs
  return isOver ? withheld(ctx, message, reason) : { retry: reason, afterMs: suspendedWaitMs, isWait: true }
}

/** No recipient gets the mail. It bounces if the server has refused an address or the content; otherwise it has failed. */
async function notSent(ctx: RequestContext, message: Email, error: Error): Promise<Outcome> {
  const said = contentRefusal(error)
  if (said !== null) return bounceContent(ctx, message, printable(said, 10_000))
  const refused = refusedBy(error)
  // The first recipient is no hidden copy.
  const reason = printable(refused[0]?.reply || error.message, 400)
  const gone = refused.filter(({ reply }) => isAddressRefused(reply))
  if (gone.length === 0) return failed(ctx, message, reason)
  await bounceRefused(ctx, message.id, gone)
  return { end: 'BOUNCED', error: reason }
}

/** The server has refused the mail as a whole. Unless that is about an address, the mail has failed, and the bounce says that it can pass. */
function bounceContent(ctx: RequestContext, message: Email, said: string): Promise<Outcome> {
  const bounceType = bounceTypeOfContent(said)
  const reason = (reasonOf(message, said) ?? 'The server refused the mail.').slice(0, 400)
  return inTransaction(ctx, async (inner) => {
    const outcome: Outcome =
      bounceType === 'HARD' ? { end: 'BOUNCED', error: reason } : await failed(inner, message, reason)
    const at = inner.clock.now().toISOString()
    await applySignal(inner, message.id, { kind: 'BOUNCED', at, bounceType, reason: said })
    return outcome
  })
}

/** The mailbox that sends; null if it is off or deleted. */
async function mailboxOf(ctx: RequestContext, id: string): Promise<Mailbox | null> {
  try {
    const box = await recordsOf(mailbox).require(ctx, id)
    return box.isEnabled ? box : null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return null
    throw error
  }
}

async function failed(ctx: RequestContext, { id }: Email, failureReason: string): Promise<Outcome> {
  await change(ctx, emailMessage, id, () => ({
    operation: 'UPDATE',
    values: {},
    implied: { status: 'FAILED' as const, failureReason },
  }))
  return { end: 'FAILED', error: failureReason }
}

/** A mail that is never sent; the attempt of a sequence that queued it says so, too. */
const withheld = (ctx: RequestContext, message: Email, reason: string): Promise<Outcome> =>
  inTransaction(ctx, async (inner) => {
    const failureReason = `Not sent: ${reason}.`
    await skipAttempt(inner, message.id, failureReason)
    return failed(inner, message, failureReason)
  })

/** The attached files with their bytes, at most 10 MB together; null if one of the files is deleted. */
async function attachedTo(ctx: RequestContext, { files }: Services, { attachments }: Email) {
  const attached: Pick<Mail.Attachment, 'filename' | 'contentType' | 'content'>[] = []
  for (const { fileId } of attachments) {
    const file = fileId === null ? null : await attachedFile(ctx, files, fileId)
    if (!file) return null
    const { filename, contentType } = file
    attached.push({ filename, contentType, content: await file.read() })
  }
  return attached
}

const addressOf = (address: string, name = '') => ({ name, address })

/** The message for nodemailer, which gets parsed addresses only, so that no name or subject can add a recipient or a header. */
async function optionsOf(ctx: RequestContext, { keys, mailer }: Services, message: Email, box: Mailbox | null) {
  const sender = message.createdById ? await userIdentity(ctx, message.createdById) : null
  const from = box?.email ?? /<([^>]+)>\s*$/.exec(mailer.from)?.[1] ?? mailer.from.trim()
  const token = trackingToken(keys, 'UNSUBSCRIBE', {
    organizationId: message.organizationId,
    messageId: message.id,
    link: 0,
  })
  return {
    from: addressOf(from, headerName(sender?.name ?? '')),
    replyTo: addressOf(message.fromEmail, headerName(sender?.name ?? '')),
    to: message.toEmails.map((address) => addressOf(address)),
    cc: message.ccEmails.map((address) => addressOf(address)),
    // Recipients of the envelope only: nodemailer writes no header for them.
    bcc: message.bccEmails.map((address) => addressOf(address)),
    subject: message.subject,
    text: message.bodyText,
    ...(message.sentHtml !== null && { html: message.sentHtml }),
    messageId: message.internetMessageId!,
    date: new Date(message.createdAt),
    ...(message.inReplyTo && { inReplyTo: message.inReplyTo, references: message.referenceIds }),
    headers: {
      'List-Unsubscribe': `<${ctx.settings.publicUrl}${trackedPath.UNSUBSCRIBE}/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/**
 * A mail that was sent: its status and event, its thread and its activity, and the recipients that the server has refused. A second call
 * changes nothing.
 */
async function recordSent(ctx: RequestContext, { id }: Email, refused: readonly RefusedRecipient[]): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const now = inner.clock.now().toISOString()
    let isFirst = false
    const message = await change(inner, emailMessage, id, (previous) => {
      isFirst = previous.status === 'QUEUED'
      if (!isFirst) return { operation: 'UPDATE', values: {} }
      const implied = { status: 'SENT', sentAt: now } as const
      return { operation: 'UPDATE', values: {}, implied, events: ['email.sent'], isEventReplaced: true }
    })
    if (!isFirst) return
    const thread = await change(inner, emailThread, message.threadId, (previous) => ({
      operation: 'UPDATE',
      values: {},
      implied: {
        status: 'AWAITING_RESPONSE' as const,
        messageCount: previous.messageCount + 1,
        lastMessageAt: now,
        lastDirection: 'OUTBOUND' as const,
        participants: [...new Set([...previous.participants, ...message.toEmails, ...message.ccEmails])].slice(0, 100),
      },
    }))
    await logEmail(inner, {
      direction: 'OUTBOUND',
      subject: message.subject,
      body: message.bodyText,
      occurredAt: now,
      ownerId: thread.ownerId,
      actorId: message.createdById,
      accountId: thread.accountId,
      contactId: thread.contactId,
      leadId: thread.leadId,
      opportunityId: thread.opportunityId,
      caseId: thread.caseId,
    })
    await bounceRefused(inner, id, refused)
  })
}
