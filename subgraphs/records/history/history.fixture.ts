type Kind = 'create' | 'update' | 'delete' | 'restore'

const kinds: readonly Kind[] = ['create', 'update', 'update', 'update', 'update', 'delete', 'restore']
const letters = 'abcdefgh'

/** Random changes of accounts; the same seed gives the same ones. */
export function randomChanges(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  const chance = (probability: number): boolean => next() < probability
  const of = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  const word = (): string => Array.from({ length: 6 }, () => of([...letters])).join('')
  return {
    chance,
    of,
    kind: (): Kind => of(kinds),
    /** Values of some fields; always a name, so that the order of a list by name is known. */
    values: (): object => ({
      name: word(),
      ...(chance(0.5) && { industry: of(['SHIPPING', 'RETAIL', null]) }),
      ...(chance(0.3) && { tags: of([[], ['x'], ['x', 'y']]) }),
      ...(chance(0.3) && { metadata: of([null, { a: word() }, { a: { b: [1.5, 'z', null] } }]) }),
      ...(chance(0.3) && { annualRevenue: of([null, 12.5, 1_000_000.01]) }),
      ...(chance(0.4) && { customFields: { code: of([null, word()]) } }),
    }),
  }
}
