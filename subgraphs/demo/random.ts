import { createHash } from 'node:crypto'

/** A deterministic random generator: the same seed gives the same choices on every machine. */
export class Random {
  readonly #state: Uint32Array
  readonly #drawn = new Set<string>()

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed).digest()
    this.#state = Uint32Array.from([0, 4, 8, 12], (offset) => digest.readUInt32LE(offset))
  }

  /** A number from 0 inclusive to 1 exclusive, by the algorithm sfc32. */
  next(): number {
    const [a, b, c, counter] = this.#state as unknown as [number, number, number, number]
    const result = (a + b + counter) >>> 0
    this.#state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + result, counter + 1])
    return result / 2 ** 32
  }

  /** A whole number from `from` to `to`, inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  /** A number from `from` to `to`; small numbers are more likely. */
  skewed(from: number, to: number): number {
    return from * (to / from) ** this.next()
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)]!
  }

  /** `from` to `to` different items of a list, in the order of the list. */
  some<T>(list: readonly T[], from: number, to: number): T[] {
    const wanted = Math.min(this.whole(from, to), list.length)
    const chosen = new Set<number>()
    while (chosen.size < wanted) chosen.add(this.whole(0, list.length - 1))
    return list.filter((_, index) => chosen.has(index))
  }

  /** One of the keys. The probability of a key is proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries<number>(weights) as [K, number][]
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      rest -= weight
      if (rest < 0) return key
    }
    return entries.at(-1)![0]
  }

  /** The pattern with a digit for each `#`. */
  digits(pattern: string): string {
    return pattern.replace(/#/g, () => String(this.whole(0, 9)))
  }

  /** What `draw` returns, drawn again until it is new. */
  unique(draw: () => string): string {
    for (;;) {
      const text = draw()
      if (this.#drawn.has(text)) continue
      this.#drawn.add(text)
      return text
    }
  }

  /** A UUIDv7 with this time. */
  id(atMs: number): string {
    const hex = (digits: number): string => {
      let text = ''
      for (let digit = 0; digit < digits; digit++) text += this.whole(0, 15).toString(16)
      return text
    }
    const time = Math.floor(atMs).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${this.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`
  }
}
