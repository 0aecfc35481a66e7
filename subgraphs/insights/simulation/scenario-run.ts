import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '../../kernel/ids.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState, requireNewStatus, type Move, type StateMachine } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { runDraws } from './bounds.ts'
import { countOpenDeals, dealsMax } from './model/open-deals.ts'
import { tooManyDeals } from './model/snapshot.ts'
import type { ScenarioFailure, ScenarioStatus } from './scenario.enumerations.ts'
import { scenario } from './scenario.record.ts'
import { requireReadable } from './scenario.rules.ts'
import type { Scenario } from './scenario.ts'

/** How long a run is waited for before the scenario is answered as it is. */
const waitMs = 2_000
const pollMs = 50

/** Cancelling leads to the status that the scenario had before its run. */
function cancelTo(status: ScenarioStatus): Move<Scenario> {
  return {
    operation: 'scenarioCancel',
    isPossible: async ({ db, caller }, { id }) => {
      const rows = await db.query(
        `select 1 from insights.scenario_run where organization_id = $1 and scenario_id = $2 and state = 'QUEUED' and previous_status = $3`,
        [caller.organizationId, id, status],
      )
      return rows.length > 0
    },
  }
}

/** What may follow. Cancelling restores the status before the run. */
export const scenarioStates: StateMachine<Scenario, ScenarioStatus> = {
  name: 'scenario',
  scope: 'WRITE_SIMULATIONS',
  transitions: {
    DRAFT: { RUNNING: ['scenarioRun'] },
    RUNNING: { DRAFT: [cancelTo('DRAFT')], COMPLETED: [cancelTo('COMPLETED')], FAILED: [cancelTo('FAILED')] },
    COMPLETED: { RUNNING: ['scenarioRun'] },
    FAILED: { RUNNING: ['scenarioRun'] },
  },
}

/** Queues a run, and waits for it for two seconds unless the answer belongs to a transaction (an `Idempotency-Key`). */
export async function runScenario(ctx: RequestContext, id: string): Promise<Scenario> {
  requireWritableRole(ctx)
  const wanted = await recordsOf(scenario).require(ctx, id)
  await requireNewStatus(ctx, scenarioStates, wanted, 'RUNNING')
  requireReadable(ctx, wanted)
  const deals = await countOpenDeals(ctx, wanted.filters)
  if (deals > dealsMax) throw tooManyDeals()
  runDraws(deals, wanted.iterations)
  const running = await inTransaction(ctx, async (inner) => {
    let previousStatus: ScenarioStatus = wanted.status
    const queued = await change(inner, scenario, id, async (previous, own) => {
      await requireNewStatus(own, scenarioStates, previous, 'RUNNING')
      previousStatus = previous.status
      return { operation: 'UPDATE' as const, values: {}, implied: { status: 'RUNNING' as const, failure: null } }
    })
    // A scenario that does not run has no run; one of an attempt that was cut off after it had failed the scenario ends here.
    await inner.db.query(
      `update insights.scenario_run set state = 'FAILED', is_due = false, lease_token = null, finished_at = statement_timestamp()
       where organization_id = $1 and scenario_id = $2 and state = 'QUEUED'`,
      [ctx.caller.organizationId, queued.id],
    )
    await inner.db.query(
      `insert into insights.scenario_run (organization_id, id, scenario_id, user_id, previous_status) values ($1, $2, $3, $4, $5)`,
      [ctx.caller.organizationId, newId(), queued.id, ctx.caller.userId, previousStatus],
    )
    return queued
  })
  if (ctx.db.open) return running
  await untilEnded(ctx, running.id)
  return recordsOf(scenario).require(ctx, running.id)
}

async function untilEnded({ db, caller }: RequestContext, scenarioId: string): Promise<void> {
  const endMs = performance.now() + waitMs
  while (performance.now() < endMs) {
    const [row] = await db.query<{ isRunning: boolean }>(
      `select exists (select from insights.scenario_run where organization_id = $1 and scenario_id = $2 and state = 'QUEUED') as "isRunning"`,
      [caller.organizationId, scenarioId],
    )
    if (!row!.isRunning) return
    await delay(pollMs)
  }
}

/** Ends a run: the scenario is as it was before, with the result that it had. */
export function cancelRun(ctx: RequestContext, id: string): Promise<Scenario> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const cancelled = await recordsOf(scenario).require(inner, id)
    const [run] = await inner.db.query<{ previousStatus: ScenarioStatus }>(
      `update insights.scenario_run set state = 'CANCELLED', is_due = false, lease_token = null, finished_at = statement_timestamp()
       where organization_id = $1 and scenario_id = $2 and state = 'QUEUED' returning previous_status as "previousStatus"`,
      [organizationId, cancelled.id],
    )
    if (!run) throw await refusalInState(inner, scenarioStates, cancelled, 'The scenario is not running.')
    return endRun(inner, cancelled.id, { status: run.previousStatus })
  })
}

interface End {
  readonly status: ScenarioStatus
  readonly failure?: ScenarioFailure
  /** When the run ended, unless it was cancelled. */
  readonly lastRunAt?: string
}

/** Sets what a run has led to. */
export function endRun(ctx: RequestContext, id: string, { status, failure, lastRunAt }: End): Promise<Scenario> {
  return change(ctx, scenario, id, async (previous, inner) => {
    if (previous.status !== 'RUNNING')
      throw await refusalInState(inner, scenarioStates, previous, 'The scenario is not running.')
    const implied = { status, failure: failure ?? null, ...(lastRunAt !== undefined && { lastRunAt }) }
    return { operation: 'UPDATE' as const, values: {}, implied }
  })
}
