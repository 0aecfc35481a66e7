import { createHash } from 'node:crypto'

/** `SWEEP=full` tries the whole product of operations, values and callers. */
export const isFullSweep = process.env['SWEEP'] === 'full'

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE()

/**
 * Chooses what is tried at each place. Places with the same signature behave alike, because their checks are compiled from the same
 * schema: the first of them gets all cases, and every other one `count` cases that depend on its name. So every place gets a case
 * in every run, and different places get different ones.
 */
export class Sweep {
  readonly #known = new Set<string>()

  constructor(private readonly isFull = isFullSweep) {}

  choose<T>(signature: string, place: string, cases: readonly T[], count = 1): readonly T[] {
    const isFirst = !this.#known.has(signature)
    this.#known.add(signature)
    if (this.isFull || isFirst || cases.length <= count) return cases
    const step = cases.length / count
    const start = numberOf(place) % cases.length
    return Array.from({ length: count }, (_, index) => cases[(start + Math.floor(index * step)) % cases.length]!)
  }
}

const words: ReadonlySet<string> = new Set(['description', 'example', 'examples', 'title', 'deprecated'])

/** A schema without what only people read: two fields with the same one accept and refuse the same values. */
export const schemaSignature = (schema: object): string =>
  JSON.stringify(schema, (key, value: unknown) => (words.has(key) ? undefined : value))
