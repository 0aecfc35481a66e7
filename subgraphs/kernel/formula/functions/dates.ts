import { dateIn } from '../../time/days.ts'
import {
  addDays,
  addDaysToTime,
  addMonths,
  addMonthsToTime,
  dayOf,
  parseDay,
  parseTime,
  partsOf,
  steps,
} from '../calendar.ts'
import { fromInteger, quotient, toCount } from '../fixed-point.ts'
import type { Form } from '../formula.ts'
import { form, type FunctionTable } from './form.ts'

const step = (value: bigint): number => toCount(value, steps.low, steps.high)
const stepSql = (value: string): string => `kernel.formula_count(${value}, ${steps.low}, ${steps.high})`
const part = (value: bigint): number => toCount(value, 0, 10_000)
const partSql = (value: string): string => `kernel.formula_count(${value}, 0, 10000)`

const hourMs = fromInteger(3_600_000)

type ReadsMoment = Pick<Form, 'takes' | 'gives' | 'reads' | 'sql'>
const readsMoment = <A extends readonly unknown[]>(form: ReadsMoment, js: (...args: A) => number | null): Form => ({
  ...form,
  js: js as unknown as Form['js'],
})

export const dates: FunctionTable = {
  TODAY: [readsMoment({ takes: [], gives: 'DATE', reads: 'today', sql: (today) => today! }, parseDay)],
  NOW: [
    readsMoment(
      { takes: [], gives: 'DATETIME', reads: 'now', sql: (now) => `kernel.formula_time(${now})` },
      (now: Date) => now.getTime(),
    ),
  ],

  DATE: [
    form(
      ['NUMBER', 'NUMBER', 'NUMBER'],
      'DATE',
      (year, month, day) => dayOf(part(year), part(month), part(day)),
      (year, month, day) => `kernel.formula_date(${partSql(year)}, ${partSql(month)}, ${partSql(day)})`,
    ),
  ],
  DATEVALUE: [
    form(['TEXT'], 'DATE', parseDay, (text) => `kernel.formula_day(${text})`),
    readsMoment(
      {
        takes: ['DATETIME'],
        gives: 'DATE',
        reads: 'zone',
        sql: (time, zone) => `kernel.formula_day(${time}, ${zone})`,
      },
      (time: number, zone: string) => parseDay(dateIn(zone, new Date(time))),
    ),
  ],
  DATETIMEVALUE: [form(['TEXT'], 'DATETIME', parseTime, (text) => `kernel.formula_time(${text})`)],

  YEAR: [
    form(
      ['DATE'],
      'NUMBER',
      (day) => fromInteger(partsOf(day).year),
      (day) => `extract(year from ${day})`,
    ),
  ],
  MONTH: [
    form(
      ['DATE'],
      'NUMBER',
      (day) => fromInteger(partsOf(day).month),
      (day) => `extract(month from ${day})`,
    ),
  ],
  DAY: [
    form(
      ['DATE'],
      'NUMBER',
      (day) => fromInteger(partsOf(day).day),
      (day) => `extract(day from ${day})`,
    ),
  ],
  WEEKDAY: [
    form(
      ['DATE'],
      'NUMBER',
      (day) => fromInteger(partsOf(day).weekday),
      (day) => `extract(dow from ${day}) + 1`,
    ),
  ],

  ADDDAYS: [
    form(
      ['DATE', 'NUMBER'],
      'DATE',
      (day, days) => addDays(day, step(days)),
      (day, days) => `kernel.formula_add_days(${day}, ${stepSql(days)})`,
    ),
    form(
      ['DATETIME', 'NUMBER'],
      'DATETIME',
      (time, days) => addDaysToTime(time, step(days)),
      (time, days) => `kernel.formula_add_days(${time}, ${stepSql(days)})`,
    ),
  ],
  ADDMONTHS: [
    form(
      ['DATE', 'NUMBER'],
      'DATE',
      (day, months) => addMonths(day, step(months)),
      (day, months) => `kernel.formula_add_months(${day}, ${stepSql(months)})`,
    ),
    form(
      ['DATETIME', 'NUMBER'],
      'DATETIME',
      (time, months) => addMonthsToTime(time, step(months)),
      (time, months) => `kernel.formula_add_months(${time}, ${stepSql(months)})`,
    ),
  ],
  DAYSBETWEEN: [
    form(
      ['DATE', 'DATE'],
      'NUMBER',
      (from, to) => fromInteger(to - from),
      (from, to) => `(${to} - ${from})::numeric`,
    ),
  ],
  HOURSBETWEEN: [
    form(
      ['DATETIME', 'DATETIME'],
      'NUMBER',
      (from, to) => quotient(fromInteger(to - from), hourMs),
      (from, to) => `kernel.formula_divide(extract(epoch from ${to} - ${from}), 3600)`,
    ),
  ],
}
