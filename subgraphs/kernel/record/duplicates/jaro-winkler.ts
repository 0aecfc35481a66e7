/** How much a common beginning counts for each of its first characters. */
const prefixWeight = 0.1
const prefixMax = 4

/** The characters of one text that have an equal one nearby in the other, in their order. */
function matching(one: readonly string[], other: readonly string[]): [string[], string[]] {
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const isTaken = Array.from(other, () => false)
  const ofOne: string[] = []
  for (const [at, character] of one.entries()) {
    const to = Math.min(other.length - 1, at + reach)
    for (let place = Math.max(0, at - reach); place <= to; place++) {
      if (isTaken[place] || other[place] !== character) continue
      isTaken[place] = true
      ofOne.push(character)
      break
    }
  }
  return [ofOne, other.filter((_character, place) => isTaken[place])]
}

const withPrefix = (jaro: number, prefix: number): number => jaro + prefix * prefixWeight * (1 - jaro)

/**
 * The similarity of two texts by Jaro and Winkler: 0 without equal characters nearby, 1 for equal texts. A common beginning counts more. Also 0 where the
 * lengths of the texts allow no similarity of `least`.
 */
export function jaroWinkler(one: string, other: string, least = 0): number {
  if (one === other) return 1
  const [a, b] = [Array.from(one), Array.from(other)]
  let prefix = 0
  while (prefix < prefixMax && prefix < a.length && a[prefix] === b[prefix]) prefix++
  const [shorter, longer] = [Math.min(a.length, b.length), Math.max(a.length, b.length)]
  if (withPrefix((2 + shorter / longer) / 3, prefix) < least) return 0
  const [ofA, ofB] = matching(a, b)
  const count = ofA.length
  if (count === 0) return 0
  const moved = ofA.filter((character, at) => character !== ofB[at]).length / 2
  const jaro = (count / a.length + count / b.length + (count - moved) / count) / 3
  return withPrefix(jaro, prefix)
}
