import type { Logger } from 'pino'
import { RoundRobinQueue } from '../work/round-robin-queue.ts'
import { SandboxChild } from './child-process.ts'
import type { CallMessage, FromChild, ResultMessage, RunMessage } from './messages.ts'
import type { SandboxLog, SandboxStatus } from './sandbox.ts'

/** What the pool tells of an invocation; the child tells nothing when it crashed or never began. */
export interface PoolResult extends Omit<ResultMessage, 'type' | 'isLast' | 'status'> {
  readonly status: SandboxStatus
}

export interface PoolJob {
  readonly organizationId: string
  /** Of programs that wait for one another, each has a higher level than those that wait for it. From 1 on, a child is reserved for a level. */
  readonly level?: number
  /** By `performance.now()`: it does not begin later, and is ended then. */
  readonly endsAt: number
  readonly message: RunMessage
  readonly onLogs: (logs: readonly SandboxLog[]) => void
  readonly onCall: (call: CallMessage) => Promise<{ readonly isError: boolean; readonly json: string }>
}

interface Job extends PoolJob {
  message: RunMessage
  readonly resolve: (result: PoolResult) => void
  waiting: NodeJS.Timeout | null
}

interface Member {
  /** The level that it is reserved for; 0: none. */
  readonly level: number
  idle: NodeJS.Timeout | null
  child: SandboxChild
  job: Job | null
  hasResult: boolean
  beganMs: number
  deadline: NodeJS.Timeout | null
}

export interface PoolBounds {
  readonly childrenMax: number
  readonly waitingMax?: number
  readonly waitingPerOrganizationMax?: number
  readonly waitMsMax?: number
  /** A reserved child that is not needed for so long is ended. */
  readonly reservedIdleMs?: number
}

const killAfterMs = 1_000
/** A child that cannot start is tried so often in a row before the waiting programs are given up. */
const failedStartsMax = 3

const without = (status: SandboxStatus, message: string, durationMs = 0): PoolResult => ({
  status,
  output: null,
  error: { name: 'Error', message, stack: null },
  droppedLogs: 0,
  durationMs: Math.round(durationMs),
  cpuMs: 0,
  memoryMb: 0,
})

const ranMs = ({ beganMs }: Member): number => performance.now() - beganMs

const timedOut = (member: Member, { message }: Job): PoolResult =>
  without('TIMEOUT', `The program did not end within ${message.timeoutMs} ms.`, ranMs(member))

const throttled = (): PoolResult => without('THROTTLED', 'Too many programs are waiting.')

const notStarted = (): PoolResult => without('CRASHED', 'The program could not be started.')

/**
 * The children of this process. Organizations get them in turn, and none has more than half of them. The first program starts the first child.
 *
 * A program that others wait for could wait for their children. So each level from 1 on has one further child, which exists only while it is
 * needed: the program of the highest level always runs to its end, and then that of the next one. Organizations get it in turn, too.
 */
export class ChildPool {
  readonly #log: Logger
  readonly #bounds: Required<PoolBounds>
  readonly #queue: RoundRobinQueue<Job>
  /** Programs of a level wait for its child and, if there is space in the queue of all, for any child. */
  readonly #levels = new Map<number, RoundRobinQueue<Job>>()
  readonly #members = new Set<Member>()
  readonly #waiting = new Set<Job>()
  readonly #ending = new Map<Member, () => void>()
  #failedStarts = 0
  #isClosed = false

  constructor(log: Logger, bounds: PoolBounds) {
    this.#log = log
    this.#bounds = {
      waitingMax: 500,
      waitingPerOrganizationMax: 20,
      waitMsMax: 30_000,
      reservedIdleMs: 10_000,
      ...bounds,
    }
    this.#queue = new RoundRobinQueue(this.#bounds)
  }

  get children(): readonly number[] {
    return [...this.#members].flatMap(({ child }) => child.pid ?? [])
  }

  get waiting(): number {
    return this.#waiting.size
  }

  run(job: PoolJob): Promise<PoolResult> {
    return new Promise((resolve) => {
      const own: Job = { ...job, resolve, waiting: null }
      const leftMs = job.endsAt - performance.now()
      if (this.#isClosed || leftMs <= 0 || !this.#add(own)) return resolve(throttled())
      own.waiting = setTimeout(
        () => {
          this.#remove(own)
          resolve(throttled())
        },
        // A timer may fire a moment early.
        Math.min(this.#bounds.waitMsMax, Math.ceil(leftMs) + 1),
      )
      this.#assign()
    })
  }

  #add(job: Job): boolean {
    const { level = 0 } = job
    const isAdded = this.#queue.add(job)
    if (level === 0 && !isAdded) return false
    if (level > 0 && !this.#levelQueue(level).add(job)) {
      this.#queue.remove(job)
      return false
    }
    this.#waiting.add(job)
    return true
  }

  #levelQueue(level: number): RoundRobinQueue<Job> {
    const queue = this.#levels.get(level) ?? new RoundRobinQueue<Job>(this.#bounds)
    this.#levels.set(level, queue)
    return queue
  }

  /** It does not wait any longer. */
  #remove(job: Job): void {
    if (job.waiting) clearTimeout(job.waiting)
    this.#waiting.delete(job)
    this.#queue.remove(job)
    this.#levels.get(job.level ?? 0)?.remove(job)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting) this.#end(job, throttled())
    const ended = [...this.#members].map((member) => this.#ends(member))
    for (const { child } of this.#members) {
      // This process stays alive until they have ended.
      child.work()
      child.kill()
    }
    await Promise.all(ended)
  }

  #ends(member: Member): Promise<void> {
    return new Promise((resolve) => this.#ending.set(member, resolve))
  }

  /** Ends a program that has not begun. */
  #end(job: Job, result: PoolResult): void {
    this.#remove(job)
    job.resolve(result)
  }

  #usable(level = 0): Member[] {
    return [...this.#members].filter((member) => member.level === level && !member.child.isEnding)
  }

  #assign(): void {
    if (this.#isClosed) return
    const perOrganization = Math.max(1, Math.floor(this.#bounds.childrenMax / 2))
    const running = new Map<string, number>()
    for (const { job, level } of this.#members)
      if (job && level === 0) running.set(job.organizationId, (running.get(job.organizationId) ?? 0) + 1)
    const mayHaveMore = (organizationId: string): boolean => (running.get(organizationId) ?? 0) < perOrganization
    for (;;) {
      const idle = this.#usable().find(({ child, job }) => child.isReady && job === null)
      const job = idle && this.#queue.take(mayHaveMore)
      if (!job) break
      running.set(job.organizationId, (running.get(job.organizationId) ?? 0) + 1)
      this.#begin(idle, job)
    }
    const isIdle = this.#usable().some(({ child }) => child.isReady)
    const starting = this.#usable().filter(({ child }) => child.isStarting).length
    if (!isIdle && starting < this.#queue.size && this.#usable().length < this.#bounds.childrenMax) this.#open(0)
    for (const level of this.#levels.keys()) this.#assignReserved(level, mayHaveMore)
  }

  #assignReserved(level: number, mayHaveMore: (organizationId: string) => boolean): void {
    const queue = this.#levels.get(level)!
    if (queue.size === 0) return
    const [reserved] = this.#usable(level)
    if (reserved?.child.isReady)
      this.#begin(
        reserved,
        queue.take(() => true)!,
      )
    // A child that soon is ready is for all: the organizations that may have it need no other.
    const isSoonReady = this.#usable().some(({ job }) => job === null)
    if (!reserved && !(isSoonReady && queue.organizations.every(mayHaveMore))) this.#open(level)
  }

  #open(level: number): void {
    const member: Member = {
      level,
      idle: null,
      child: undefined!,
      job: null,
      hasResult: false,
      beganMs: 0,
      deadline: null,
    }
    member.child = new SandboxChild(
      (message) => this.#received(member, message),
      () => this.#ended(member),
    )
    this.#members.add(member)
    // While programs wait for it, this process must not end.
    if (this.#waiting.size > 0) member.child.work()
  }

  #begin(member: Member, job: Job): void {
    this.#remove(job)
    if (member.idle) clearTimeout(member.idle)
    member.job = job
    member.hasResult = false
    member.beganMs = performance.now()
    const leftMs = Math.max(1, Math.ceil(job.endsAt - member.beganMs))
    job.message = { ...job.message, timeoutMs: Math.min(job.message.timeoutMs, leftMs) }
    member.child.isReady = false
    member.child.work()
    member.child.send(job.message)
    member.deadline = setTimeout(() => this.#overdue(member, job), job.message.timeoutMs + killAfterMs)
  }

  /** The child cannot tell the end itself. A killed process at low priority may need seconds to end, for which nobody waits. */
  #overdue(member: Member, job: Job): void {
    member.job = null
    member.child.kill()
    job.resolve(timedOut(member, job))
    this.#replace(member)
  }

  #replace({ level }: Member): void {
    // The next program does not wait for the start of a child.
    if (!this.#isClosed && level === 0 && this.#usable().length < this.#bounds.childrenMax) this.#open(0)
    this.#assign()
  }

  #received(member: Member, message: FromChild): void {
    const { job } = member
    if (message.type === 'ready') {
      this.#failedStarts = 0
      member.child.rest()
      if (member.level > 0) member.idle = setTimeout(() => member.child.kill(), this.#bounds.reservedIdleMs).unref()
      return this.#assign()
    }
    if (!job) return
    if (message.type === 'log') job.onLogs(message.logs)
    else if (message.type === 'call') void this.#call(member, job, message)
    else if (message.type === 'result') this.#finish(member, job, message)
  }

  async #call(member: Member, job: Job, message: CallMessage): Promise<void> {
    const { isError, json } = await job.onCall(message)
    if (member.job === job) member.child.send({ type: 'answer', call: message.call, isError, json })
  }

  #finish(member: Member, job: Job, { isLast, type: _type, ...result }: ResultMessage): void {
    member.job = null
    if (member.deadline) clearTimeout(member.deadline)
    if (isLast) member.child.isEnding = true
    job.resolve(result)
    if (isLast) this.#replace(member)
    else this.#assign()
  }

  #ended(member: Member): void {
    this.#members.delete(member)
    this.#ending.get(member)?.()
    const { job } = member
    if (member.deadline) clearTimeout(member.deadline)
    if (member.idle) clearTimeout(member.idle)
    if (job) {
      member.job = null
      job.resolve(without('CRASHED', 'The process that ran the program has ended.', ranMs(member)))
    } else if (member.child.isStarting) {
      this.#failedStarts += 1
      this.#log.error('a child process of the sandbox could not start')
      if (this.#failedStarts >= failedStartsMax) for (const waiting of this.#waiting) this.#end(waiting, notStarted())
    }
    this.#assign()
  }
}
