import { decimalsMax, itemsMax, textMax } from './check-values.ts'
import type { DayMoment } from '../time/days.ts'
import { enumerationOf, initialValue, type Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'

const textBounds = ({ max = textMax, filled }: Column): string =>
  filled ? `1 to ${max} characters, not only white space` : `at most ${max} characters`

function rangeOf({ minimum, maximum }: Column): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`]
  if (minimum !== undefined) return [`at least ${minimum}`]
  return maximum === undefined ? [] : [`at most ${maximum}`]
}

/** The bounds of a column, for people: `0 to 100`. Empty if its type says everything. */
function boundsOf(column: Column): string {
  switch (column.kind) {
    case 'text':
      return textBounds(column)
    case 'textList':
      return `at most ${column.maxItems ?? itemsMax} items${enumerationOf(column) ? '' : `, each ${textBounds(column)}`}`
    case 'integer':
    case 'number':
      return rangeOf(column).join('')
    case 'json':
      return column.structure?.isList ? `at most ${column.maxItems ?? itemsMax} items` : ''
    case 'money':
      return [...rangeOf(column), `at most ${column.decimals ?? decimalsMax} decimals`].join(', ')
    default:
      return ''
  }
}

const sentence = (text: string): string => (text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`)

/** The bounds of a value in one sentence; empty if its type says everything. */
export const boundsSentence = (column: Column): string => sentence(boundsOf(column))

function defaultOf(column: Column): string {
  if (column.derivedDefault) return `Default: ${column.derivedDefault}.`
  const initial = initialValue(column)
  if (Array.isArray(initial) && initial.length > 0) return `Default: ${initial.join(', ')}.`
  const isPlain = typeof initial === 'string' || typeof initial === 'number' || typeof initial === 'boolean'
  return isPlain ? `Default: ${initial === '' ? 'empty' : initial}.` : ''
}

function clearing(column: Column): string {
  return column.nullable && !column.notClearable && column.name !== customFieldsName ? 'Null clears it.' : ''
}

const dayMeanings: Readonly<Record<DayMoment, string>> = {
  BEGIN: 'A date without a time means the begin of that day in the time zone of the organization.',
  END: 'A date without a time means the end of that day in the time zone of the organization.',
}

/** What a date without a time means as the value of a field. */
export const dayMeaning = (day: DayMoment): string => dayMeanings[day]

/** What a date without a time means in a condition on a day. */
export const dayCondition =
  'A date without a time means that day in the time zone of the organization: `eq`, `gte` and `lte` include the whole day, `gt` and `lt` do not.'

/** How conditions on email addresses compare them. */
export const emailCondition = ({ kind }: Column): string =>
  `${kind === 'textList' ? '`has`, `hasAny` and `hasAll`' : '`eq`, `ne`, `in` and `notIn`'} compare addresses without regard to upper and lower case and surrounding spaces.`

/** Description of a column in an input: what it is, its bounds, and its default or what clears it. */
export const inputDescription = (column: Column, operation: 'CREATE' | 'UPDATE'): string =>
  [
    column.description ?? '',
    boundsSentence(column),
    column.day ? dayMeaning(column.day) : '',
    operation === 'CREATE' ? defaultOf(column) : clearing(column),
  ]
    .filter(Boolean)
    .join(' ')

/** The name of a type in sentences: `case comment` for `CaseComment`. */
export const wordsOf = (type: string): string =>
  type
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/^api\b/, 'API')
    .replace(/^oauth\b/, 'OAuth')
    .replace(/^ai\b/, 'AI')

/** The name of a record type in a sentence: `sequence enrollment` for `sequence_enrollment`. */
export const nameOf = ({ object }: { readonly object: string }): string =>
  wordsOf(object.replace(/^custom:/, '').replaceAll('_', ' '))

export const pluralOf = (words: string): string => words.replace(/(?<=[^aeiou])y$/, 'ie').concat('s')

/** What each filter operator compares. */
export const operatorDescriptions: Readonly<Record<string, string>> = {
  eq: 'Equal to this value.',
  ne: 'Not equal to this value; also matches records without a value.',
  in: 'Equal to one of these values, at most 500.',
  notIn: 'Equal to none of these values, at most 500; also matches records without a value.',
  gt: 'Greater than this value.',
  gte: 'Greater than or equal to this value.',
  lt: 'Less than this value.',
  lte: 'Less than or equal to this value.',
  contains: 'Contains this text. Upper and lower case are equal; `%` and `_` are ordinary characters.',
  startsWith: 'Begins with this text. Upper and lower case are equal.',
  endsWith: 'Ends with this text. Upper and lower case are equal.',
  isNull: 'True: has no value. False: has a value.',
  has: 'The list contains this value.',
  hasAny: 'The list contains at least one of these values, at most 500.',
  hasAll: 'The list contains all of these values, at most 500.',
  isEmpty: 'True: the list is empty. False: it is not.',
}

/** What the quantifiers of a filter on related records mean. */
export const quantifierDescriptions = {
  some: 'At least one related record matches.',
  every: 'Every related record matches; also true without related records.',
  none: 'No related record matches; also true without related records. If nearly every record has a match, all records are read, and a search that takes over 2 s is refused with QUERY_TOO_EXPENSIVE.',
} as const
