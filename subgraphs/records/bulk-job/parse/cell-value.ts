import { DateTime } from 'luxon'
import { exactNumberOf, nearestNumber } from '../../../kernel/json/exact-number.ts'
import { parseJsonExactly } from '../../../kernel/json/exact-json.ts'
import { enumerationOf, type Column } from '../../../kernel/record/column.ts'
import { isDay, momentOfDay } from '../../../kernel/time/days.ts'

/** How the texts of a file are read; nothing of it is guessed. */
export interface CellFormat {
  readonly dateFormat: 'ISO' | 'DMY' | 'MDY' | 'YMD'
  readonly decimalSeparator: 'POINT' | 'COMMA'
  /** Time zone of the organization. */
  readonly zone: string
  /** Whether an apostrophe before what a spreadsheet would calculate is removed. */
  readonly spreadsheetSafe: boolean
}

const numbers = {
  POINT: /^[-+]?(?:\d{1,3}(?:[,'\u2019 \u00a0\u202f]\d{3})+|\d*)(?:\.\d+)?$/,
  COMMA: /^[-+]?(?:\d{1,3}(?:[.'\u2019 \u00a0\u202f]\d{3})+|\d*)(?:,\d+)?$/,
} as const

function numberOf(text: string, { decimalSeparator }: CellFormat, isExact: boolean): unknown {
  const given = text.trim()
  const isPlain = numbers[decimalSeparator].test(given) && /\d/.test(given)
  const [groups, separator] =
    decimalSeparator === 'POINT' ? [/[,'\u2019 \u00a0\u202f]/g, '.'] : [/[.'\u2019 \u00a0\u202f]/g, ',']
  const digits = isPlain ? given.replaceAll(groups, '').replace(separator, '.').replace(/^\+/, '') : given
  // Numbers with an exponent, which have no groups.
  const number = exactNumberOf(digits.replace(/^(-?)\./, '$10.').replace(/^(-?)0+(?=\d)/, '$1'))
  if (number === null || (!isPlain && !/^[-+]?\d+(?:\.\d+)?e/i.test(given))) return undefined
  return isExact ? number : nearestNumber(number)
}

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, yes: true, no: false, 1: true, 0: false }

const dates = {
  DMY: /^(?<day>\d{1,2})([./-])(?<month>\d{1,2})\2(?<year>\d{4})/,
  MDY: /^(?<month>\d{1,2})([./-])(?<day>\d{1,2})\2(?<year>\d{4})/,
  YMD: /^(?<year>\d{4})([./-])(?<month>\d{1,2})\2(?<day>\d{1,2})/,
} as const
const clock = /^(?:,? |T)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?: ?(?<half>[AP]M))?$/i

/** The date, or the date and time, in the form of the API; undefined if there is none of this form. */
function dateOf(text: string, { dateFormat, zone }: CellFormat): string | undefined {
  const given = text.trim()
  if (dateFormat === 'ISO') return given
  const date = dates[dateFormat].exec(given)
  if (!date?.groups) return undefined
  const { year, month, day } = date.groups
  const iso = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
  if (date[0].length === given.length) return iso
  const time = clock.exec(given.slice(date[0].length))?.groups
  if (!time) return undefined
  const isHalf = time.half !== undefined
  const hour = isHalf ? (Number(time.hour) % 12) + (time.half!.toUpperCase() === 'PM' ? 12 : 0) : Number(time.hour)
  if (isHalf && (Number(time.hour) < 1 || Number(time.hour) > 12)) return undefined
  const local = DateTime.fromObject(
    {
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hour,
      minute: Number(time.minute),
      second: Number(time.second ?? 0),
    },
    { zone },
  )
  return local.isValid ? new Date(local.toMillis()).toISOString() : undefined
}

/** A date without a time in a field that people think of as a day. */
export function dayValue({ kind, day }: Column, value: unknown, zone: string): unknown {
  return kind === 'timestamp' && day && isDay(value) && DateTime.fromISO(value).isValid
    ? momentOfDay(value, day, zone)
    : value
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    return undefined
  }
}

/** A member of an enumeration, also as spreadsheets write it: `Closed Won` is CLOSED_WON. */
function memberOf(column: Column, text: string): string {
  const members = enumerationOf(column)
  if (!members) return text
  const given = text.trim()
  if (Object.hasOwn(members, given)) return given
  const name = given.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  return Object.hasOwn(members, name) ? name : given
}

/** What a spreadsheet would calculate is a text with an apostrophe before it, and so is a text with such an apostrophe of its own. */
const withoutApostrophe = (text: string, { spreadsheetSafe }: CellFormat): string =>
  spreadsheetSafe && /^'+[=+\-@\t]/.test(text) ? text.slice(1) : text

/** The items of a list: those of a list of JSON, otherwise what semicolons separate. */
function itemsOf(text: string): string[] {
  const parsed = text.startsWith('[') ? jsonOf(text) : undefined
  if (Array.isArray(parsed) && parsed.every((item) => typeof item === 'string')) return parsed
  return text
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** The value of a cell that is not blank; undefined if it is no value of the column. */
export function cellValue(column: Column, text: string, format: CellFormat): unknown {
  switch (column.kind) {
    case 'text':
      return withoutApostrophe(text, format)
    case 'id':
      return text.trim()
    case 'enum':
      return memberOf(column, text)
    case 'integer':
    case 'number':
      return numberOf(text, format, false)
    case 'money':
      return numberOf(text, format, true)
    case 'boolean':
      return flags[text.trim().toLowerCase()]
    case 'timestamp':
    case 'date':
      return dateOf(text, format)
    case 'textList':
      return itemsOf(withoutApostrophe(text, format)).map((item) => memberOf(column, item))
    case 'json':
      return jsonOf(text)
  }
}
