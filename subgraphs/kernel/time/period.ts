import { DateTime } from 'luxon'
import { invalid } from '../errors.ts'
import { momentOfDay } from './days.ts'
import { weekdays, type BusinessHours } from './working-week.ts'

export const periodTypes = ['MONTH', 'QUARTER', 'YEAR'] as const
export type PeriodType = (typeof periodTypes)[number]

/** What decides when the periods of an organization begin. */
export interface FiscalCalendar {
  /** IANA name. */
  readonly timezone: string
  /** 1 to 12. */
  readonly fiscalYearStartMonth: number
}

/** A month, fiscal quarter or fiscal year. `start` and `end` are moments, `firstDay` and `endDay` local days; the end is not part of it. */
export interface Period {
  /** `2026-03`, `2026-Q1` or `2026`. */
  readonly text: string
  readonly type: PeriodType
  readonly firstDay: string
  readonly endDay: string
  readonly start: string
  readonly end: string
}

const months: Readonly<Record<PeriodType, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 }
const form = /^((?:19|20|21)\d{2})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])))?$/
const forms: Readonly<Record<PeriodType, string>> = {
  MONTH: 'a month such as 2026-03',
  QUARTER: 'a fiscal quarter such as 2026-Q1',
  YEAR: 'a fiscal year such as 2026',
}

/**
 * The period that a text names: a calendar month `2026-03`, a fiscal quarter `2026-Q1` or a fiscal year `2026`, which begins in 2026. A
 * text of another form, of a year outside of 1900 to 2199, or of another type than `type` is refused.
 */
export function periodOf(
  text: string,
  type: PeriodType | null | undefined,
  calendar: FiscalCalendar,
  path = 'period',
): Period {
  const [, year, month, quarter] = form.exec(text) ?? []
  const found: PeriodType = month ? 'MONTH' : quarter ? 'QUARTER' : 'YEAR'
  if (year === undefined || (type && type !== found)) {
    const wanted = type ? forms[type] : Object.values(forms).join(', ')
    throw invalid({ path, code: 'WRONG_FORMAT', message: `${path} must be ${wanted}.` })
  }
  const first = month ? Number(month) : calendar.fiscalYearStartMonth + 3 * (Number(quarter ?? 1) - 1)
  return periodFrom(found, DateTime.utc(Number(year), 1, 1).plus({ months: first - 1 }), calendar)
}

/** The period of this type that contains the local day. */
export function periodOfDay(day: string, type: PeriodType, calendar: FiscalCalendar): Period {
  const month = DateTime.fromISO(day, { zone: 'utc' }).startOf('month')
  const intoYear = (month.month - calendar.fiscalYearStartMonth + 12) % 12
  const back = type === 'MONTH' ? 0 : intoYear % months[type]
  return periodFrom(type, month.minus({ months: back }), calendar)
}

/** The period of the same type that begins `count` periods later, or earlier for a negative number. */
export const periodAfter = (period: Period, count: number, calendar: FiscalCalendar): Period =>
  periodFrom(
    period.type,
    DateTime.fromISO(period.firstDay, { zone: 'utc' }).plus({ months: count * months[period.type] }),
    calendar,
  )

function periodFrom(type: PeriodType, first: DateTime, { timezone, fiscalYearStartMonth }: FiscalCalendar): Period {
  const [firstDay, endDay] = [first, first.plus({ months: months[type] })].map((day) => day.toISODate()!) as [
    string,
    string,
  ]
  const intoYear = (first.month - fiscalYearStartMonth + 12) % 12
  const fiscalYear = first.minus({ months: intoYear }).year
  const texts = {
    MONTH: first.toFormat('yyyy-MM'),
    QUARTER: `${fiscalYear}-Q${Math.floor(intoYear / 3) + 1}`,
    YEAR: String(fiscalYear),
  }
  const [start, end] = [firstDay, endDay].map((day) => momentOfDay(day, 'BEGIN', timezone)) as [string, string]
  return { text: texts[type], type, firstDay, endDay, start, end }
}

const dayMs = 86_400_000
const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs
/** 1970-01-01 was a Thursday. */
const weekdayOf = (number: number): number => (((number + 3) % 7) + 7) % 7

/**
 * The number of business days from `from` to before `to`. They are the weekdays with working hours that are not holidays; Monday to Friday
 * if the organization has no business hours, or none with working time. Zero if `to` is not after `from`.
 */
export function businessDaysBetween(from: string, to: string, hours: BusinessHours | null | undefined): number {
  const worked = weekdays.map((weekday) => (hours?.days[weekday]?.length ?? 0) > 0)
  const isWorked = worked.includes(true) ? worked : weekdays.map((_, index) => index < 5)
  const [first, end] = [dayNumber(from), dayNumber(to)]
  if (end <= first) return 0
  const isBusinessDay = (day: number) => isWorked[weekdayOf(day)]
  const weeks = Math.floor((end - first) / 7)
  let count = weeks * isWorked.filter(Boolean).length
  for (let day = first + 7 * weeks; day < end; day++) if (isBusinessDay(day)) count++
  const holidays = new Set(hours?.holidays?.map(dayNumber))
  for (const day of holidays) if (day >= first && day < end && isBusinessDay(day)) count--
  return count
}
