import { kindWords, objectWords } from '../question/object-words.ts'
import { set } from '../question/words-of-questions.ts'
import type { Word } from './message-words.ts'

/** Words for one record: its name, and its type if it is said. */
export interface RecordWords {
  readonly object: string | null
  readonly words: readonly Word[]
  /** It is the record that the user looks at. */
  readonly isContext: boolean
  readonly isBulk: boolean
}

const articles = set('the a an my our')
const many = set('all every each both everything everyone any')

const typeOf = ({ word }: Word): string | null => objectWords.get(word) ?? kindWords.get(word)?.[0] ?? null
const isPlural = ({ word }: Word): boolean => (objectWords.has(word) || kindWords.has(word)) && /s$|^people$/.test(word)

export function recordWords(given: readonly Word[]): RecordWords {
  let words = given
  const isBulk = words.some(({ word }) => many.has(word)) || words.some(isPlural)
  while (words.length > 1 && articles.has(words[0]!.word)) words = words.slice(1)
  const [first] = words
  if (!first) return { object: null, words, isContext: true, isBulk }
  if (first.word === 'this' || (words.length === 1 && first.word === 'it')) {
    const object = words[1] ? typeOf(words[1]) : null
    if (words.length <= 2) return { object, words, isContext: true, isBulk }
  }
  const leading = typeOf(first)
  if (leading && words.length > 1) return { object: leading, words: words.slice(1), isContext: false, isBulk }
  const trailing = words.length > 1 ? typeOf(words.at(-1)!) : null
  if (trailing) return { object: trailing, words: words.slice(0, -1), isContext: false, isBulk }
  return { object: null, words, isContext: false, isBulk }
}
