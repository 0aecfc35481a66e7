import type { StoredBytesLimits } from '../config/stored-bytes.ts'
import type { Clock } from '../time/clock.ts'
import { secondsOf, type Counters } from '../counters/counters.ts'
import { Refusal } from '../errors.ts'
import type { KeptBytes } from './kept-bytes.ts'

const hourMs = 3_600_000
/** Bytes of an organization that are counted in this process before they are counted in all of them. */
const togetherFrom = 262_144
const organizationsMax = 10_000
/** While all organizations together wrote too much, those that wrote less than this part of their own budget are not refused. */
const smallPart = 0.1

/**
 * The bytes that organizations write: rows and events of their requests, and bodies of webhooks. A small request can write much more
 * than it contains, because an event has the record before and after the change. Most writes cost an addition in this process.
 */
export class StoredBytes {
  readonly #limits: StoredBytesLimits
  readonly #counters: Counters
  readonly #clock: Clock
  readonly #pending = new Map<string, number>()
  readonly #refusedUntilMs = new Map<string, number>()

  readonly #kept: KeptBytes | null

  constructor(limits: StoredBytesLimits, counters: Counters, clock: Clock, kept: KeptBytes | null = null) {
    this.#limits = limits
    this.#counters = counters
    this.#clock = clock
    this.#kept = kept
  }

  /**
   * Counts bytes that are about to be written. Refuses with `STORAGE_RATE_LIMITED` when the budget of the hour is used up, and with
   * `STORAGE_LIMIT_EXCEEDED` when the organization has no room.
   */
  take(organizationId: string, bytes: number): void | Promise<void> {
    const refused = this.#refuse(organizationId)
    const take = () => this.count(organizationId, bytes)?.then(() => this.#refuse(organizationId))
    return refused ? refused.then(take) : take()
  }

  #refuse(organizationId: string): void | Promise<void> {
    if (this.#refusedUntilMs.size > 0) this.#refuseUntilLater(organizationId)
    return this.#kept?.refuseIfFull(organizationId)
  }

  /** Counts bytes that the platform itself writes for an organization. They are never refused, but use up its budget. */
  count(organizationId: string, bytes: number): void | Promise<void> {
    const pending = (this.#pending.get(organizationId) ?? 0) + bytes
    if (pending >= togetherFrom) {
      this.#pending.delete(organizationId)
      return this.#countInAll(organizationId, pending)
    }
    if (this.#pending.size >= organizationsMax) this.#pending.clear()
    this.#pending.set(organizationId, pending)
  }

  /** Whether the organization may write nothing more for now. What the platform writes for it then is reduced. */
  isUsedUp(organizationId: string): boolean {
    const untilMs = this.#refusedUntilMs.get(organizationId) ?? 0
    return untilMs > this.#clock.now().getTime() || (this.#kept?.isFull(organizationId) ?? false)
  }

  async #countInAll(organizationId: string, hits: number): Promise<void> {
    const nowMs = this.#clock.now().getTime()
    const { organization, all } = this.#limits
    const limitsOf = (max: number | null) => (max === null ? [] : [{ max, windowMs: hourMs }])
    const [own, together] = await this.#counters.checkAll(
      [
        { space: 'stored-bytes', key: organizationId, limits: limitsOf(organization), hits },
        { space: 'stored-bytes-of-all', key: '', limits: limitsOf(all), hits },
      ],
      nowMs,
    )
    if (!own!.allowed) this.#refusedUntilMs.set(organizationId, nowMs + own!.resetMs)
    else if (together && !together.allowed && !this.#wroteLittle(own!.remaining))
      this.#refusedUntilMs.set(organizationId, nowMs + together.resetMs)
    if (this.#refusedUntilMs.size > organizationsMax) this.#refusedUntilMs.clear()
    await this.#kept?.add(organizationId, hits)
  }

  #wroteLittle(remaining: number): boolean {
    const { organization } = this.#limits
    return organization !== null && remaining >= organization * (1 - smallPart)
  }

  #refuseUntilLater(organizationId: string): void {
    const untilMs = this.#refusedUntilMs.get(organizationId)
    if (untilMs === undefined) return
    const waitMs = untilMs - this.#clock.now().getTime()
    if (waitMs <= 0) {
      this.#refusedUntilMs.delete(organizationId)
      return
    }
    const retryAfter = secondsOf(waitMs)
    const message = `The organization has written as many bytes as it may in an hour; retry in ${retryAfter} s.`
    throw new Refusal('STORAGE_RATE_LIMITED', message, { retryAfter })
  }
}

/** The bytes of the values of a statement, counted as characters. */
export function bytesOfValues(values: readonly unknown[]): number {
  let bytes = 0
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length
    else if (value instanceof Uint8Array) bytes += value.byteLength
    else if (Array.isArray(value)) bytes += bytesOfValues(value)
  }
  return bytes
}
