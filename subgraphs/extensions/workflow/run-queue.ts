import { actingCaller } from '../../identity/public.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Leased, Outcome, Queue } from '../../kernel/queue/queue.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { interruptionsMax, keptDays, stepMsMax, turnMs } from './bounds.ts'
import { executeSteps } from './execute-steps.ts'
import { cancelOpenSteps, readRun } from './run-store.ts'
import { LeaseLost, writeSettled, type RunItem, type Settled, type Turn } from './run-write.ts'
import { runTable } from './workflow.migrations.ts'

const dayMs = 86_400_000
const attemptMsMax = turnMs + stepMsMax
/** The turns decide themselves when a run has failed. */
const attemptsMax = 1_000

/** Executes the steps of runs, in turns, fairly by organization and workflow. */
export const runQueue: Queue<RunItem> = {
  ...runTable,
  columns: 'workflow_id as "workflowId"',
  leaseMs: attemptMsMax + 20_000,
  attemptMsMax,
  lanes: { fresh: 8, retry: 4 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => Math.min(2_000 * 4 ** (attempts - 1), 120_000),
  retentionMs: keptDays * dayMs,
  failureLevel: 'debug',
  attempt: takeTurn,
}

/** The turn records its outcome itself, in one statement with what has happened. */
const recorded: Outcome = { end: 'RECORDED' }

async function takeTurn(services: Services, item: Leased<RunItem>): Promise<Outcome> {
  const organizationId = item.organization!
  const run = await readRun(services.database, organizationId, item.id)
  if (!run) return recorded
  const turn: Turn = { ctx: systemContext(services, organizationId), run, item }
  try {
    return await turnOf(services, turn)
  } catch (error) {
    if (error instanceof LeaseLost) return recorded
    if (item.attempts < interruptionsMax) throw error
    services.log.error({ err: error, runId: run.id }, 'a run of a workflow has failed')
    await end(turn, 'FAILED', 'INTERRUPTED', 'The run was interrupted repeatedly.')
    return recorded
  }
}

const end = (turn: Turn, status: Settled['status'], code: string, message: string): Promise<void> =>
  writeSettled(turn, {
    step: null,
    cursor: { ...turn.run.cursor, isOpen: false },
    status,
    failure: { code, message, stepId: turn.run.cursor.next },
  })

async function turnOf(services: Services, turn: Turn): Promise<Outcome> {
  const { run, item } = turn
  const isBegun = run.startedAt !== null
  if (run.isDeleted) {
    await end(turn, isBegun ? 'CANCELLED' : 'SKIPPED', 'WORKFLOW_DELETED', 'The workflow was deleted.')
    await cancelOpenSteps(services.database, run.organizationId, run.id, services.clock.now().toISOString())
    return recorded
  }
  if (!isBegun && run.workflowStatus !== 'ACTIVE') {
    await end(turn, 'SKIPPED', 'WORKFLOW_PAUSED', 'The workflow was paused before the run began.')
    return recorded
  }
  // Turns that ended their process are not repeated for ever.
  if (item.attempts > interruptionsMax && item.lostToken !== null) {
    await end(turn, 'FAILED', 'INTERRUPTED', 'The run was interrupted repeatedly.')
    return recorded
  }
  const caller = await actingCaller(services.database, {
    organizationId: run.organizationId,
    userId: run.runAsUserId,
    scopes: ['*'],
    runAsAdmin: true,
    origin: { kind: 'WORKFLOW', id: run.workflowId, runId: run.id },
    depth: run.depth,
  })
  if (!caller) {
    await end(turn, 'FAILED', 'RUN_AS_USER_INACTIVE', 'The user as whom the workflow acts is not active.')
    return recorded
  }
  const isOver = await executeSteps(services, turn, caller)
  return isOver ? recorded : { retry: '', isWait: true, afterMs: 0 }
}

const batch = 2_000
const batchesMax = 100

/** Deletes runs that ended more than 30 days ago with their steps. */
export const forgetRuns: Job = {
  name: 'workflows.forgetRuns',
  cron: '35 * * * *',
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs).toISOString()
    for (let round = 0; round < batchesMax; round++) {
      const deleted = await database.query(
        `with old as (
           select organization_id, id from ${runTable.table} where created_at < $1 and state <> 'QUEUED' and ended_at < $1
           order by created_at limit ${batch}
         ), steps as (
           delete from extensions.workflow_run_step s using old where s.organization_id = old.organization_id and s.run_id = old.id
         )
         delete from ${runTable.table} r using old where r.organization_id = old.organization_id and r.id = old.id returning 1`,
        [before],
        'WRITE',
      )
      if (deleted.length < batch) break
    }
  },
}
