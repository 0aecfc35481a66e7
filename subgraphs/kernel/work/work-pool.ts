import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { Refusal } from '../errors.ts'
import { RoundRobinQueue, type QueueBounds } from './round-robin-queue.ts'
import type { Order, Outcome, Tasks } from './serve-tasks.ts'
import type { KernelTasks } from './thread.ts'

interface Job {
  readonly organizationId: string
  readonly order: Order
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  deadline: NodeJS.Timeout
}

interface Thread {
  readonly worker: Worker
  job: Job | null
}

export interface WorkPoolOptions extends QueueBounds {
  /** The file that a thread runs; it calls `serveTasks`. */
  readonly file: URL
  readonly threadsMax: number
  /** For waiting and running together. */
  readonly deadlineMs: number
  readonly memoryMbMax: number
}

// One core is left to the event loop where there are two.
const defaults: WorkPoolOptions = {
  file: new URL(`./thread${import.meta.url.slice(-3)}`, import.meta.url),
  threadsMax: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waitingMax: 64,
  waitingOfOneMax: 8,
  deadlineMs: 10_000,
  memoryMbMax: 128,
}

const retryAfter = 1
const full = (): Refusal => new Refusal('UNAVAILABLE', 'Too much waits to be worked on; try again.', { retryAfter })
const late = (): Refusal => new Refusal('UNAVAILABLE', 'The work was not done in time; try again.', { retryAfter })
const lost = (): Refusal => new Refusal('UNAVAILABLE', 'The work ended before it was done; try again.', { retryAfter })

/**
 * Work that would hold the event loop, done in threads. Waiting is bounded and fair between organizations, and where there are two
 * threads or more one organization leaves one to the others. A thread that dies or takes too long is ended, and the next work gets
 * another one.
 */
export class WorkPool<T extends Tasks = KernelTasks> {
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

  run<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    organizationId: string,
  ): Promise<ReturnType<T[Name]>> {
    return new Promise((resolve, reject) => {
      const take = resolve as (value: unknown) => void
      const job: Job = { organizationId, order: { name, input }, resolve: take, reject, deadline: undefined! }
      if (this.#isClosed || !this.#queue.add(job)) return reject(full())
      job.deadline = setTimeout(() => this.#giveUp(job), this.#options.deadlineMs)
      this.#assign()
    })
  }

  /** Ends every thread. Whoever still waits is told to come again. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#queue.takeAll()) this.#refuse(job, lost())
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #assign(): void {
    const { threadsMax } = this.#options
    const ofOneMax = Math.max(1, threadsMax - 1)
    const runs = (organizationId: string): number =>
      [...this.#threads].filter(({ job }) => job?.organizationId === organizationId).length
    for (;;) {
      const idle = [...this.#threads].find(({ job }) => job === null)
      if (!idle && this.#threads.size >= threadsMax) return
      const job = this.#queue.take((organizationId) => runs(organizationId) < ofOneMax)
      if (!job) return
      const thread = idle ?? this.#open()
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.order)
    }
  }

  #open(): Thread {
    const { file, memoryMbMax } = this.#options
    // Its environment is empty: what it works on is the tenants', and no secret is needed for it.
    const worker = new Worker(file, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    })
    const thread: Thread = { worker, job: null }
    this.#threads.add(thread)
    worker.on('message', (outcome: Outcome) => this.#finish(thread, outcome))
    worker.on('error', (error) => this.#log.warn({ reason: error.message }, 'a thread failed'))
    worker.on('exit', () => {
      this.#threads.delete(thread)
      if (thread.job) this.#refuse(thread.job, lost())
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
    this.#refuse(job, late())
  }

  #refuse(job: Job, refusal: Refusal): void {
    clearTimeout(job.deadline)
    job.reject(refusal)
  }
}
