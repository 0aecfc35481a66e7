import { LRUCache } from 'lru-cache'

/**
 * How long a record may be used, counted from the start of its read. A revoked credential stops working within a second even if
 * its notification is lost.
 */
const recordLifeMs = 900

const isFresh = (readMs: number, nowMs: number): boolean => nowMs - readMs < recordLifeMs && nowMs >= readMs

interface CachedRecord<V> {
  readonly value: V
  readonly readMs: number
}

export interface RecordCacheOptions<V> {
  load(key: string): Promise<V | null>
  organizationOf(value: V): string
  readonly max?: number
}

/**
 * A short-lived cache of credential records. Concurrent requests share one read. Missing records have a separate cache, so that a
 * flood of invented keys evicts no real one.
 */
export class RecordCache<V> {
  readonly #options: RecordCacheOptions<V>
  readonly #found: LRUCache<string, CachedRecord<V>>
  readonly #missing: LRUCache<string, number>
  readonly #reading = new Map<string, Promise<V | null>>()

  constructor(options: RecordCacheOptions<V>) {
    this.#options = options
    this.#found = new LRUCache({ max: options.max ?? 10_000 })
    this.#missing = new LRUCache({ max: options.max ?? 10_000 })
  }

  get(key: string, nowMs: number): V | null | Promise<V | null> {
    const cached = this.getCached(key, nowMs)
    return cached === undefined ? (this.#reading.get(key) ?? this.#read(key, nowMs)) : cached
  }

  /** Undefined when the record must be read; null when it does not exist. */
  getCached(key: string, nowMs: number): V | null | undefined {
    const cached = this.#found.get(key)
    if (cached && isFresh(cached.readMs, nowMs)) return cached.value
    const missedMs = this.#missing.get(key)
    return missedMs !== undefined && isFresh(missedMs, nowMs) ? null : undefined
  }

  /** Drops the record of a key, or all records of an organization. A read in progress is returned to its callers but not cached. */
  forget(keyOrOrganizationId: string): void {
    this.#found.delete(keyOrOrganizationId)
    for (const [key, { value }] of this.#found.entries()) {
      if (this.#options.organizationOf(value) === keyOrOrganizationId) this.#found.delete(key)
    }
    // The organization of a missing key or of an unfinished read is unknown.
    this.#missing.clear()
    this.#reading.clear()
  }

  #read(key: string, nowMs: number): Promise<V | null> {
    const reading = this.#options.load(key).then(
      (value) => {
        if (this.#reading.get(key) === reading) this.#store(key, value, nowMs)
        return value
      },
      (error: unknown) => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key)
        throw error
      },
    )
    this.#reading.set(key, reading)
    return reading
  }

  #store(key: string, value: V | null, readMs: number): void {
    this.#reading.delete(key)
    if (value === null) {
      this.#found.delete(key)
      this.#missing.set(key, readMs)
    } else {
      this.#missing.delete(key)
      this.#found.set(key, { value, readMs })
    }
  }
}
