import { tokensMax } from '../question/tokens.ts'

/** A word of a request, with its place in the message, so that values keep their form. */
export interface Word {
  /** In lower case, without punctuation around it and without a possessive ending; empty for a quoted text. */
  readonly word: string
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isQuoted: boolean
  readonly isPossessive: boolean
}

const pattern = /"([^"]+)"['’]?s?|“([^“”]+)”['’]?s?|«([^«»]+)»['’]?s?|[^\s"“”«»]+/gu

function wordAt(raw: string, index: number): Word | null {
  let [from, to] = [0, raw.length]
  const isWrapped = /^\(.*\)/.test(raw)
  const [opening, closing] = isWrapped ? ['', ',;:.!?'] : ['([{,;:', ')]},;:.!?']
  while (from < to && opening.includes(raw[from]!)) from++
  while (to > from && closing.includes(raw[to - 1]!)) to--
  const whole = raw.slice(from, to)
  if (whole === '') return null
  const ending = /['’]s$|(?<=s)['’]$/iu.exec(whole)?.[0] ?? ''
  const isPossessive = ending !== ''
  const text = whole.slice(0, whole.length - ending.length)
  return {
    word: text.toLowerCase(),
    text,
    from: index + from,
    to: index + from + text.length,
    isQuoted: false,
    isPossessive,
  }
}

/** The words of a message, a quoted text as one; null if there are too many. In linear time. */
export function wordsOf(message: string): Word[] | null {
  const words: Word[] = []
  for (const match of message.matchAll(pattern)) {
    const quoted = (match[1] ?? match[2] ?? match[3])?.trim().replaceAll(/\s+/g, ' ')
    const isPossessive = /s$/i.test(match[0]) && quoted !== undefined
    const [from, to] = [match.index, match.index + match[0].length]
    if (quoted) words.push({ word: '', text: quoted, from, to, isQuoted: true, isPossessive })
    else {
      const word = wordAt(match[0], match.index)
      if (word) words.push(word)
    }
    if (words.length > tokensMax) return null
  }
  return words
}

/** The text of successive words as it was written; without quotes if it is one quoted text. */
export const textOf = (message: string, words: readonly Word[]): string => {
  const [first] = words
  if (!first) return ''
  return words.length === 1 ? first.text : message.slice(first.from, words.at(-1)!.to).replaceAll(/\s+/g, ' ')
}

export const lower = (words: readonly Word[]): string[] => words.map(({ word }) => word)
