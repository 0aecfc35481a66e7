import type { Limit } from '../config/config.ts'
import { decide } from './counters.ts'
import type { CounterCheck, Counters, CountedWindow, LimitDecision } from './counters.ts'

interface OpenWindow extends CountedWindow {
  hits: number
}

/**
 * Windows of one space and one length, in two generations. A generation is filled for one window length. After one more length
 * all its windows have expired and the whole generation is dropped, so no sweep over single keys is needed.
 */
class Generations {
  #current = new Map<string, OpenWindow>()
  #previous = new Map<string, OpenWindow>()
  #startedMs: number
  readonly #windowMs: number
  readonly #keysMax: number

  constructor(windowMs: number, keysMax: number, nowMs: number) {
    this.#windowMs = windowMs
    this.#keysMax = keysMax
    this.#startedMs = nowMs
  }

  find(key: string, nowMs: number): OpenWindow | undefined {
    const window = this.#current.get(key) ?? this.#previous.get(key)
    return window && nowMs < window.startMs + this.#windowMs ? window : undefined
  }

  open(key: string, nowMs: number, hits: number): void {
    const isFull = this.#current.size >= this.#keysMax
    if (isFull || nowMs >= this.#startedMs + this.#windowMs) {
      this.#previous = this.#current
      this.#current = new Map()
      this.#startedMs = nowMs
    }
    this.#current.set(key, { startMs: nowMs, hits })
  }

  get size(): number {
    return this.#current.size + this.#previous.size
  }
}

/** Counters of this process. Beyond `keysMax` live keys of one space and window length, the oldest keys are dropped. */
export class MemoryCounters implements Counters {
  readonly #spaces = new Map<string, Map<number, Generations>>()
  readonly #keysMax: number

  constructor(keysMax = 100_000) {
    this.#keysMax = Math.max(1, Math.floor(keysMax / 2))
  }

  checkAll(checks: readonly CounterCheck[], nowMs: number): readonly LimitDecision[] {
    const decisions: LimitDecision[] = []
    for (const { space, key, limits, hits } of checks) {
      const decision = this.hit(space, key, limits, nowMs, hits)
      decisions.push(decision)
      if (!decision.allowed) break
    }
    return decisions
  }

  hit(space: string, key: string, limits: readonly Limit[], nowMs: number, hits = 1): LimitDecision {
    const windows = this.#find(space, key, limits, nowMs)
    const decision = decide(limits, windows, hits, nowMs)
    if (decision.allowed && hits > 0) {
      for (let index = 0; index < limits.length; index++) {
        const window = windows[index]
        if (window) window.hits += hits
        else this.#generations(space, limits[index]!.windowMs, nowMs).open(key, nowMs, hits)
      }
    }
    return decision
  }

  count(space: string, key: string, limits: readonly Limit[], nowMs: number): LimitDecision {
    return this.hit(space, key, limits, nowMs, 0)
  }

  /** Number of stored windows, including expired ones that are not dropped yet. */
  get size(): number {
    let size = 0
    for (const lengths of this.#spaces.values()) for (const generations of lengths.values()) size += generations.size
    return size
  }

  async close(): Promise<void> {
    this.#spaces.clear()
  }

  #find(space: string, key: string, limits: readonly Limit[], nowMs: number): (OpenWindow | undefined)[] {
    const windows: (OpenWindow | undefined)[] = []
    const lengths = this.#spaces.get(space)
    for (const { windowMs } of limits) windows.push(lengths?.get(windowMs)?.find(key, nowMs))
    return windows
  }

  #generations(space: string, windowMs: number, nowMs: number): Generations {
    let lengths = this.#spaces.get(space)
    if (!lengths) this.#spaces.set(space, (lengths = new Map()))
    let generations = lengths.get(windowMs)
    if (!generations) lengths.set(windowMs, (generations = new Generations(windowMs, this.#keysMax, nowMs)))
    return generations
  }
}
