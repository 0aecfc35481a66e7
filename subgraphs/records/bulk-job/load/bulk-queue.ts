import { lockOf } from '../../../kernel/database/locks.ts'
import { transientError } from '../../../kernel/database/transient-error.ts'
import { Refusal } from '../../../kernel/errors.ts'
import type { Leased, Outcome, Queue } from '../../../kernel/queue/queue.ts'
import { inTransaction, type Services } from '../../../kernel/request.ts'
import { bulkRun, runningMax } from '../bulk-job.migrations.ts'
import { endJob } from '../end-job.ts'
import { exportRecords } from '../export/export-records.ts'
import { readJob, type StoredJob } from '../stored-job.ts'
import { platformContext } from './job-context.ts'
import { JobEnded, JobFailure, requireLease, type RunItem } from './lease.ts'
import { loadAtOnce, loadTurn } from './load-file.ts'
import { hasWaitedLong, waiting, waitRefusal } from './pause.ts'
import { passes } from './row-problem.ts'

const dayMs = 86_400_000
const attemptsMax = 20
/** An export begins anew with each attempt. */
const exportAttemptsMax = 6
/** A job is processed for so long, then the jobs of other organizations have their turns. */
const turnMs = 15_000
const attemptMsMax = 240_000

/** Loads the files of jobs in turns, the organizations one after another, and writes the files of exports. */
export const bulkQueue: Queue<RunItem> = {
  ...bulkRun,
  columns: 'pauses',
  leaseMs: attemptMsMax + 20_000,
  attemptMsMax,
  lanes: { fresh: 3, retry: 2 },
  attemptsMax: () => attemptsMax,
  retryAfterMs: ({ attempts }) => Math.min(1_000 * 2 ** (attempts - 1), 60_000),
  retentionMs: dayMs,
  attempt,
}

/** Begins a job, unless as many of its organization are in progress as may be. */
async function begin(services: Services, item: Leased<RunItem>): Promise<boolean> {
  const organizationId = item.organization!
  return services.database.transaction(async (sql) => {
    await requireLease({ db: sql }, item)
    await sql.query(`select pg_advisory_xact_lock(${lockOf('bulkJobs')})`, [organizationId], 'WRITE')
    const [row] = await sql.query<{ count: number }>(
      `select count(*)::int as count from records.bulk_job where organization_id = $1 and job_state = 'IN_PROGRESS' and id <> $2`,
      [organizationId, item.id],
      'WRITE',
    )
    if (row!.count >= runningMax) return false
    await sql.query(
      `update records.bulk_job set job_state = 'IN_PROGRESS', started_at = $3 where organization_id = $1 and id = $2 and job_state = 'UPLOAD_COMPLETE'`,
      [organizationId, item.id, services.clock.now().toISOString()],
      'WRITE',
    )
    return true
  })
}

/** Also of a job that could not be begun. */
const isUnfinished = ({ state }: StoredJob): boolean => state === 'UPLOAD_COMPLETE' || state === 'IN_PROGRESS'

async function fail(
  services: Services,
  item: Leased<RunItem>,
  { code, message }: { code: string; message: string },
): Promise<Outcome> {
  const organizationId = item.organization!
  const job = await readJob(services.database, organizationId, item.id)
  if (!job || !isUnfinished(job)) return { end: 'DONE' }
  // The user may be gone, so the platform ends the job.
  const ctx = platformContext(services, organizationId, job)
  await inTransaction(ctx, async (inner) => {
    await requireLease(inner, item)
    const current = await readJob(inner.db, organizationId, job.id, { isLocked: true })
    if (current && isUnfinished(current)) await endJob(inner, current, { state: 'FAILED', error: { code, message } })
  })
  return { end: 'DONE' }
}

async function attempt(services: Services, item: Leased<RunItem>, signal: AbortSignal): Promise<Outcome> {
  try {
    return await process(services, item, signal)
  } catch (error) {
    if (error instanceof JobEnded) return { end: 'DONE' }
    if (error instanceof JobFailure) return fail(services, item, error)
    if (error instanceof Refusal && !passes(error)) return fail(services, item, error)
    if (error instanceof Refusal || transientError(error)) return pause(services, item, error as Error)
    if (item.attempts < attemptsMax) throw error
    services.log.error({ err: error, bulkJobId: item.id }, 'a bulk job has failed')
    return fail(services, item, { code: 'INTERNAL', message: 'The job could not be processed.' })
  }
}

/** Waits to go on; a job that has waited for a day in vain fails. */
async function pause(services: Services, item: Leased<RunItem>, error: Error): Promise<Outcome> {
  const refusal = waitRefusal(error)
  if (hasWaitedLong(item)) return fail(services, item, refusal)
  await services.database.query(
    `update records.bulk_job set error_message = $3 where organization_id = $1 and id = $2 and job_state = 'IN_PROGRESS'`,
    [item.organization, item.id, refusal.message],
  )
  return waiting(refusal, item)
}

async function process(services: Services, item: Leased<RunItem>, signal: AbortSignal): Promise<Outcome> {
  const organizationId = item.organization!
  if (!(await begin(services, item))) return { retry: '', isWait: true, afterMs: 2_000 }
  const job = await readJob(services.database, organizationId, item.id)
  if (!job || job.state !== 'IN_PROGRESS') return { end: 'DONE' }
  // Attempts that ended their process are not repeated for ever.
  const lostMax = job.operation === 'EXPORT' ? exportAttemptsMax : attemptsMax
  if (item.attempts >= lostMax && item.lostToken !== null)
    return fail(services, item, { code: 'INTERRUPTED', message: 'Processes that worked on it ended repeatedly.' })
  const turn = { services, item, job, organizationId, signal, endMs: performance.now() + turnMs }
  const work = job.operation === 'EXPORT' ? exportRecords : job.options.allOrNone ? loadAtOnce : loadTurn
  const isDone = await work(turn)
  return isDone ? { end: 'DONE' } : { retry: '', isWait: true, afterMs: 0 }
}
