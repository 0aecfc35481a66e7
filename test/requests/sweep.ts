import { createHash } from 'node:crypto'

/** `SWEEP=full` tries the whole product of operations, values and callers. */
export const isFullSweep = process.env['SWEEP'] === 'full'

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE()

/** Some of the cases, which depend on the name of the place. All of them in a full sweep. */
export function sampleOf<T>(place: string, cases: readonly T[], count: number, isFull = isFullSweep): readonly T[] {
  if (isFull || cases.length <= count) return cases
  const step = cases.length / count
  const start = numberOf(place) % cases.length
  return Array.from({ length: count }, (_, index) => cases[(start + Math.floor(index * step)) % cases.length]!)
}

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
    return isFirst ? cases : sampleOf(place, cases, count, this.isFull)
  }

  /** Whether a test runs at this place: at the first one of a signature, and at one of `every` others. */
  includes(signature: string, place: string, every: number): boolean {
    const isFirst = !this.#known.has(signature)
    this.#known.add(signature)
    return this.isFull || isFirst || numberOf(place) % every === 0
  }
}

const words: ReadonlySet<string> = new Set(['description', 'example', 'examples', 'title', 'deprecated', 'default'])
const bounds: ReadonlySet<string> = new Set(
  'minLength maxLength minimum maximum minItems maxItems maxProperties enum properties required'.split(' '),
)

/**
 * The kinds of checks of a schema, without their bounds and without what only people read: two fields with the same kinds accept and
 * refuse the same kinds of values. The fields of an object have signatures of their own.
 */
export const schemaSignature = (schema: object): string =>
  JSON.stringify(schema, (key, value: unknown) => (words.has(key) ? undefined : bounds.has(key) ? true : value))
