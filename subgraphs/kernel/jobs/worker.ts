import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import type * as Queue from 'graphile-worker'
import type { CronItem, Runner, RunnerOptions } from 'graphile-worker'
import pg from 'pg'
import { Histogram } from 'prom-client'
import type { Logger } from 'pino'
import { failureReason } from '../database/failure-reason.ts'
import { newId } from '../ids.ts'
import type { Services } from '../request.ts'
import { servicesFor } from '../services-for.ts'
import { activeTracing, inSpan } from '../tracing/tracing.ts'
import type { Job } from './job.ts'
import { lockOf } from '../database/locks.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly jobs: readonly Job[]
  readonly services: Services
}

export interface Worker {
  /** Starts no more jobs, waits for the running ones, then resolves. */
  stop(): Promise<void>
}

const concurrency = 2
const restartMs = 3_000
const failuresMax = 2 * concurrency
const hourMs = 3_600_000

/**
 * Runs the jobs at their cron times; each tick is run by one of the workers. graphile-worker is imported here and not at the top of
 * the file, so that a process serves requests sooner.
 */
export async function startWorker({ databaseUrl, jobs, services }: WorkerOptions): Promise<Worker> {
  const log = services.log.child({ part: 'worker' })
  const queue = await import('graphile-worker')
  const pool = openPool(databaseUrl, log)
  const options: RunnerOptions = {
    pgPool: pool,
    logger: queueLogger(queue, log),
    noHandleSignals: true,
    taskList: Object.fromEntries(jobs.map((job) => [job.name, () => runWithLock(pool, job, services)])),
    parsedCronItems: queue.parseCronItems(jobs.map(cronItem)),
    // Completions are written in batches, because only then `stop` waits for them and a lost connection does not lose them.
    preset: { worker: { concurrentJobs: concurrency, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  }
  let isPrepared = false
  const start = async (): Promise<Runner> => {
    if (!isPrepared) await prepareQueue(queue, options)
    isPrepared = true
    return runUntilStuck(queue, options)
  }
  try {
    const stopRunning = await keepRunning(start, log)
    return {
      async stop() {
        await stopRunning()
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** Creates the tables of the queue, and deletes jobs that have failed permanently. */
async function prepareQueue(queue: typeof Queue, options: RunnerOptions): Promise<void> {
  const utils = await queue.makeWorkerUtils({ pgPool: options.pgPool!, logger: options.logger! })
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] })
  } finally {
    await utils.release()
  }
}

/**
 * Runs the queue until it fails to fetch jobs several times in succession. graphile-worker caches the failure of its first statement
 * and repeats it for every later fetch, so only a new queue can recover.
 */
async function runUntilStuck(queue: typeof Queue, options: RunnerOptions): Promise<Runner> {
  const events = new EventEmitter()
  const runner = await queue.run({ ...options, events })
  let failures = 0
  const resetFailures = () => void (failures = 0)
  events.on('worker:getJob:empty', resetFailures).on('job:start', resetFailures)
  events.on('worker:getJob:error', () => {
    failures += 1
    if (failures === failuresMax) runner.stop().catch(() => {})
  })
  return runner
}

/** Starts a new queue when one has ended or could not reach the database. Returns a function that stops it. */
async function keepRunning(start: () => Promise<Runner>, log: Logger): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const { signal } = stopping
  const stopRunner = async () => runner?.stop().catch(() => {})
  const logEnd = (error: unknown): null => {
    log.error({ reason: (error as Error).message }, 'the job queue ended')
    return null
  }
  let runner: Runner | null = await start().catch((error: unknown) => {
    if (failureReason(error) === null) throw error
    return logEnd(error)
  })
  const supervise = async (): Promise<void> => {
    while (!signal.aborted) {
      await runner?.promise.catch(logEnd)
      if (!signal.aborted) await delay(restartMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) runner = await start().catch(logEnd)
    }
    await stopRunner()
  }
  const ended = supervise()
  return async () => {
    stopping.abort()
    await stopRunner()
    await ended
  }
}

function queueLogger({ Logger: QueueLogger }: typeof Queue, log: Logger): RunnerOptions['logger'] {
  return new QueueLogger(() => (level, message, meta) => {
    const isTrouble = level === 'error' || level === 'warning'
    log[isTrouble ? 'warn' : 'debug']({ err: meta?.['error'] }, message)
  })
}

/** A separate pool for the queue: one connection each for LISTEN and fetching, and one for the lock of each running job. */
function openPool(databaseUrl: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: concurrency + 2,
    connectionTimeoutMillis: 10_000,
    application_name: 'worker',
  })
  const broke = (error: Error) => {
    if (!pool.ending) log.warn({ reason: error.message }, 'a database connection of the worker broke')
  }
  pool.on('error', broke)
  pool.on('connect', (client) => client.on('error', broke))
  return pool
}

/**
 * The job key lets each tick replace the job of the previous tick: a failed job starts again. A locked job, which still runs or
 * belongs to a killed worker, loses its key and does not block the new one. Missed ticks are run later only for jobs that run hourly
 * or less often.
 */
function cronItem({ name, cron }: Job): CronItem {
  const [first, second] = new Cron(cron, { timezone: 'UTC' }).nextRuns(2)
  const intervalMs = second!.getTime() - first!.getTime()
  return { task: name, match: cron, options: { jobKey: name, backfillPeriod: intervalMs >= hourMs ? intervalMs : 0 } }
}

const runs = new Histogram({
  name: 'crm_job_duration_seconds',
  help: 'Seconds of the runs of scheduled jobs in this process: done or failed.',
  labelNames: ['job', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
})

async function runMeasured(job: Job, services: Services): Promise<void> {
  const startedMs = performance.now()
  let outcome: 'done' | 'failed' = 'failed'
  try {
    const tracing = activeTracing()
    await (tracing ? inSpan(tracing, `job ${job.name}`, {}, () => job.run(services)) : job.run(services))
    outcome = 'done'
  } finally {
    runs.observe({ job: job.name, outcome }, (performance.now() - startedMs) / 1000)
  }
}

/** Runs a job only if no other run of it is in progress. The advisory lock ends with its session, also when the worker is killed. */
async function runWithLock(pool: pg.Pool, job: Job, services: Services): Promise<void> {
  const client = await pool.connect()
  let isLocked = false
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockOf('job')}) as taken`, [
      job.name,
    ])
    isLocked = rows[0]!.taken
    if (isLocked) await runMeasured(job, servicesFor(services, `${job.name}/${newId()}`))
  } finally {
    // A connection that may still hold the lock must not return to the pool.
    const unlocked =
      !isLocked ||
      (await client.query(`select pg_advisory_unlock(${lockOf('job')})`, [job.name]).then(
        () => true,
        () => false,
      ))
    client.release(!unlocked)
  }
}
