import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { createClient } from 'redis'
import { ConfigError, type Limit } from '../config/config.ts'
import { applyChecks } from './check-script.ts'
import { decide } from './counters.ts'
import type { CounterCheck, Counters, CountedWindow, LimitDecision } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'

const clientOf = (url: string) =>
  createClient({
    url,
    scripts: { applyChecks },
    // When Redis is not connected, hits are counted in this process at once, so no command may wait for a connection.
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: 1000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000) },
  })

function connect(url: string): ReturnType<typeof clientOf> {
  try {
    return clientOf(url)
  } catch (cause) {
    throw new ConfigError(`REDIS_URL cannot be used (${(cause as Error).message}).`, { cause })
  }
}

const countedInProcess = new Counter({
  name: 'crm_counters_in_process_total',
  help: 'Quota and limit decisions taken in process because Redis did not answer.',
})

export interface RedisCountersOptions {
  readonly url: string
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** How long one decision may wait for Redis. */
  readonly timeoutMs?: number
  /** How long Redis is skipped after a timeout, before one decision tries it again. */
  readonly retryAfterMs?: number
}

/**
 * Counters in Redis, shared by all processes. When Redis does not answer within `timeoutMs`, the decision uses the counters of
 * this process: limits then apply per process instead of together, no request is refused because Redis is unavailable, and
 * requests do not slow down. It returns to Redis automatically.
 */
export class RedisCounters implements Counters {
  readonly #client: ReturnType<typeof connect>
  readonly #fallback = new MemoryCounters()
  readonly #log: Pick<Logger, 'warn' | 'info'>
  readonly #timeoutMs: number
  readonly #retryAfterMs: number
  #isUnavailable = false
  #retryAtMs = 0

  private constructor(options: RedisCountersOptions) {
    this.#log = options.log
    this.#timeoutMs = options.timeoutMs ?? 100
    this.#retryAfterMs = options.retryAfterMs ?? 1000
    this.#client = connect(options.url)
    this.#client.on('error', (error: unknown) => this.#markUnavailable(error))
    this.#client.on('ready', () => this.#markAvailable())
  }

  /** Waits at most one second for the connection, so that the platform also starts without Redis. */
  static async open(options: RedisCountersOptions): Promise<RedisCounters> {
    const counters = new RedisCounters(options)
    const connected = counters.#client.connect().catch((error: unknown) => counters.#markUnavailable(error))
    await withTimeout(connected, 1000).catch((error: unknown) => counters.#markUnavailable(error))
    return counters
  }

  checkAll(
    checks: readonly CounterCheck[],
    nowMs: number,
  ): readonly LimitDecision[] | Promise<readonly LimitDecision[]> {
    if (!this.#client.isReady || performance.now() < this.#retryAtMs) return this.#inProcess(checks, nowMs)
    return withTimeout(this.#client.applyChecks(checks, nowMs), this.#timeoutMs).then(
      (found) => {
        if (this.#isUnavailable) this.#markAvailable()
        return decisionsOf(checks, found, nowMs)
      },
      (error: unknown) => {
        this.#markUnavailable(error)
        return this.#inProcess(checks, nowMs)
      },
    )
  }

  hit(
    space: string,
    key: string,
    limits: readonly Limit[],
    nowMs: number,
    hits = 1,
  ): LimitDecision | Promise<LimitDecision> {
    const decisions = this.checkAll([{ space, key, limits, hits }], nowMs)
    return decisions instanceof Promise ? decisions.then(([decision]) => decision!) : decisions[0]!
  }

  count(space: string, key: string, limits: readonly Limit[], nowMs: number): LimitDecision | Promise<LimitDecision> {
    return this.hit(space, key, limits, nowMs, 0)
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  #inProcess(checks: readonly CounterCheck[], nowMs: number): readonly LimitDecision[] {
    const decisions = this.#fallback.checkAll(checks, nowMs)
    countedInProcess.inc(decisions.length)
    return decisions
  }

  #markUnavailable(error: unknown): void {
    this.#retryAtMs = performance.now() + this.#retryAfterMs
    if (this.#isUnavailable) return
    this.#isUnavailable = true
    this.#log.warn({ err: error }, 'Redis does not answer: quotas and limits are counted per process')
  }

  #markAvailable(): void {
    this.#retryAtMs = 0
    if (!this.#isUnavailable) return
    this.#isUnavailable = false
    this.#log.info('Redis answers again: quotas and limits are shared')
  }
}

function decisionsOf(
  checks: readonly CounterCheck[],
  found: readonly number[],
  nowMs: number,
): readonly LimitDecision[] {
  const decisions: LimitDecision[] = []
  let index = 0
  for (const { limits, hits } of checks) {
    const windows: (CountedWindow | undefined)[] = []
    for (let limit = 0; limit < limits.length; limit++, index += 2) {
      const startMs = found[index]!
      windows.push(startMs < 0 ? undefined : { startMs, hits: found[index + 1]! })
    }
    const decision = decide(limits, windows, hits, nowMs)
    decisions.push(decision)
    if (!decision.allowed) break
  }
  return decisions
}

/** A timeout that includes the answer. The timeout of the Redis client ends with the write to the socket. */
function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${ms} ms`))
    // When this process was too busy to read in time, setImmediate lets it read an answer that has already arrived.
    const timer = setTimeout(() => setImmediate(late), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
