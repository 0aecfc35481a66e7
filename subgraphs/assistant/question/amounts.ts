import { isCurrency } from '../../kernel/values/currency.ts'
import type { Operator } from './question.ts'

const symbols: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' }
const scales: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

export interface Amount {
  readonly value: number
  readonly currency: string | null
  /** Number of words. */
  readonly length: number
}

export const isAmount = (word: string): boolean => /^[$€£]?\d[\d,]*(?:\.\d+)?[km]?$/.test(word)

/** The amount at a word, with the currency before or after it. */
export function amountAt(words: readonly string[], at: number): Amount | null {
  const before = isCurrency((words[at] ?? '').toUpperCase()) ? words[at]!.toUpperCase() : null
  const index = before ? at + 1 : at
  const word = words[index] ?? ''
  if (!isAmount(word)) return null
  const symbol = symbols[word[0]!] ?? null
  const scale = /[km]$/.exec(word)?.[0] ?? ''
  const digits = word.slice(symbol ? 1 : 0, word.length - scale.length).replaceAll(',', '')
  const value = Number(digits) * scales[scale]!
  if (!Number.isSafeInteger(Math.trunc(value))) return null
  const next = (words[index + 1] ?? '').toUpperCase()
  const after = next.length === 3 && isCurrency(next) && !/^(?:ALL|TOP|TRY)$/.test(next) ? next : null
  return { value, currency: before ?? symbol ?? after, length: (before ? 2 : 1) + (after && !before ? 1 : 0) }
}

const comparisons: readonly (readonly [phrase: string, operator: Operator])[] = [
  ['worth at least', 'gte'],
  ['at least', 'gte'],
  ['at most', 'lte'],
  ['up to', 'lte'],
  ['more than', 'gt'],
  ['greater than', 'gt'],
  ['larger than', 'gt'],
  ['bigger than', 'gt'],
  ['less than', 'lt'],
  ['smaller than', 'lt'],
  ['over', 'gt'],
  ['above', 'gt'],
  ['under', 'lt'],
  ['below', 'lt'],
]

/** A comparison with an amount at a word. */
export function comparisonAt(
  words: readonly string[],
  at: number,
): { operator: Operator; phrase: string; amount: Amount; length: number } | null {
  for (const [phrase, operator] of comparisons) {
    const parts = phrase.split(' ')
    if (!parts.every((part, index) => words[at + index] === part)) continue
    const amount = amountAt(words, at + parts.length)
    if (amount) return { operator, phrase, amount, length: parts.length + amount.length }
  }
  return null
}
