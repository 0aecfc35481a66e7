import { failureReason } from '../../kernel/database/failure-reason.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { changeAllWithEvents } from '../../kernel/record/change-all.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { organizationContext } from '../email/organization-context.ts'
import { wakeMails } from '../enrollment/before-sending.ts'
import { sequenceEnrollment } from '../enrollment/enrollment.record.ts'
import { dueAtSql } from './clock.ts'

/** What a change of a sequence means for its running enrollments: RESUME shifts their clocks by the pause, END ends them. */
export type WorkKind = 'RESUME' | 'END'

/** Enrollments of one transaction. */
const batchOf: Readonly<Record<WorkKind, number>> = { RESUME: 1000, END: 100 }
/** How long one run of the job goes on; the next one continues. */
const runMs = 45_000

const noId = '00000000-0000-0000-0000-000000000000'

interface Work {
  readonly organizationId: string
  readonly sequenceId: string
  readonly kind: WorkKind
}

/**
 * Queues the work in the transaction of the change and does its first batch there, so that a small sequence is done with it at once. Work that
 * was queued before begins again.
 */
export async function queueWork(ctx: RequestContext, sequenceId: string, kind: WorkKind): Promise<void> {
  const { organizationId } = ctx.caller
  await ctx.db.query(
    `insert into outreach.sequence_work (organization_id, sequence_id, kind, created_at) values ($1, $2, $3, $4)
     on conflict (organization_id, sequence_id, kind) do update set after_id = '${noId}', created_at = excluded.created_at`,
    [organizationId, sequenceId, kind, ctx.clock.now().toISOString()],
    'WRITE',
  )
  await workOnce(ctx, { organizationId, sequenceId, kind })
}

interface Batch {
  readonly id: string
  readonly entityId: string
}

/** Does the next batch in one transaction with its position. False when nothing is left. */
function workOnce(ctx: RequestContext, { sequenceId, kind }: Work): Promise<boolean> {
  const { organizationId } = ctx.caller
  return inTransaction(ctx, async (inner) => {
    // The worker locks a sequence before its enrollments, too, so that none waits for the other.
    await inner.db.query('select from outreach.sequence where organization_id = $1 and id = $2 for update', [
      organizationId,
      sequenceId,
    ])
    const [work] = await inner.db.query<{ afterId: string; createdAt: string }>(
      `select after_id as "afterId", created_at as "createdAt" from outreach.sequence_work
       where organization_id = $1 and sequence_id = $2 and kind = $3 for update`,
      [organizationId, sequenceId, kind],
    )
    if (!work) return false
    const limit = batchOf[kind]
    const batch = await inner.db.query<Batch>(
      `select id, entity_id as "entityId" from outreach.sequence_enrollment
       where organization_id = $1 and sequence_id = $2 and status in ('ACTIVE', 'PAUSED') and deleted_at is null
         and entity_id > $3 and enrolled_at <= $4
       order by entity_id limit ${limit} for update`,
      [organizationId, sequenceId, work.afterId, work.createdAt],
    )
    const ids = batch.map(({ id }) => id)
    if (ids.length > 0) await effects[kind](inner, sequenceId, ids)
    const isDone = batch.length < limit
    const where = 'where organization_id = $1 and sequence_id = $2 and kind = $3'
    const key = [organizationId, sequenceId, kind]
    if (isDone) await inner.db.query(`delete from outreach.sequence_work ${where}`, key, 'WRITE')
    else
      await inner.db.query(
        `update outreach.sequence_work set after_id = $4 ${where}`,
        [...key, batch.at(-1)!.entityId],
        'WRITE',
      )
    return !isDone
  })
}

const effects: Readonly<
  Record<WorkKind, (ctx: RequestContext, sequenceId: string, ids: readonly string[]) => Promise<void>>
> = { RESUME: resumeClocks, END: endEnrollments }

async function resumeClocks(ctx: RequestContext, sequenceId: string, ids: readonly string[]): Promise<void> {
  await ctx.db.query(
    `update outreach.sequence_enrollment e set next_run_at = ${dueAtSql('e', 's')}, paused_ms = s.paused_ms, is_parked = false
     from outreach.sequence s
     where e.organization_id = $1 and e.id = any($3::uuid[]) and e.status = 'ACTIVE'
       and s.organization_id = $1 and s.id = $2 and (e.is_parked or e.paused_ms <> s.paused_ms)`,
    [ctx.caller.organizationId, sequenceId, ids],
    'WRITE',
  )
  await wakeMails(ctx, ids)
}

async function endEnrollments(ctx: RequestContext, sequenceId: string, ids: readonly string[]): Promise<void> {
  const [found] = await ctx.db.query<{ isDeleted: boolean }>(
    `select deleted_at is not null as "isDeleted" from outreach.sequence where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, sequenceId],
  )
  const ended = {
    status: 'UNENROLLED',
    exitReason: found?.isDeleted === false ? 'The sequence was archived.' : 'The sequence was deleted.',
    finishedAt: ctx.clock.now().toISOString(),
    currentStepId: null,
    currentStepPosition: null,
    nextRunAt: null,
    remainingMs: null,
    pausedAt: null,
    pauseReason: null,
  } as const
  const change = { implied: ended, events: ['sequence.unenrolled'], isEventReplaced: true }
  await changeAllWithEvents(ctx, sequenceEnrollment, ids, () => change)
}

/**
 * Continues the work that was queued, one batch of each sequence after the other, so that a large one does not stop the others. What fails is
 * left for the next run.
 */
export const sequenceWork: Job = {
  name: 'outreach.sequenceWork',
  cron: '* * * * *',
  async run(services) {
    const until = performance.now() + runMs
    const failed = new Set<string>()
    for (;;) {
      const waiting = await services.database.query<Work>(
        `select organization_id as "organizationId", sequence_id as "sequenceId", kind from outreach.sequence_work
         where sequence_id <> all($1::uuid[]) order by created_at limit 100`,
        [[...failed]],
      )
      for (const work of waiting) {
        if (performance.now() > until) return
        try {
          await workOnce(organizationContext(services, work.organizationId), work)
        } catch (error) {
          if (failureReason(error) !== null) throw error
          services.log.error({ err: error, sequenceId: work.sequenceId }, 'the work of a sequence failed')
          failed.add(work.sequenceId)
        }
      }
      if (waiting.length === 0) return
    }
  },
}
