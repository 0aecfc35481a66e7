export const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const writeVerbs = set(
  'create add delete remove update change set assign reassign send mark close move schedule log complete convert cancel approve reject archive merge rename edit write book restore undo unassign',
)
export const polite = set("please can could would you i want to like i'd need now just hey hi hello kindly")
const strongWrites = set('create delete remove update assign reassign rename merge archive erase destroy')
export const greatest = set('largest biggest highest greatest best')
export const least = set('smallest lowest cheapest')
export const connectors = set('and of & the')

export function isWrite(words: readonly string[]): boolean {
  const first = words.findIndex((word) => !polite.has(word))
  return (first >= 0 && writeVerbs.has(words[first]!)) || words.some((word) => strongWrites.has(word))
}

export const phraseAt = (words: readonly string[], at: number, length: number): string =>
  words.slice(at, at + length).join(' ')

export function longest<T>(
  words: readonly string[],
  at: number,
  known: ReadonlyMap<string, T>,
): { value: T; length: number } | null {
  for (let length = Math.min(4, words.length - at); length > 0; length--) {
    const value = known.get(phraseAt(words, at, length))
    if (value !== undefined) return { value, length }
  }
  return null
}
