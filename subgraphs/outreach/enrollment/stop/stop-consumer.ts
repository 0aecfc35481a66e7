import type { Sql } from '../../../kernel/database/sql.ts'
import type { EventBatch, EventConsumer } from '../../../kernel/outbox/event-consumer.ts'
import { changeAllWithEvents } from '../../../kernel/record/change-all.ts'
import { systemContext, type RequestContext, type Services } from '../../../kernel/request.ts'
import { sequenceEnrollment } from '../enrollment.record.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { exitReasons } from '../run/decide.ts'
import { endOf } from '../run/end-enrollment.ts'
import { readSequences, type ReadSequence } from '../sequence-reading.ts'
import { changeBy, isRunning } from './apply-signal.ts'
import { signalsOf, signalTypes, type Signal } from './signals.ts'

/**
 * Ends enrollments when a person replied, unsubscribed or met somebody, when mails bounced, or when a deal or the record itself changed. It
 * also notes the first times of what became of the mails.
 */
export const sequenceStopConsumer: EventConsumer = {
  name: 'sequence_stop',
  batch: 200,
  gatherMs: 100,
  // An organization that has never enrolled anybody costs nothing.
  async types(sql, organizationId) {
    const [any] = await sql.query(
      'select 1 from outreach.sequence_enrollment where organization_id = $1 and deleted_at is null limit 1',
      [organizationId],
    )
    return any ? signalTypes : []
  },
  consume: stopEnrollments,
}

async function stopEnrollments(services: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  const ctx: RequestContext = { ...systemContext(services, organizationId), db: sql }
  for (const event of events) for (const signal of signalsOf(event)) await react(ctx, signal)
}

const attemptTimes: Partial<Record<Signal['kind'], string>> = {
  OPENED: 'opened_at',
  CLICKED: 'clicked_at',
  REPLIED: 'replied_at',
  BOUNCED: 'bounced_at',
}

/** The enrollments that a signal is about: that of the mail, also if it has ended, or the running ones of the records. */
async function concerned({ db, caller }: RequestContext, signal: Signal): Promise<string[]> {
  const { organizationId } = caller
  if (signal.messageId === null) {
    const rows = await db.query<{ id: string }>(
      `select id from outreach.sequence_enrollment
       where organization_id = $1 and entity_id = any($2::uuid[]) and deleted_at is null and status in ('ACTIVE', 'PAUSED')
       order by id for update`,
      [organizationId, signal.entityIds],
    )
    return rows.map(({ id }) => id)
  }
  const time = attemptTimes[signal.kind]
  const rows = await db.query<{ id: string }>(
    time
      ? `update outreach.sequence_attempt set ${time} = coalesce(${time}, $3) where organization_id = $1 and message_id = $2
         returning enrollment_id as id`
      : `select enrollment_id as id from outreach.sequence_attempt
         where organization_id = $1 and message_id = $2 and $3::timestamptz is not null`,
    [organizationId, signal.messageId, signal.at],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await db.query(
      'select 1 from outreach.sequence_enrollment where organization_id = $1 and id = any($2::uuid[]) order by id for update',
      [organizationId, ids],
    )
  return ids
}

async function react(ctx: RequestContext, signal: Signal): Promise<void> {
  const ids = await concerned(ctx, signal)
  if (ids.length === 0) return
  const sequences = await sequencesOf(ctx, ids)
  if (signal.kind === 'CONVERTED') return moveToContact(ctx, ids, sequences, signal)
  const now = ctx.clock.now()
  const changed = await changeAllWithEvents(ctx, sequenceEnrollment, ids, (enrollment) =>
    changeBy(signal, enrollment, sequences.get(enrollment.sequenceId), now),
  )
  if (signal.kind === 'REPLIED') await stopCompanies(ctx, changed, sequences)
}

async function sequencesOf(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, ReadSequence>> {
  const rows = await ctx.db.query<{ id: string }>(
    'select distinct sequence_id as id from outreach.sequence_enrollment where organization_id = $1 and id = any($2::uuid[])',
    [ctx.caller.organizationId, ids],
  )
  const found = await readSequences(
    ctx,
    rows.map(({ id }) => id),
  )
  return new Map(found.map((sequence) => [sequence.id, sequence]))
}

/** Enrollments of other people of the account that one reply ends at most at once; a larger account is done in several statements. */
const companyBatch = 500

async function stopCompanies(
  ctx: RequestContext,
  replied: readonly SequenceEnrollment[],
  sequences: ReadonlyMap<string, ReadSequence>,
): Promise<void> {
  for (const { id, accountId, sequenceId } of replied) {
    if (accountId === null || !sequences.get(sequenceId)?.settings.stopCompanyOnReply) continue
    for (;;) {
      const rows = await ctx.db.query<{ id: string }>(
        `select id from outreach.sequence_enrollment
         where organization_id = $1 and account_id = $2 and sequence_id = $3 and id <> $4 and deleted_at is null
           and status in ('ACTIVE', 'PAUSED') order by id limit ${companyBatch} for update`,
        [ctx.caller.organizationId, accountId, sequenceId, id],
      )
      await changeAllWithEvents(
        ctx,
        sequenceEnrollment,
        rows.map((row) => row.id),
        () => endOf('UNENROLLED', exitReasons.company, ctx.clock.now()),
      )
      if (rows.length < companyBatch) break
    }
  }
}

/** An enrollment of a converted lead goes on with its contact, unless the sequence is for leads only or the contact is in it already. */
async function moveToContact(
  ctx: RequestContext,
  ids: readonly string[],
  sequences: ReadonlyMap<string, ReadSequence>,
  { contactId, accountId }: Signal,
): Promise<void> {
  const rows = await ctx.db.query<{ sequenceId: string }>(
    `select sequence_id as "sequenceId" from outreach.sequence_enrollment
     where organization_id = $1 and entity_id = $2 and deleted_at is null and status in ('ACTIVE', 'PAUSED')`,
    [ctx.caller.organizationId, contactId ?? null],
  )
  const taken = new Set(rows.map(({ sequenceId }) => sequenceId))
  await changeAllWithEvents(ctx, sequenceEnrollment, ids, (enrollment) => {
    if (!isRunning(enrollment)) return null
    const isForContacts = sequences.get(enrollment.sequenceId)?.entityTypes.includes('CONTACT') ?? false
    if (!contactId || !isForContacts || taken.has(enrollment.sequenceId))
      return endOf('UNENROLLED', exitReasons.converted, ctx.clock.now())
    return { implied: { entityType: 'CONTACT' as const, entityId: contactId, accountId: accountId ?? null } }
  })
}
