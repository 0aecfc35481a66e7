import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { createClient, defineScript } from 'redis'
import type { CommandParser } from 'redis'
import { ConfigError, type Limit } from '../config/config.ts'
import { decide } from './counters.ts'
import type { Counters, CountedWindow, LimitDecision } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'

/** Returns start and hits of each window (start -1: not open), and adds the hits when they fit into every limit. */
const countScript = `
local now, cost = tonumber(ARGV[1]), tonumber(ARGV[2])
local counts = cost > 0
local found = {}
for i, key in ipairs(KEYS) do
  local max, length = tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2])
  local kept = redis.call('HMGET', key, 'start', 'hits')
  local start, hits = tonumber(kept[1] or nil), tonumber(kept[2] or nil)
  if not start or now >= start + length then start, hits = -1, 0 end
  if hits + cost > max then counts = false end
  found[2 * i - 1], found[2 * i] = start, hits
end
if counts then
  for i, key in ipairs(KEYS) do
    if found[2 * i - 1] < 0 then
      redis.call('HSET', key, 'start', ARGV[1], 'hits', cost)
      redis.call('PEXPIRE', key, ARGV[2 * i + 2])
    else
      redis.call('HINCRBY', key, 'hits', cost)
    end
  end
end
return found
`

const countWindows = defineScript({
  SCRIPT: countScript,
  parseCommand(parser: CommandParser, keys: string[], values: string[]) {
    parser.pushKeysLength(keys)
    parser.push(...values)
  },
  transformReply: (reply: unknown) => reply as number[],
})

const clientOf = (url: string) =>
  createClient({
    url,
    scripts: { countWindows },
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
  name: 'counters_in_process_total',
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

  hit(
    space: string,
    key: string,
    limits: readonly Limit[],
    nowMs: number,
    hits = 1,
  ): LimitDecision | Promise<LimitDecision> {
    return this.#decide(space, key, limits, nowMs, hits)
  }

  count(space: string, key: string, limits: readonly Limit[], nowMs: number): LimitDecision | Promise<LimitDecision> {
    return this.#decide(space, key, limits, nowMs, 0)
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }

  #decide(
    space: string,
    key: string,
    limits: readonly Limit[],
    nowMs: number,
    cost: number,
  ): LimitDecision | Promise<LimitDecision> {
    if (!this.#client.isReady || performance.now() < this.#retryAtMs) {
      return this.#inProcess(space, key, limits, nowMs, cost)
    }
    // The braces (hash tag) keep all windows of a key in one slot of a Redis cluster.
    const keys = limits.map(({ windowMs }) => `{count:${space}:${key}}:${windowMs}`)
    const values = [String(nowMs), String(cost)]
    for (const { max, windowMs } of limits) values.push(String(max), String(windowMs))
    return withTimeout(this.#client.countWindows(keys, values), this.#timeoutMs).then(
      (found) => {
        if (this.#isUnavailable) this.#markAvailable()
        return decide(limits, windowsOf(found), cost, nowMs)
      },
      (error: unknown) => {
        this.#markUnavailable(error)
        return this.#inProcess(space, key, limits, nowMs, cost)
      },
    )
  }

  #inProcess(space: string, key: string, limits: readonly Limit[], nowMs: number, cost: number): LimitDecision {
    countedInProcess.inc()
    return cost ? this.#fallback.hit(space, key, limits, nowMs, cost) : this.#fallback.count(space, key, limits, nowMs)
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

function windowsOf(found: readonly number[]): (CountedWindow | undefined)[] {
  const windows: (CountedWindow | undefined)[] = []
  for (let index = 0; index < found.length; index += 2) {
    const startMs = found[index]!
    windows.push(startMs < 0 ? undefined : { startMs, hits: found[index + 1]! })
  }
  return windows
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
