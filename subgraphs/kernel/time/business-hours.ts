import { dayMs, WallCalendar } from './wall-calendar.ts'
import type { BusinessHours } from './working-week.ts'
import { offsetPeriods } from './zone-offsets.ts'

/** Upper bound of a due date: ten years ahead, even when an organization has almost no working time. */
export const aheadMaxMs = 3653 * dayMs

/** The last moment that an ISO timestamp with a four-digit year can express. */
const latest = Date.parse('9999-12-31T23:59:59.999Z')

const iso = (ms: number): string => new Date(Math.min(ms, latest)).toISOString()

const calendars = new WeakMap<BusinessHours, WallCalendar>()

/** Null when every hour counts as working time: there are no business hours, or they contain no working time. */
function calendarOf(hours: BusinessHours | null | undefined): WallCalendar | null {
  if (!hours) return null
  let calendar = calendars.get(hours)
  if (!calendar) calendars.set(hours, (calendar = new WallCalendar(hours)))
  return calendar.weekTotal > 0 ? calendar : null
}

/**
 * The first moment at which `ms` of working time has passed since `from`, at most ten years ahead. The result never decreases when
 * `ms` grows. Elapsed time is counted while local time is within working hours: an hour skipped by a daylight-saving change counts
 * zero, and a repeated hour counts twice.
 */
export function addWorkingTime(from: string, ms: number, hours: BusinessHours | null | undefined): string {
  const start = Date.parse(from)
  const calendar = calendarOf(hours)
  if (!calendar || ms <= 0) return iso(start + ms)
  const end = start + aheadMaxMs
  let left = ms
  for (const { from: begin, until, offsetMs } of offsetPeriods(hours!.timezone, start, end)) {
    const worked = calendar.workedUntil(begin + offsetMs)
    const available = calendar.workedUntil(until + offsetMs) - worked
    if (left <= available)
      return iso(calendar.firstReaching(worked + left, begin + offsetMs, until + offsetMs) - offsetMs)
    left -= available
  }
  return iso(end)
}

/** The working time between two moments, in milliseconds. */
export function workingTimeBetween(from: string, to: string, hours: BusinessHours | null | undefined): number {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const calendar = calendarOf(hours)
  if (!calendar || end <= start) return Math.max(0, end - start)
  let sum = 0
  for (const { from: begin, until, offsetMs } of offsetPeriods(hours!.timezone, start, end)) {
    sum += calendar.workedUntil(until + offsetMs) - calendar.workedUntil(begin + offsetMs)
  }
  return sum
}
