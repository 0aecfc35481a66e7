import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import type * as Queue from 'graphile-worker'
import type { CronItem, Runner, RunnerOptions } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { failureReason } from '../database/failure-reason.ts'
import type { Services } from '../request.ts'
import type { Job } from './job.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly jobs: readonly Job[]
  readonly services: Services
}

export interface Worker {
  /** Starts nothing more, finishes what runs, then resolves. */
  stop(): Promise<void>
}

const concurrency = 2
const restartMs = 3_000
const failuresMax = 2 * concurrency
const hourMs = 3_600_000

/**
 * Runs the jobs by their cron times; of any number of workers one takes each tick. The queue is loaded here and not when
 * this file is, so that a process can serve first.
 */
export async function startWorker({ databaseUrl, jobs, services }: WorkerOptions): Promise<Worker> {
  const log = services.log.child({ part: 'worker' })
  const queue = await import('graphile-worker')
  const pool = openPool(databaseUrl, log)
  const options: RunnerOptions = {
    pgPool: pool,
    logger: queueLogger(queue, log),
    noHandleSignals: true,
    taskList: Object.fromEntries(jobs.map((job) => [job.name, () => runAlone(pool, job, services)])),
    parsedCronItems: queue.parseCronItems(jobs.map(cronItem)),
    // Batches, even of one, are what `stop` waits for and what outlives a lost connection.
    preset: { worker: { concurrentJobs: concurrency, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  }
  let isPrepared = false
  const start = async (): Promise<Runner> => {
    if (!isPrepared) await prepare(queue, options)
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

/** The queue's tables, without jobs that have failed for good. */
async function prepare(queue: typeof Queue, options: RunnerOptions): Promise<void> {
  const utils = await queue.makeWorkerUtils({ pgPool: options.pgPool!, logger: options.logger! })
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] })
  } finally {
    await utils.release()
  }
}

/**
 * A queue whose very first statement fails keeps that failure and answers every later fetch with it. One that fails to fetch
 * again and again is ended.
 */
async function runUntilStuck(queue: typeof Queue, options: RunnerOptions): Promise<Runner> {
  const events = new EventEmitter()
  const runner = await queue.run({ ...options, events })
  let failures = 0
  const noteFetch = () => void (failures = 0)
  events.on('worker:getJob:empty', noteFetch).on('job:start', noteFetch)
  events.on('worker:getJob:error', () => {
    failures += 1
    if (failures === failuresMax) runner.stop().catch(() => {})
  })
  return runner
}

/** A queue that is stuck, or found no database, is followed by another one. Gives what ends it. */
async function keepRunning(start: () => Promise<Runner>, log: Logger): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const { signal } = stopping
  const stopRunner = async () => runner?.stop().catch(() => {})
  const noteEnd = (error: unknown): null => {
    log.error({ reason: (error as Error).message }, 'the queue ended')
    return null
  }
  let runner: Runner | null = await start().catch((error: unknown) => {
    if (failureReason(error) === null) throw error
    return noteEnd(error)
  })
  const supervise = async (): Promise<void> => {
    while (!signal.aborted) {
      await runner?.promise.catch(noteEnd)
      if (!signal.aborted) await delay(restartMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) runner = await start().catch(noteEnd)
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

/** Connections for the queue alone: listening, fetching and the lock of each running job. */
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
 * The key makes each tick replace the job of the tick before: one that failed starts anew, one that is locked (it runs
 * still, or its worker was killed) steps aside. Ticks that no worker saw are made up for where the next is far away.
 */
function cronItem({ name, cron }: Job): CronItem {
  const [first, second] = new Cron(cron, { timezone: 'UTC' }).nextRuns(2)
  const intervalMs = second!.getTime() - first!.getTime()
  return { task: name, match: cron, options: { jobKey: name, backfillPeriod: intervalMs >= hourMs ? intervalMs : 0 } }
}

/** The lock belongs to a database session: it keeps a tick from running beside a slow one, and ends with a worker that is killed. */
async function runAlone(pool: pg.Pool, job: Job, services: Services): Promise<void> {
  const client = await pool.connect()
  let isLocked = false
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 11)) as taken',
      [job.name],
    )
    isLocked = rows[0]!.taken
    if (isLocked) await job.run(services)
  } finally {
    // A session that may still hold the lock is not given back.
    const unlocked =
      !isLocked ||
      (await client.query('select pg_advisory_unlock(hashtextextended($1, 11))', [job.name]).then(
        () => true,
        () => false,
      ))
    client.release(!unlocked)
  }
}
