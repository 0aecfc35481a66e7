import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { Refusal } from '../errors.ts'
import { RoundRobinQueue, type QueueBounds } from './round-robin-queue.ts'
import type { TaskMessage, Outcome } from './thread.ts'
import type { ThreadTask } from './thread-task.ts'

interface Job {
  readonly organizationId: string
  readonly message: TaskMessage
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  deadline: NodeJS.Timeout
}

interface Thread {
  readonly worker: Worker
  job: Job | null
}

export interface WorkPoolOptions extends QueueBounds {
  readonly threadsMax: number
  /** Maximum time of a task, waiting and running together. */
  readonly deadlineMs: number
  readonly memoryMbMax: number
}

const threadFile = new URL(`./thread${import.meta.url.slice(-3)}`, import.meta.url)

// One core is left for the event loop when there are at least two.
const defaults: WorkPoolOptions = {
  threadsMax: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waitingMax: 64,
  waitingPerOrganizationMax: 8,
  deadlineMs: 10_000,
  memoryMbMax: 128,
}

const retryAfter = 1
const queueFull = (): Refusal => new Refusal('UNAVAILABLE', 'Too many tasks are waiting; retry in 1 s.', { retryAfter })
const deadlinePassed = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The task did not finish in time; retry in 1 s.', { retryAfter })
const threadEnded = (): Refusal => new Refusal('UNAVAILABLE', 'The task was interrupted; retry in 1 s.', { retryAfter })

/** What callers need of the pool. */
export type Work = Pick<WorkPool, 'run'>

/**
 * Runs tasks that would block the event loop in worker threads. The queue is bounded and fair between organizations. With two or
 * more threads, one organization leaves at least one to the others. A thread whose task exceeds its deadline is terminated, and the
 * next task gets a new thread.
 */
export class WorkPool {
  readonly #log: Logger
  readonly #options: WorkPoolOptions
  readonly #queue: RoundRobinQueue<Job>
  readonly #threads = new Set<Thread>()
  #isClosed = false

  constructor(log: Logger, options: Partial<WorkPoolOptions> = {}) {
    this.#log = log
    this.#options = { ...defaults, ...options }
    this.#queue = new RoundRobinQueue(this.#options)
  }

  /** Refuses with `UNAVAILABLE` when too many tasks are waiting, or the task does not finish in time. */
  run<Input, Value>({ module, name }: ThreadTask<Input, Value>, input: Input, organizationId: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      const take = resolve as (value: unknown) => void
      const job: Job = { organizationId, message: { module, name, input }, resolve: take, reject, deadline: undefined! }
      if (this.#isClosed || !this.#queue.add(job)) return reject(queueFull())
      job.deadline = setTimeout(() => this.#giveUp(job), this.#options.deadlineMs)
      this.#assign()
    })
  }

  /** Terminates all threads, and refuses the waiting tasks with `UNAVAILABLE`. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#queue.takeAll()) this.#refuse(job, threadEnded())
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #assign(): void {
    const { threadsMax } = this.#options
    const threadsPerOrganizationMax = Math.max(1, threadsMax - 1)
    const runs = (organizationId: string): number =>
      [...this.#threads].filter(({ job }) => job?.organizationId === organizationId).length
    for (;;) {
      const idle = [...this.#threads].find(({ job }) => job === null)
      if (!idle && this.#threads.size >= threadsMax) return
      const job = this.#queue.take((organizationId) => runs(organizationId) < threadsPerOrganizationMax)
      if (!job) return
      const thread = idle ?? this.#open()
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.message)
    }
  }

  #open(): Thread {
    const { memoryMbMax } = this.#options
    // Empty environment: a thread processes tenants' data and must not have access to secrets.
    const worker = new Worker(threadFile, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    })
    const thread: Thread = { worker, job: null }
    this.#threads.add(thread)
    worker.on('message', (outcome: Outcome) => this.#finish(thread, outcome))
    worker.on('error', (error) => this.#log.warn({ reason: error.message }, 'a worker thread failed'))
    worker.on('exit', () => {
      this.#threads.delete(thread)
      if (thread.job) this.#refuse(thread.job, threadEnded())
      if (!this.#isClosed) this.#assign()
    })
    return thread
  }

  #finish(thread: Thread, outcome: Outcome): void {
    const { job } = thread
    if (!job) return
    thread.job = null
    thread.worker.unref()
    clearTimeout(job.deadline)
    if ('value' in outcome) job.resolve(outcome.value)
    else job.reject(new Error(outcome.failed))
    this.#assign()
  }

  #giveUp(job: Job): void {
    if (!this.#queue.remove(job)) void [...this.#threads].find((thread) => thread.job === job)?.worker.terminate()
    this.#refuse(job, deadlinePassed())
  }

  #refuse(job: Job, refusal: Refusal): void {
    clearTimeout(job.deadline)
    job.reject(refusal)
  }
}
