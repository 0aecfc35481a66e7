import { ownerContext } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { AttemptNotBegun, type Leased, type Outcome, type Queue, type QueuedItem } from '../../kernel/queue/queue.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { inTransaction, systemContext, type Port, type RequestContext, type Services } from '../../kernel/request.ts'
import { TaskNotBegun } from '../../kernel/work/task-refusals.ts'
import { simulateScenario } from './simulate-scenario.ts'
import { storeResult } from './result-store.ts'
import type { ScenarioFailure } from './scenario.enumerations.ts'
import { scenario } from './scenario.record.ts'
import { endRun } from './scenario-run.ts'
import { sightOf } from './sight.ts'

interface ScenarioRun extends QueuedItem {
  readonly scenarioId: string
  readonly userId: string
}

const attemptsMax = 3

/** Computes scenarios: one run of a user at a time, the organizations in turn. */
export const scenarioRunQueue: Queue<ScenarioRun> = {
  name: 'scenario_run',
  table: 'insights.scenario_run',
  columns: 'scenario_id as "scenarioId", user_id as "userId"',
  leaseMs: 120_000,
  attemptMsMax: 90_000,
  lanes: { fresh: 2, retry: 1 },
  shares: { organization: 'organization_id', key: 'user_id', perKeyMax: 1 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: () => 1_000,
  retentionMs: 7 * 86_400_000,
  attempt,
}

export const deleteOldRuns: Job = {
  name: 'insights.forgetRuns',
  cron: '45 * * * *',
  run: (services) => deleteFinishedItems(scenarioRunQueue, services),
}

/** The run was cancelled, or another attempt has the lease. */
class RunEnded extends Error {}

async function attempt(services: Services, item: Leased<ScenarioRun>, signal: AbortSignal): Promise<Outcome> {
  const organizationId = item.organization!
  // Attempts that ended their process, or were too slow for their lease, are not repeated for ever.
  if (item.attempts > 1 && item.attempts >= attemptsMax && item.lostToken !== null)
    return fail(services, item, 'INTERRUPTED')
  const ctx = await ownerContext(services, organizationId, item.userId)
  if (!ctx) return fail(services, item, 'OWNER_INACTIVE')
  try {
    return await compute(ctx, item, signal)
  } catch (error) {
    if (error instanceof RunEnded) return { end: 'CANCELLED' }
    if (error instanceof TaskNotBegun) throw new AttemptNotBegun(error.message)
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return { end: 'CANCELLED' }
    const failure = failureOf(error)
    if (failure || item.attempts >= attemptsMax) return fail(services, item, failure ?? 'INTERRUPTED', error as Error)
    throw error
  }
}

function failureOf(error: unknown): ScenarioFailure | null {
  if (!(error instanceof Refusal)) return null
  if (error.code === 'FIELD_NOT_READABLE') return 'FIELD_NOT_READABLE'
  return error.code === 'VALIDATION_FAILED' ? 'TOO_MANY_DEALS' : null
}

async function compute(ctx: RequestContext<Port>, item: Leased<ScenarioRun>, signal: AbortSignal): Promise<Outcome> {
  const beganMs = performance.now()
  const wanted = await recordsOf(scenario).require(ctx, item.scenarioId)
  if (wanted.status !== 'RUNNING') throw new RunEnded()
  const progress = (share: number): Promise<void> => recordProgress(ctx, item, share)
  const result = await simulateScenario(ctx, wanted, { signal, progress })
  await inTransaction(ctx, async (inner) => {
    await requireLease(inner, item)
    await storeResult(inner, item.scenarioId, sightOf(ctx), result)
    await endRun(inner, item.scenarioId, { status: 'COMPLETED', lastRunAt: inner.clock.now().toISOString() })
    await finishRun(inner, item, Math.round(performance.now() - beganMs))
  })
  return { end: 'DONE' }
}

/** Throws unless this attempt still has the lease; until the transaction ends, nobody can cancel the run. */
async function requireLease({ db, caller }: RequestContext, { id, token }: Leased<ScenarioRun>): Promise<void> {
  const rows = await db.query(
    `select 1 from insights.scenario_run where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' for update`,
    [caller.organizationId, id, token],
  )
  if (rows.length === 0) throw new RunEnded()
}

/** The run ends in the transaction of its result, so that no moment shows one without the other. */
async function finishRun({ db, caller }: RequestContext, { id }: Leased<ScenarioRun>, ranMs: number): Promise<void> {
  await db.query(
    `update insights.scenario_run set state = 'DONE', is_due = false, lease_token = null, progress = 1, ran_ms = $3, finished_at = statement_timestamp()
     where organization_id = $1 and id = $2`,
    [caller.organizationId, id, ranMs],
  )
}

async function recordProgress(
  { db, caller }: RequestContext,
  { id, token }: Leased<ScenarioRun>,
  share: number,
): Promise<void> {
  const rows = await db.query(
    `update insights.scenario_run set progress = $4 where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' returning 1`,
    [caller.organizationId, id, token, share],
  )
  if (rows.length === 0) throw new RunEnded()
}

async function fail(
  services: Services,
  item: Leased<ScenarioRun>,
  failure: ScenarioFailure,
  error?: Error,
): Promise<Outcome> {
  await failScenario(systemContext(services, item.organization!), item.scenarioId, failure)
  return { end: 'FAILED', error: error?.message ?? failure }
}

async function failScenario(ctx: RequestContext, id: string, failure: ScenarioFailure): Promise<void> {
  try {
    await endRun(ctx, id, { status: 'FAILED', failure, lastRunAt: ctx.clock.now().toISOString() })
  } catch (error) {
    // It was cancelled or deleted meanwhile.
    if (!(error instanceof Refusal && ['INVALID_STATE', 'NOT_FOUND'].includes(error.code))) throw error
  }
}

/** Fails scenarios whose run has ended without a record of it, for example because the database was away at that moment. */
export const failLostRuns: Job = {
  name: 'insights.failLostRuns',
  cron: '* * * * *',
  async run(services) {
    const lost = await services.database.query<{ organizationId: string; id: string }>(
      `select s.organization_id as "organizationId", s.id from insights.scenario s
       where s.status = 'RUNNING' and s.deleted_at is null and not exists (
         select from insights.scenario_run r where r.organization_id = s.organization_id and r.scenario_id = s.id and r.state = 'QUEUED')
       order by s.updated_at limit 200`,
    )
    for (const { organizationId, id } of lost)
      await failScenario(systemContext(services, organizationId), id, 'INTERRUPTED')
  },
}
