import { organizationSettings, sendersOf } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { SequenceEnrollmentStatus } from './enrollment.enumerations.ts'
import { nextAllowed } from './send-window.ts'
import type { ReadSequence } from './sequence-reading.ts'
import { windowOf } from './window-of.ts'

/** A mail of a sequence that waits because its enrollment or its sequence is PAUSED is looked at again after this time, or when it is resumed. */
const pausedMs = 900_000
const pausedReason = 'The sequence or the enrollment is paused.'

interface Queued {
  readonly status: SequenceEnrollmentStatus
  readonly hasReplied: boolean
  readonly isConsentDenied: boolean
  readonly senderId: string
  readonly recipientZone: string | null
  readonly sequenceStatus: ReadSequence['status']
  readonly isDeleted: boolean
  readonly settings: ReadSequence['settings']
}

interface QueuedMail {
  readonly id: string
  readonly createdAt: string
}

/** What a queued mail does instead of being sent: it waits, or it is never sent. */
export type Held =
  { readonly reason: string; readonly waitMs: number } | { readonly reason: string; readonly waitMs: null }

/**
 * Why a queued mail must not be sent at this moment; null if it is no mail of a sequence, or may be sent. The last step of an enrollment completes it when its mail is
 * queued, so a mail of a COMPLETED enrollment is sent, unless the person has replied since.
 */
export async function heldBySequence(
  ctx: RequestContext,
  { id, createdAt }: QueuedMail,
  ignoresWindow: boolean,
): Promise<Held | null> {
  const [queued] = await ctx.db.query<Queued & Record<string, unknown>>(
    `select e.status, coalesce(e.replied_at >= $3, false) as "hasReplied", e.sender_id as "senderId",
       coalesce(c.timezone, e.time_zone) as "recipientZone", coalesce(c.consent ->> 'status' = 'DENIED', false) as "isConsentDenied",
       s.status as "sequenceStatus", s.deleted_at is not null as "isDeleted", s.settings
     from outreach.sequence_attempt a
     join outreach.sequence_enrollment e on e.organization_id = $1 and e.id = a.enrollment_id
     join outreach.sequence s on s.organization_id = $1 and s.id = e.sequence_id
     left join crm.contact c on c.organization_id = $1 and c.id = e.entity_id
     where a.organization_id = $1 and a.message_id = $2`,
    [ctx.caller.organizationId, id, createdAt],
  )
  if (!queued) return null
  const end = endOf(queued)
  if (end !== null) return { reason: end, waitMs: null }
  if (queued.status === 'PAUSED' || queued.sequenceStatus !== 'ACTIVE')
    return { reason: pausedReason, waitMs: pausedMs }
  const sender = (await sendersOf(ctx, [queued.senderId])).get(queued.senderId)
  if (!sender) return { reason: 'the sender is no longer an active user who may change records', waitMs: null }
  if (ignoresWindow) return null
  const { timezone = null, businessHours } = await organizationSettings(ctx)
  const zones = { recipient: queued.recipientZone, sender: sender.timezone, organization: timezone }
  const now = ctx.clock.now()
  const allowed = nextAllowed(now, windowOf(queued.settings, zones, new Set(businessHours?.holidays ?? [])))
  return allowed > now ? { reason: 'The send window is over.', waitMs: allowed.getTime() - now.getTime() } : null
}

function endOf(queued: Queued): string | null {
  const { status, settings, hasReplied, isConsentDenied, sequenceStatus, isDeleted } = queued
  if (status !== 'ACTIVE' && status !== 'PAUSED' && status !== 'COMPLETED')
    return `the enrollment has ended (${status})`
  if (hasReplied && settings.stopOnReply) return 'the person has replied'
  if (isConsentDenied) return 'the person does not agree to be contacted'
  if (isDeleted) return 'the sequence was deleted'
  return sequenceStatus === 'ARCHIVED' ? 'the sequence was archived' : null
}

export async function isOfSequence({ db, caller }: RequestContext, messageId: string): Promise<boolean> {
  const found = await db.query(
    'select 1 from outreach.sequence_attempt where organization_id = $1 and message_id = $2 limit 1',
    [caller.organizationId, messageId],
  )
  return found.length > 0
}

/** Says in the enrollment that its mail is not sent. */
export async function skipAttempt({ db, caller }: RequestContext, messageId: string, detail: string): Promise<void> {
  await db.query(
    `update outreach.sequence_attempt set result = 'SKIPPED', detail = $3 where organization_id = $1 and message_id = $2`,
    [caller.organizationId, messageId, detail],
    'WRITE',
  )
}

/** The mails that wait for the end of a pause are looked at again at once. */
export async function wakeMails({ db, caller }: RequestContext, enrollmentIds: readonly string[]): Promise<void> {
  await db.query(
    `update outreach.outgoing_email m set next_attempt_at = date_trunc('milliseconds', statement_timestamp()), is_due = true
     from outreach.sequence_attempt a
     where a.organization_id = $1 and a.enrollment_id = any($2::uuid[]) and m.organization_id = $1 and m.id = a.message_id
       and m.state = 'QUEUED' and m.lease_token is null and m.last_error = $3`,
    [caller.organizationId, enrollmentIds, pausedReason],
    'WRITE',
  )
}
