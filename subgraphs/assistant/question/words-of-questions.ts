export const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const writeVerbs = set(
  'create add delete remove update change set assign reassign send mark close move schedule log complete convert cancel approve reject archive merge rename edit write book restore undo unassign remind put postpone reschedule push resolve reopen escalate finish reassign hand transfer',
)
/** Verbs that ask for a change only with a value: "lower the amount of … to …". */
const verbsWithValue = set('raise lower increase reduce adjust correct')
const verbsOfMaking = set('make give')
const wordsOfMaking = set(
  'task todo owner priority urgent strategic hot customer prospect partner reseller competitor champion',
)
export const polite = set("please can could would you i want to like i'd need now just hey hi hello kindly")
const strongWrites = set('create delete remove update assign reassign rename merge archive erase destroy')
/** Words after which `email` is what a question is about. */
const nounsAfterMail = set('of for from to address addresses activity activities sent count about last')
export const greatest = set('largest biggest highest greatest best')
export const least = set('smallest lowest cheapest')
export const connectors = set('and of & the')

const whenToFollowUp = /^(?:with|on|by|in|next|this|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d.*)$/

/** The number of words that ask to follow up with somebody, at the beginning of the words; 0 if they do not. */
export function followUpLength(words: readonly string[]): number {
  const [first = '', second = ''] = words
  const length = /^follow-?up$/.test(first) ? 1 : first === 'follow' && second === 'up' ? 2 : 0
  const after = words.slice(length)
  return whenToFollowUp.test(after[0] ?? '') && (after.includes('with') || after.includes('on')) ? length : 0
}

export function isWrite(words: readonly string[]): boolean {
  const first = words.findIndex((word) => !polite.has(word))
  const verb = words[first] ?? ''
  const next = words[first + 1] ?? ''
  if (verb === 'new' && (next === 'task' || next === 'todo')) return true
  if ((verb === 'email' || verb === 'mail') && next !== '' && !nounsAfterMail.has(next)) return true
  if (followUpLength(words.slice(first)) > 0) return true
  if (verbsWithValue.has(verb) && words.includes('to')) return true
  if (verbsOfMaking.has(verb) && words.some((word) => wordsOfMaking.has(word))) return true
  return writeVerbs.has(verb) || words.some((word) => strongWrites.has(word))
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
