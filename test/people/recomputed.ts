import { Big } from 'big.js'
import { DateTime } from 'luxon'

// What the figures of the API are by their descriptions, computed from the records that the lists answer. Decimals are exact.

/** A value of a field, as far as figures need it; undefined if the record has no such field, which is no value of any figure. */
export type Scalar = string | number | boolean | null | undefined
/** A record as REST answers it. */
export type Row = Readonly<Record<string, Scalar>>

const halfUp = 1
const halfEven = 2
const dayMs = 86_400_000

const Exact = Big()
Exact.DP = 100

export const decimal = (value: Scalar | Big): Big => new Exact(value instanceof Exact ? value : String(value))
export const sumOf = (values: readonly Big[]): Big => values.reduce((all, value) => all.plus(value), new Exact(0))
export const totalOf = (rows: readonly Row[], name: string): Big =>
  sumOf(rows.flatMap((row) => (row[name] === null ? [] : decimal(row[name]))))

/** The currencies of the tests have two decimals. */
export const money = (value: Big): number => Number(value.round(2, halfEven).toFixed())
export const exact = (value: Big): number => Number(value.toFixed())

/** A quotient; null without a divisor. */
export const quotient = (dividend: Big | number, divisor: Big | number, decimals: number): number | null =>
  decimal(divisor).eq(0) ? null : Number(decimal(dividend).div(decimal(divisor)).round(decimals, halfUp).toFixed())

/** The number of rows by each value; rows without a value are not counted. */
export function countsBy(rows: readonly Row[], name: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { [name]: value } of rows) if (value !== null) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}

export const withValue = (rows: readonly Row[], name: string, ...values: readonly Scalar[]): Row[] =>
  rows.filter((row) => values.includes(row[name]))
export const without = (rows: readonly Row[], name: string, ...values: readonly Scalar[]): Row[] =>
  rows.filter((row) => !values.includes(row[name]))

/** The groups by a key, ordered by it. */
export const groupsBy = <T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] =>
  [...Map.groupBy(items, keyOf)].toSorted(([one], [other]) => (one < other ? -1 : 1))

/** What an organization decides about figures: its zone, its base currency and the value of the others by day. */
export interface Books {
  readonly now: Date
  readonly zone: string
  readonly baseCurrency: string
  readonly rates: readonly { readonly currency: string; readonly date: string; readonly rate: number }[]
}

export const today = ({ now, zone }: Books): string => DateTime.fromJSDate(now, { zone }).toISODate()!
/** The day of a moment in the time zone of the organization. */
export const dayOf = ({ zone }: Books, moment: Scalar): string =>
  DateTime.fromISO(String(moment), { zone }).toISODate()!
/** The day that a field has as midnight UTC. */
export const storedDay = (value: Scalar): string => String(value).slice(0, 10)
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs

/** The value of one unit in the base currency on a day; null without a rate. */
export function rateOn({ baseCurrency, rates }: Books, currency: Scalar, day: string): Big | null {
  if (currency === baseCurrency) return decimal(1)
  const known = rates.filter((one) => one.currency === currency && one.date <= day)
  const latest = known.toSorted((one, other) => (one.date < other.date ? -1 : 1)).at(-1)
  return latest ? decimal(latest.rate) : null
}

/** The exact sum in the base currency of the amounts that have a rate on their day, and how many have none. */
export function converted(
  books: Books,
  rows: readonly Row[],
  name: string,
  dayOfRow: (row: Row) => string = () => today(books),
): { readonly sum: Big; readonly converted: number; readonly unconverted: number } {
  const rated = rows.filter((row) => row[name] !== null)
  const values = rated.flatMap((row) => rateOn(books, row['currency'], dayOfRow(row))?.times(decimal(row[name])) ?? [])
  return { sum: sumOf(values), converted: values.length, unconverted: rated.length - values.length }
}

/** Number, sum and average of an amount by currency. */
export const currencyFigures = (rows: readonly Row[], name: string) =>
  groupsBy(rows, (row) => String(row['currency'])).map(([currency, own]) => {
    const sum = totalOf(own, name)
    return { currency, count: own.length, sum: exact(sum), average: money(sum.div(own.length)) }
  })

/** The average time between two moments of the rows that have both. */
export function averageTime(rows: readonly Row[], from: string, to: string, unitMs: number): number | null {
  const times = rows.filter((row) => row[from] !== null && row[to] !== null)
  const ms = sumOf(times.map((row) => decimal(Date.parse(String(row[to])) - Date.parse(String(row[from])))))
  return quotient(ms, times.length * unitMs, 2)
}

/** An average with two decimals of the rows that have a value. */
export const average = (rows: readonly Row[], name: string): number | null =>
  quotient(totalOf(rows, name), without(rows, name, null).length, 2)

/** The lists whose records are counted. */
export const lists = [
  'account',
  'contact',
  'lead',
  'opportunity',
  'task',
  'case',
  'activity',
  'product',
  'quote',
  'order',
  'invoice',
  'creditNote',
  'payment',
] as const
export type Lists = Readonly<Record<(typeof lists)[number], readonly Row[]>>
