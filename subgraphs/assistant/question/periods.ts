import { DateTime } from 'luxon'
import { periodAfter, periodOfDay, type PeriodType } from '../../kernel/time/period.ts'

export interface DateRange {
  /** Moments; the end is not part of it. */
  readonly start: string
  readonly end: string
  readonly label: string
}

export interface Calendar {
  readonly now: Date
  /** The zone of the asking user. */
  readonly zone: string
  readonly fiscalYearStartMonth: number
}

const iso = (moment: DateTime): string => moment.toUTC().toISO()!
const range = (start: DateTime, end: DateTime): DateRange => ({
  start: iso(start),
  end: iso(end),
  label: `${start.toISODate()} to ${end.minus({ milliseconds: 1 }).toISODate()}`,
})

/** The bounds of the days that a range has a part of, for values that are days as midnight UTC. */
export function daysOf({ start, end }: DateRange, zone: string): Pick<DateRange, 'start' | 'end'> {
  const midnightOf = (day: DateTime): string => iso(day.setZone('utc', { keepLocalTime: true }).startOf('day'))
  const last = DateTime.fromISO(end, { zone }).minus({ milliseconds: 1 })
  return { start: midnightOf(DateTime.fromISO(start, { zone })), end: midnightOf(last.plus({ days: 1 })) }
}

const offsets: Readonly<Record<string, number>> = { this: 0, current: 0, last: -1, previous: -1, past: -1, next: 1 }
const units: ReadonlySet<string> = new Set(['day', 'week', 'month', 'quarter', 'year'])
export const monthNames = 'january february march april may june july august september october november december'.split(
  ' ',
)
const numbers: Readonly<Record<string, number>> = Object.fromEntries(
  'one two three four five six seven eight nine ten'.split(' ').map((word, index) => [word, index + 1]),
)
export const numberOfWord = (word: string | undefined): number | null => {
  if (word === undefined) return null
  if (/^\d{1,4}$/.test(word)) return Number(word)
  return numbers[word] ?? null
}

function fiscal(type: PeriodType, offset: number, { now, zone, fiscalYearStartMonth }: Calendar): DateRange {
  const calendar = { timezone: zone, fiscalYearStartMonth }
  const day = DateTime.fromJSDate(now, { zone }).toISODate()!
  const { start, end } = periodAfter(periodOfDay(day, type, calendar), offset, calendar)
  return range(DateTime.fromISO(start, { zone }), DateTime.fromISO(end, { zone }))
}

const begins = new Set(['today', 'tomorrow', 'yesterday', 'in', ...Object.keys(offsets), ...monthNames])

/** The period that begins at a word, and how many words it takes; null if there is none. */
export function periodAt(
  words: readonly string[],
  at: number,
  calendar: Calendar,
): { range: DateRange; length: number } | null {
  if (!begins.has(words[at]!)) return null
  const now = DateTime.fromJSDate(calendar.now, { zone: calendar.zone })
  const today = now.startOf('day')
  const [first, second, third] = words.slice(at, at + 3)
  const of = (start: DateTime, end: DateTime, length: number) => ({ range: range(start, end), length })
  if (first === 'today') return of(today, today.plus({ days: 1 }), 1)
  if (first === 'tomorrow') return of(today.plus({ days: 1 }), today.plus({ days: 2 }), 1)
  if (first === 'yesterday') return of(today.minus({ days: 1 }), today, 1)
  const offset = offsets[first ?? '']
  if (offset !== undefined && second === 'fiscal' && (third === 'year' || third === 'quarter'))
    return { range: fiscal(third === 'year' ? 'YEAR' : 'QUARTER', offset, calendar), length: 3 }
  if (offset !== undefined && second !== undefined && units.has(second)) {
    if (second === 'quarter') return { range: fiscal('QUARTER', offset, calendar), length: 2 }
    const unit = second as 'day' | 'week' | 'month' | 'year'
    const start = now.startOf(unit).plus({ [`${unit}s`]: offset })
    return of(start, start.plus({ [`${unit}s`]: 1 }), 2)
  }
  const count = numberOfWord(second)
  const unit = third?.replace(/s$/, '') ?? ''
  if (offset !== undefined && offset !== 0 && count !== null && count > 0 && count <= 1000 && units.has(unit)) {
    const step = unit === 'quarter' ? { months: 3 * count } : { [`${unit}s`]: count }
    if (offset > 0) return of(now, today.plus({ days: 1 }).plus(step), 3)
    return of(today.minus(step), now.plus({ milliseconds: 1 }), 3)
  }
  const month = monthNames.indexOf(first ?? '')
  if (month >= 0) {
    const year = second !== undefined && /^(?:19|20|21)\d\d$/.test(second) ? Number(second) : null
    // Without a year, "may" is more often a verb.
    if (year === null && first === 'may') return null
    const start = DateTime.fromObject({ year: year ?? now.year, month: month + 1 }, { zone: calendar.zone })
    return of(start, start.plus({ months: 1 }), year === null ? 1 : 2)
  }
  if (first === 'in' && second !== undefined && /^(?:19|20|21)\d\d$/.test(second)) {
    const start = DateTime.fromObject({ year: Number(second) }, { zone: calendar.zone })
    return of(start, start.plus({ years: 1 }), 2)
  }
  return null
}
