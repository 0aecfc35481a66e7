import { transientError } from '../../kernel/database/transient-error.ts'
import { Refusal } from '../../kernel/errors.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import type { Leased, Outcome, Queue } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { hasWaitedLong, waiting, waitRefusal } from '../bulk-job/load/pause.ts'
import { passes } from '../bulk-job/load/row-problem.ts'
import { undoRun } from './undo-job.migrations.ts'
import { EventsWaiting, JobEnded, JobFailure, requireLease, type RunItem, type Turn } from './undo-lease.ts'
import { endJob } from './undo-progress.ts'
import { step } from './undo-steps.ts'

/** Records of one transaction. */
const batchSize = 200
/** Attempts in a row that ended with an error that nobody foresaw, or with their process. */
const attemptsMax = 20

const isForeseen = (error: unknown): boolean =>
  error instanceof JobEnded ||
  error instanceof JobFailure ||
  error instanceof EventsWaiting ||
  error instanceof Refusal ||
  transientError(error) !== null

/** A transaction that fails for a reason that nobody foresaw is tried with half of its records, down to the one that is to blame. */
async function batch(turn: Turn, size = batchSize): Promise<boolean> {
  try {
    return await step(turn, size, false)
  } catch (error) {
    if (isForeseen(error)) throw error
    if (size > 1) return batch(turn, Math.ceil(size / 2))
    turn.services.log.error({ err: error, undoJobId: turn.item.id }, 'a record of an undo job could not be processed')
    return step(turn, 1, true)
  }
}

async function fail(turn: Turn, { code, message }: { code: string; message: string }): Promise<Outcome> {
  const { services, organizationId, item } = turn
  // The user may be gone, so the platform ends the job.
  await services.database.transaction(async (db) => {
    await requireLease(db, turn, true)
    await endJob({ db, clock: services.clock }, organizationId, item.id, { status: 'FAILED', error: { code, message } })
  })
  return { end: 'DONE' }
}

/** Waits to go on; a job that has waited for a day in vain fails. */
async function pause(turn: Turn, error: Error): Promise<Outcome> {
  const { services, item, organizationId } = turn
  const refusal = waitRefusal(error)
  if (hasWaitedLong(item)) return fail(turn, refusal)
  await services.database.query(
    `update records.undo_job set error_message = $3 where organization_id = $1 and id = $2 and job_status in ('QUEUED', 'RUNNING')`,
    [organizationId, item.id, refusal.message],
  )
  return waiting(refusal, item)
}

async function attempt(services: Services, item: Leased<RunItem>, signal: AbortSignal): Promise<Outcome> {
  const turn = { services, item, organizationId: item.organization! }
  // Attempts that ended their process, or did not end, are not repeated for ever.
  if (item.attempts > attemptsMax || (item.attempts === attemptsMax && item.lostToken !== null))
    return fail(turn, { code: 'INTERRUPTED', message: 'Processes that worked on it ended repeatedly.' })
  try {
    return await inBatches(signal, () => batch(turn))
  } catch (error) {
    if (error instanceof JobEnded) return { end: 'DONE' }
    if (error instanceof EventsWaiting) return { retry: '', isWait: true, afterMs: 500 }
    if (error instanceof JobFailure) return fail(turn, error)
    if (error instanceof Refusal && !passes(error)) return fail(turn, error)
    if (error instanceof Refusal || transientError(error)) return pause(turn, error as Error)
    if (item.attempts < attemptsMax) throw error
    services.log.error({ err: error, undoJobId: item.id }, 'an undo job has failed')
    return fail(turn, { code: 'INTERNAL', message: 'The job could not be processed.' })
  }
}

/** Undoes many records, a batch in each transaction: one job of an organization at a time, the organizations in turn. */
export const undoQueue: Queue<RunItem> = {
  ...inTurns(),
  ...undoRun,
  columns: 'pauses',
  // The job is FAILED before the queue gives up.
  attemptsMax: () => 10 * attemptsMax,
  attempt,
}
