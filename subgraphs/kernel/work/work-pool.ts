import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Refusal } from '../errors.ts'
import { RecentUse } from './recent-use.ts'
import { RoundRobinQueue } from './round-robin-queue.ts'
import { isOutside, shareOf, type Cause } from './share.ts'
import { deadlinePassed, TaskNotBegun, threadEnded } from './task-refusals.ts'
import type { TaskMessage, Outcome } from './thread.ts'
import type { ThreadTask } from './thread-task.ts'

interface Job {
  /** Its share of the work: the organization, or the people outside of it. */
  readonly organizationId: string
  readonly message: TaskMessage
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  /** While it waits, that of waiting; then that of running. */
  deadline: NodeJS.Timeout
}

interface Thread {
  readonly worker: Worker
  job: Job | null
  isOnline: boolean
  /** It was terminated; until it has ended it counts as a thread. */
  isEnding: boolean
  /** When its task began. */
  beganMs: number
}

export interface WorkPoolOptions {
  readonly threadsMax: number
  readonly waitingMax: number
  readonly waitingPerOrganizationMax: number
  readonly waitingOutsideMax: number
  /** A task that has not begun after this time is refused, and one without a chance to begin by then at once. */
  readonly waitMsMax: number
  /** Maximum time of a task from its start. */
  readonly runMsMax: number
  readonly memoryMbMax: number
  /** Shares that used so much CPU lately leave a thread to those that used less. */
  readonly muchMs: number
}

const threadFile = new URL(`./thread${import.meta.url.slice(-3)}`, import.meta.url)

// One core is left for the event loop when there are at least three. One thread would make everybody wait for each task.
const defaults: WorkPoolOptions = {
  threadsMax: Math.max(2, Math.min(4, availableParallelism() - 1)),
  waitingMax: 128,
  waitingPerOrganizationMax: 16,
  waitingOutsideMax: 4,
  waitMsMax: 15_000,
  runMsMax: 10_000,
  memoryMbMax: 128,
  muchMs: 2_000,
}

/** A task is refused at once when it is expected to wait so many times as long as it may. The first tasks of a thread take longer than others. */
const hopeless = 2
/** Shares whose use differs by less are equal, and are served in turn. */
const stepMs = 50

/** What callers need of the pool. */
export type Work = Pick<WorkPool, 'run'>

/**
 * Runs tasks that would block the event loop in worker threads. An organization is charged the CPU time of its tasks: the next task is that of
 * the one that used least lately. Tasks caused by people outside of the organization, such as readers of its public pages, are a share of
 * their own with one thread. One share, those outside, and those that used much, each leave a thread to the others. A thread whose
 * task exceeds its time is terminated, and the next task gets a new thread.
 */
export class WorkPool {
  readonly #log: Logger
  readonly #options: WorkPoolOptions
  readonly #queue: RoundRobinQueue<Job>
  readonly #threads = new Set<Thread>()
  readonly #use = new RecentUse()
  #isClosed = false

  constructor(log: Logger, options: Partial<WorkPoolOptions> = {}) {
    this.#log = log
    this.#options = { ...defaults, ...options }
    this.#queue = new RoundRobinQueue(this.#options)
  }

  /** Refuses with `UNAVAILABLE`: a `TaskNotBegun` when too many tasks are waiting, another refusal when the task did not finish in time. */
  run<Input, Value>(
    { module, name }: ThreadTask<Input, Value>,
    input: Input,
    organizationId: string,
    cause: Cause = 'ORGANIZATION',
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      const take = resolve as (value: unknown) => void
      const share = shareOf(organizationId, cause)
      const message = { module, name, input }
      const job: Job = { organizationId: share, message, resolve: take, reject, deadline: undefined! }
      const waitMs = this.#expectedWaitMs(share)
      const hasRoom = this.#hasRoom(share)
      if (this.#isClosed || this.#isHopeless(waitMs) || !hasRoom || !this.#queue.add(job)) {
        const isOwnLoad = !this.#isClosed && (!hasRoom || this.#isHopeless(this.#expectedWaitMs(share, true)))
        return reject(new TaskNotBegun(waitMs, isOwnLoad))
      }
      job.deadline = setTimeout(() => this.#giveUpWaiting(job), this.#options.waitMsMax)
      this.#assign()
    })
  }

  /** Terminates all threads, and refuses the waiting tasks with `UNAVAILABLE`. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#queue.takeAll()) this.#refuse(job, threadEnded())
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #hasRoom(share: string): boolean {
    const { waitingOutsideMax, waitingPerOrganizationMax } = this.#options
    return this.#queue.countOf(share) < (isOutside(share) ? waitingOutsideMax : waitingPerOrganizationMax)
  }

  #isHopeless(waitMs: number): boolean {
    return waitMs > hopeless * this.#options.waitMsMax
  }

  #running(): (Thread & { job: Job })[] {
    return [...this.#threads].filter((thread): thread is Thread & { job: Job } => thread.job !== null)
  }

  #threadsOf(share: string): number {
    return isOutside(share) ? 1 : Math.max(1, this.#options.threadsMax - 1)
  }

  /** How long a further task of this share waits if its tasks take as long as before, and the threads are shared equally, or nobody else has any. */
  #expectedWaitMs(share: string, isAlone = false): number {
    const running = this.#running()
    const ahead = this.#queue.countOf(share) + running.filter(({ job }) => job.organizationId === share).length
    const sharing = new Set([share, ...this.#queue.organizations, ...running.map(({ job }) => job.organizationId)])
    const threads = Math.min(this.#threadsOf(share), this.#options.threadsMax / (isAlone ? 1 : sharing.size))
    return Math.max(0, ahead + 1 - threads) * (this.#use.taskMsOf(share) / threads)
  }

  /** The CPU that a share used lately, with the time of its running tasks. */
  #useOf(share: string, running: readonly (Thread & { job: Job })[], nowMs: number): number {
    const own = running.filter(({ job }) => job.organizationId === share)
    return own.reduce((sum, { beganMs }) => sum + nowMs - beganMs, this.#use.of(share))
  }

  #next(): Job | null {
    const running = this.#running()
    const nowMs = performance.now()
    const useOf = (share: string): number => this.#useOf(share, running, nowMs)
    const isLast = (share: string): boolean => isOutside(share) || useOf(share) >= this.#options.muchMs
    const leavesThread =
      running.filter(({ job }) => isLast(job.organizationId)).length < Math.max(1, this.#options.threadsMax - 1)
    const isAllowed = (share: string): boolean =>
      running.filter(({ job }) => job.organizationId === share).length < this.#threadsOf(share) &&
      (leavesThread || !isLast(share))
    return this.#queue.take(isAllowed, (share) => Math.floor(useOf(share) / stepMs))
  }

  #assign(): void {
    for (;;) {
      const idle = [...this.#threads].find(({ job, isEnding }) => job === null && !isEnding)
      if (!idle && this.#threads.size >= this.#options.threadsMax) return
      const job = this.#next()
      if (!job) return
      clearTimeout(job.deadline)
      const thread = idle ?? this.#open()
      thread.job = job
      thread.beganMs = performance.now()
      thread.worker.ref()
      thread.worker.postMessage(job.message)
      if (thread.isOnline) this.#limit(thread)
    }
  }

  /** The time of a task counts from its start: neither waiting nor the start of its thread is part of it. */
  #limit(thread: Thread): void {
    const { job } = thread
    if (!job) return
    thread.beganMs = performance.now()
    job.deadline = setTimeout(() => this.#stop(thread, job), this.#options.runMsMax)
  }

  #open(): Thread {
    const { memoryMbMax } = this.#options
    // Empty environment: a thread processes tenants' data and must not have access to secrets.
    const worker = new Worker(threadFile, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    })
    const thread: Thread = { worker, job: null, isOnline: false, isEnding: false, beganMs: 0 }
    this.#threads.add(thread)
    worker.on('online', () => {
      thread.isOnline = true
      this.#limit(thread)
    })
    worker.on('message', (outcome: Outcome) => this.#finish(thread, outcome))
    worker.on('error', (error) => this.#log.warn({ reason: error.message }, 'a worker thread failed'))
    worker.on('exit', () => {
      this.#threads.delete(thread)
      if (thread.job) {
        this.#chargeTime(thread, thread.job)
        this.#refuse(thread.job, threadEnded())
      }
      if (!this.#isClosed) this.#assign()
    })
    return thread
  }

  #finish(thread: Thread, outcome: Outcome): void {
    const { job } = thread
    if (!job) return
    this.#use.add(job.organizationId, outcome.cpuMs, outcome.ranMs)
    thread.job = null
    thread.worker.unref()
    clearTimeout(job.deadline)
    if ('value' in outcome) job.resolve(outcome.value)
    else job.reject(new Error(outcome.failed))
    this.#assign()
  }

  /** A thread that was ended cannot tell its CPU: then its time counts. */
  #chargeTime({ beganMs }: Thread, { organizationId }: Job): void {
    const ranMs = performance.now() - beganMs
    this.#use.add(organizationId, ranMs, ranMs)
  }

  #giveUpWaiting(job: Job): void {
    const { organizationId: share } = job
    const running = this.#running()
    // Others are not to blame while the share has its turns, or leaves its turns to them because it used so much.
    const isOwnLoad =
      running.some(({ job: { organizationId } }) => organizationId === share) ||
      this.#useOf(share, running, performance.now()) >= this.#options.muchMs
    if (this.#queue.remove(job)) job.reject(new TaskNotBegun(this.#expectedWaitMs(share), isOwnLoad))
  }

  #stop(thread: Thread, job: Job): void {
    this.#chargeTime(thread, job)
    thread.job = null
    thread.isEnding = true
    this.#refuse(job, deadlinePassed())
    void thread.worker.terminate()
  }

  #refuse(job: Job, refusal: Refusal): void {
    clearTimeout(job.deadline)
    job.reject(refusal)
  }
}
