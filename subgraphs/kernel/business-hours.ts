import { DateTime, Interval } from 'luxon'

type Weekday = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN'

/** When an organization works: spans of local time by weekday, and the days on which it does not work at all. */
export interface BusinessHours {
  /** IANA name. */
  readonly timezone: string
  /** `{"MON": [["09:00", "12:30"], ["13:30", "17:00"]]}`; a day that is absent is off. */
  readonly days: Readonly<Partial<Record<Weekday, readonly (readonly [string, string])[]>>>
  /** `2027-12-25` */
  readonly holidays?: readonly string[]
}

export const weekdays: readonly Weekday[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
/** A calendar that leaves no working time within this many days counts as none. */
const daysMax = 1000

/** The working spans of the local day that `day` falls on, in order. */
function spansOf({ days, holidays = [] }: BusinessHours, day: DateTime): Interval[] {
  if (holidays.includes(day.toISODate()!)) return []
  const at = (time: string): DateTime => {
    const [hour, minute] = time.split(':').map(Number)
    return day.startOf('day').set({ hour: hour!, minute: minute! })
  }
  return (days[weekdays[day.weekday - 1]!] ?? []).map(([start, end]) =>
    Interval.fromDateTimes(at(start), end === '24:00' ? day.startOf('day').plus({ days: 1 }) : at(end)),
  )
}

/** The last moment that a timestamp can say. */
const latest = Date.parse('9999-12-31T23:59:59.999Z')

const iso = (ms: number): string => new Date(Math.min(ms, latest)).toISOString()

/** The moment when so much working time has passed since `from`; every hour counts without a calendar. */
export function addWorkingTime(from: string, ms: number, hours: BusinessHours | null | undefined): string {
  const start = Date.parse(from)
  if (!hours) return iso(start + ms)
  let left = ms
  let day = DateTime.fromMillis(start, { zone: hours.timezone })
  for (let count = 0; count < daysMax; count++, day = day.plus({ days: 1 }).startOf('day')) {
    for (const span of spansOf(hours, day)) {
      const begin = Math.max(span.start!.toMillis(), start)
      const available = span.end!.toMillis() - begin
      if (available <= 0) continue
      if (left <= available) return iso(begin + left)
      left -= available
    }
  }
  return iso(start + ms)
}

/** How much working time lies between two moments. */
export function workingTimeBetween(from: string, to: string, hours: BusinessHours | null | undefined): number {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (!hours || end <= start) return Math.max(0, end - start)
  let sum = 0
  let day = DateTime.fromMillis(start, { zone: hours.timezone })
  for (let count = 0; count < daysMax && day.toMillis() < end; count++, day = day.plus({ days: 1 }).startOf('day')) {
    for (const span of spansOf(hours, day)) {
      sum += Math.max(0, Math.min(span.end!.toMillis(), end) - Math.max(span.start!.toMillis(), start))
    }
  }
  return sum
}
