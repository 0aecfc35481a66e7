import { addressHolders, logEmail } from '../../crm/public.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { bareSubject } from './bare-subject.ts'
import type { EmailKind } from './email.enumerations.ts'
import type { EmailAttachment, Email } from './email.ts'
import { emailMessage, emailThread } from './email.record.ts'
import type { EmailThread } from './email-thread.ts'
import { applySignal } from './email-status.ts'
import { isOwnAddress } from '../received-mail/own-address.ts'
import { suggestReply } from '../reply-draft/suggest-reply.ts'
import { lockOf } from '../../kernel/database/locks.ts'

export interface ReceivedEmail {
  readonly messageId: string | null
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  /** Canonical addresses. */
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly subject: string
  readonly bodyHtml: string | null
  readonly bodyText: string
  readonly sentAt: string
  readonly kind: EmailKind
  readonly attachments: readonly EmailAttachment[]
  readonly mailboxId: string | null
  /** The owner of a new thread. */
  readonly ownerId: string
}

/** The mail that a received one names, by its Message-IDs, the last one first. */
async function mailWithMessageId({ db, caller }: RequestContext, ids: readonly string[]): Promise<Email | null> {
  const [found] = await db.query<Email>(
    `select id, thread_id as "threadId", sent_at as "sentAt", direction, to_emails as "toEmails" from outreach.email_message
     where organization_id = $1 and internet_message_id = any($2::text[]) and deleted_at is null
     order by array_position($2::text[], internet_message_id) limit 1`,
    [caller.organizationId, ids],
  )
  return found ?? null
}

/** Whether a mail with this Message-ID is stored. */
export const isStoredMail = async (ctx: RequestContext, messageId: string): Promise<boolean> =>
  (await mailWithMessageId(ctx, [messageId])) !== null

const daysOfAddressMatch = 30

/** The latest thread in which this address took part within 30 days, for replies of programs that name no mail. */
async function threadWith(
  { db, caller, clock }: RequestContext,
  from: string,
  subject: string,
): Promise<string | null> {
  const since = new Date(clock.now().getTime() - daysOfAddressMatch * 86_400_000).toISOString()
  const [found] = await db.query<{ id: string }>(
    `select id from ${readSource(emailThread)} where organization_id = $1 and participants @> array[$2] and deleted_at is null
       and last_message_at > $3 and lower(subject) = lower($4) order by last_message_at desc, id desc limit 1`,
    [caller.organizationId, from, since, bareSubject(subject)],
  )
  return found?.id ?? null
}

/** The last mail of the thread that was sent to this address. */
async function lastSentTo({ db, caller }: RequestContext, threadId: string, email: string): Promise<Email | null> {
  const [found] = await db.query<Email>(
    `select id, sent_at as "sentAt", to_emails as "toEmails" from outreach.email_message
     where organization_id = $1 and thread_id = $2 and direction = 'OUTBOUND' and deleted_at is null and sent_at is not null
       and $3 = any(to_emails || cc_emails || bcc_emails) order by sent_at desc, id desc limit 1`,
    [caller.organizationId, threadId, email],
  )
  return found ?? null
}

/**
 * Stores a received mail in its thread, once for each Message-ID. The thread is that of the mail that it names, otherwise the one with its
 * sender and subject. A person's reply moves the answered mail to REPLIED, also if it names only a received mail or none; an automatic one
 * does not, and neither does a mail of a user of the organization. Null for a mail that is stored already.
 */
export function receiveEmail(ctx: RequestContext, mail: ReceivedEmail): Promise<Email | null> {
  return inTransaction(ctx, async (inner) => {
    await inner.db.query(`select pg_advisory_xact_lock(${lockOf('receivedEmail')})`, [
      `${inner.caller.organizationId} ${mail.messageId ?? ''}`,
    ])
    if (mail.messageId && (await mailWithMessageId(inner, [mail.messageId]))) return null
    const ids = [...new Set([mail.inReplyTo, ...mail.references.toReversed()].filter((id) => id !== null))].slice(0, 50)
    const referenced = ids.length > 0 ? await mailWithMessageId(inner, ids) : null
    const threadId = referenced?.threadId ?? (await threadWith(inner, mail.from, mail.subject))
    const sent = referenced?.direction === 'OUTBOUND' ? referenced : null
    const answered = sent ?? (threadId === null ? null : await lastSentTo(inner, threadId, mail.from))
    const kind = (await isInternal(inner, mail, answered)) ? 'INTERNAL' : mail.kind
    const thread = threadId === null ? await newThread(inner, mail) : null
    const message = await store(inner, { ...mail, kind }, threadId ?? thread!.id)
    const updated = await addToThread(inner, message, answered)
    if (kind === 'MAIL') {
      if (answered) await applySignal(inner, answered.id, { kind: 'REPLIED', at: mail.sentAt })
      await logEmail(inner, {
        ...updated,
        direction: 'INBOUND',
        subject: mail.subject,
        body: mail.bodyText,
        occurredAt: mail.sentAt,
        actorId: null,
      })
      if (updated.status === 'REPLIED') await suggestReply(inner, message, updated)
    }
    return message
  })
}

/** Whether the organization has sent the mail itself. A user to whom alone a mail was sent answers like a customer. */
async function isInternal(
  ctx: RequestContext,
  { kind, from }: ReceivedEmail,
  answered: Email | null,
): Promise<boolean> {
  if (kind !== 'MAIL' || answered?.toEmails.every((email) => email === from)) return false
  return isOwnAddress(ctx, from)
}

async function newThread(ctx: RequestContext, { from, subject, ownerId }: ReceivedEmail): Promise<EmailThread> {
  const [holder] = await addressHolders(ctx, [from])
  return save(ctx, emailThread, {
    operation: 'CREATE',
    previous: null,
    values: {},
    implied: {
      subject,
      status: 'OPEN',
      participants: [],
      ownerId: holder?.ownerId ?? ownerId,
      contactId: holder?.object === 'contact' ? holder.id : null,
      leadId: holder?.object === 'lead' ? holder.id : null,
      accountId: holder?.accountId ?? null,
    },
  })
}

const store = (ctx: RequestContext, mail: ReceivedEmail, threadId: string): Promise<Email> =>
  save(ctx, emailMessage, {
    operation: 'CREATE',
    previous: null,
    values: {},
    implied: {
      threadId,
      direction: 'INBOUND',
      kind: mail.kind,
      fromEmail: mail.from,
      toEmails: [...mail.to],
      ccEmails: [...mail.cc],
      subject: mail.subject,
      bodyHtml: mail.bodyHtml,
      bodyText: mail.bodyText,
      internetMessageId: mail.messageId,
      inReplyTo: mail.inReplyTo,
      referenceIds: [...mail.references],
      status: 'DELIVERED',
      sentAt: mail.sentAt,
      deliveredAt: ctx.clock.now().toISOString(),
      attachments: [...mail.attachments],
      mailboxId: mail.mailboxId,
      ownerId: mail.ownerId,
    },
  })

function addToThread(ctx: RequestContext, mail: Email, answered: Email | null): Promise<EmailThread> {
  const isPersons = mail.kind === 'MAIL'
  const now = ctx.clock.now().toISOString()
  return change(ctx, emailThread, mail.threadId, (previous) => {
    const addresses = [mail.fromEmail, ...mail.toEmails, ...mail.ccEmails]
    const participants = [...new Set([...previous.participants, ...addresses])].slice(0, 100)
    const counted = { participants, messageCount: previous.messageCount + 1 }
    // What no customer has written is no answer, so the thread still waits for one.
    if (!isPersons) {
      const seen = mail.kind === 'INTERNAL' ? { unread: true, lastMessageAt: previous.lastMessageAt ?? now } : {}
      return { operation: 'UPDATE', values: {}, implied: { ...counted, ...seen } }
    }
    const isReply = answered !== null || previous.lastDirection === 'OUTBOUND'
    const first = previous.firstResponseSeconds ?? (isReply ? secondsSince(answered?.sentAt, now) : null)
    return {
      operation: 'UPDATE',
      values: {},
      implied: {
        ...counted,
        status: isReply ? ('REPLIED' as const) : ('OPEN' as const),
        lastMessageAt: now,
        lastDirection: 'INBOUND' as const,
        firstResponseSeconds: first,
        unread: true,
      },
    }
  })
}

const secondsSince = (from: string | null | undefined, to: string): number | null =>
  from ? Math.min(2_147_483_647, Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000))) : null
