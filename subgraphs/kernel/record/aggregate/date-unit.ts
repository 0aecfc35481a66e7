import { DateTime } from 'luxon'
import { enumeration } from '../column.ts'
import { momentOfDay } from '../../time/days.ts'
import { periodOfDay, type FiscalCalendar, type PeriodType } from '../../time/period.ts'

export const DateUnit = enumeration('DateUnit', 'The length of the periods into which times are grouped.', {
  DAY: 'Days, with keys such as `2026-03-09`.',
  WEEK: 'Weeks by ISO 8601, from Monday to Sunday, with keys such as `2026-W11`.',
  MONTH: 'Calendar months, with keys such as `2026-03`.',
  QUARTER: 'Calendar quarters, with keys such as `2026-Q1`.',
  YEAR: 'Calendar years, with keys such as `2026`.',
  FISCAL_QUARTER: 'Quarters of the fiscal year, with keys such as `2026-Q1`, where the fiscal year begins in 2026.',
  FISCAL_YEAR: 'Fiscal years of the organization, with the year in which they begin as key.',
})
export type DateUnit = keyof typeof DateUnit

/** A period of a group: its key, its first moment and the first moment after it. */
export interface Bucket {
  readonly text: string
  readonly from: string
  readonly until: string
}

const fieldOf: Readonly<Record<DateUnit, string>> = {
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  QUARTER: 'quarter',
  YEAR: 'year',
  FISCAL_QUARTER: 'quarter',
  FISCAL_YEAR: 'year',
}

export const isFiscal = (unit: DateUnit): boolean => unit.startsWith('FISCAL')

/** SQL of the first day of the period that contains a local time. */
export function firstDaySql(local: string, unit: DateUnit, { fiscalYearStartMonth }: FiscalCalendar): string {
  const shift = isFiscal(unit) ? fiscalYearStartMonth - 1 : 0
  if (unit === 'DAY') return `(${local})::date`
  if (shift === 0) return `date_trunc('${fieldOf[unit]}', ${local})::date`
  const months = `interval '${shift} months'`
  return `(date_trunc('${fieldOf[unit]}', ${local} - ${months}) + ${months})::date`
}

const typeOf: Readonly<Partial<Record<DateUnit, PeriodType>>> = {
  MONTH: 'MONTH',
  QUARTER: 'QUARTER',
  YEAR: 'YEAR',
  FISCAL_QUARTER: 'QUARTER',
  FISCAL_YEAR: 'YEAR',
}

/** The period that begins with this day in the time zone of the organization. */
export function bucketOf(firstDay: string, unit: DateUnit, calendar: FiscalCalendar): Bucket {
  const type = typeOf[unit]
  if (type) {
    const fiscalYearStartMonth = isFiscal(unit) ? calendar.fiscalYearStartMonth : 1
    const { text, start, end } = periodOfDay(firstDay, type, { ...calendar, fiscalYearStartMonth })
    return { text, from: start, until: end }
  }
  const day = DateTime.fromISO(firstDay, { zone: 'utc' })
  const next = day.plus({ days: unit === 'WEEK' ? 7 : 1 }).toISODate()!
  const [from, until] = [firstDay, next].map((date) => momentOfDay(date, 'BEGIN', calendar.timezone)) as [
    string,
    string,
  ]
  return { text: unit === 'WEEK' ? day.toFormat("kkkk-'W'WW") : firstDay, from, until }
}
