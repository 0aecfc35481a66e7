import { checkColumn } from '../../kernel/record/check-values.ts'
import { enumerationOf, type Column } from '../../kernel/record/column.ts'
import { isCurrency } from '../../kernel/values/currency.ts'
import { amountAt } from '../question/amounts.ts'
import type { Calendar } from '../question/periods.ts'
import { dayAt, dayInWords, momentOf } from './days.ts'
import { lower, textOf, type Word } from './message-words.ts'
import { namedReferences } from './writable-fields.ts'

/** What a value means for a field. Names of users and records and stages are looked up afterwards, because they need a read. */
export type Reading =
  | {
      readonly kind: 'VALUE'
      readonly value: string | number | boolean | null
      readonly words: string
      readonly currency?: string | null
    }
  | { readonly kind: 'USER' | 'STAGE'; readonly text: string }
  | { readonly kind: 'RECORD'; readonly text: string; readonly object: string }
  | { readonly kind: 'REFUSED'; readonly message: string }

const enumSynonyms: Readonly<Record<string, string>> = {
  done: 'COMPLETED',
  finished: 'COMPLETED',
  canceled: 'CANCELLED',
  normal: 'MEDIUM',
}
const booleans: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  on: true,
  no: false,
  false: false,
  off: false,
}

const scales: Readonly<Record<string, string>> = { thousand: 'k', million: 'm' }

const spaced = (words: readonly Word[]): string =>
  words
    .map(({ word, text, isQuoted }) => (isQuoted ? text.toLowerCase() : word))
    .join(' ')
    .replaceAll('-', ' ')

/** The member of an enumeration that the words say; null if none. */
export function memberOf(column: Column, words: readonly Word[]): string | null {
  const members = Object.keys(enumerationOf(column) ?? {})
  const said = spaced(words)
  const meant = enumSynonyms[said]
  return members.find((one) => one.toLowerCase().replaceAll('_', ' ') === said || one === meant) ?? null
}

const memberWords = (member: string): string => member.toLowerCase().replaceAll('_', ' ')

function numberOf(column: Column, words: readonly Word[]): Reading | null {
  const plain = lower(words).map((word) => word.replace(/%$/, ''))
  if (/^(?:percent|%)$/.test(plain.at(-1) ?? '')) plain.pop()
  const scale = scales[plain.at(-1) ?? '']
  if (scale && plain.length > 1) plain.splice(-2, 2, `${plain.at(-2)!}${scale}`)
  const amount = amountAt(plain, 0)
  if (!amount || amount.length !== plain.length) return null
  const value = Math.round(amount.value * 100) / 100
  return { kind: 'VALUE', value, words: String(value), currency: amount.currency }
}

const isWeb = ({ name }: Column): boolean => /^(?:website|domain|linkedinUrl)$/.test(name)
const isPhone = ({ name }: Column): boolean => /phone|fax/i.test(name)
const phone = /^\+?[\d(][\d\s()./-]{3,40}$/

function textOfField(column: Column, text: string, isQuoted: boolean): Reading | null {
  if (column.isEmail && !/^[^\s@]+@[^\s@]+$/.test(text)) return null
  if (isPhone(column) && !phone.test(text)) return null
  if (isWeb(column) && /\s/.test(text)) return null
  if (column.name === 'currency')
    return isCurrency(text.toUpperCase())
      ? { kind: 'VALUE', value: text.toUpperCase(), words: text.toUpperCase() }
      : null
  // "… and the email to …" would be a second field.
  if (!isQuoted && /\band (?:the |its |set |change )*[\p{L} ]{2,30} to\b/iu.test(text)) return null
  return { kind: 'VALUE', value: text, words: text }
}

function unchecked(column: Column, message: string, words: readonly Word[], calendar: Calendar): Reading | null {
  const text = textOf(message, words)
  if (column.user) return { kind: 'USER', text }
  if (column.kind === 'id') return { kind: 'RECORD', text, object: namedReferences[column.name]! }
  if (column.name === 'stage') return { kind: 'STAGE', text: spaced(words) }
  switch (column.kind) {
    case 'enum': {
      const member = memberOf(column, words)
      return member === null ? null : { kind: 'VALUE', value: member, words: memberWords(member) }
    }
    case 'boolean': {
      const value = booleans[spaced(words)]
      return value === undefined ? null : { kind: 'VALUE', value, words: value ? 'yes' : 'no' }
    }
    case 'integer':
    case 'number':
    case 'money':
      return numberOf(column, words)
    case 'date':
    case 'timestamp': {
      const day = dayAt(lower(words), 0, calendar)
      if (day?.length !== words.length) return null
      const value = column.kind === 'date' ? day.date : momentOf(day, column.day ?? 'BEGIN', calendar.zone)
      return { kind: 'VALUE', value, words: dayInWords(day) }
    }
    default:
      return textOfField(column, text, words.length === 1 && words[0]!.isQuoted)
  }
}

/** Reads the words as a value of the field; null if they are none. */
export function readValue(column: Column, message: string, words: readonly Word[], calendar: Calendar): Reading | null {
  if (words.length === 0) return null
  const reading = unchecked(column, message, words, calendar)
  if (reading?.kind !== 'VALUE') return reading
  const problem = checkColumn(column, reading.value)
  return problem ? { kind: 'REFUSED', message: problem.message } : reading
}
