import { dayMs, WallCalendar } from './wall-calendar.ts'
import type { BusinessHours } from './working-week.ts'
import { stretches } from './zone-offsets.ts'

/** No due date lies further ahead than ten years, however little an organization works. */
export const aheadMaxMs = 3653 * dayMs

/** The last moment that a timestamp can say. */
const latest = Date.parse('9999-12-31T23:59:59.999Z')

const iso = (ms: number): string => new Date(Math.min(ms, latest)).toISOString()

const calendars = new WeakMap<BusinessHours, WallCalendar>()

/** Null when every hour counts: without business hours, and with some in which nobody ever works. */
function calendarOf(hours: BusinessHours | null | undefined): WallCalendar | null {
  if (!hours) return null
  let calendar = calendars.get(hours)
  if (!calendar) calendars.set(hours, (calendar = new WallCalendar(hours)))
  return calendar.weekTotal > 0 ? calendar : null
}

/**
 * The first moment at which so much working time has passed since `from`, at most ten years ahead: more working time is never over
 * sooner. What counts is the time that really passes while the clocks of the zone show working hours, so an hour that they skip
 * gives none and one that they show twice gives two.
 */
export function addWorkingTime(from: string, ms: number, hours: BusinessHours | null | undefined): string {
  const start = Date.parse(from)
  const calendar = calendarOf(hours)
  if (!calendar || ms <= 0) return iso(start + ms)
  const end = start + aheadMaxMs
  let left = ms
  for (const { from: begin, until, offsetMs } of stretches(hours!.timezone, start, end)) {
    const worked = calendar.workedUntil(begin + offsetMs)
    const available = calendar.workedUntil(until + offsetMs) - worked
    if (left <= available) return iso(calendar.firstWith(worked + left, begin + offsetMs, until + offsetMs) - offsetMs)
    left -= available
  }
  return iso(end)
}

/** How much working time lies between two moments. */
export function workingTimeBetween(from: string, to: string, hours: BusinessHours | null | undefined): number {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const calendar = calendarOf(hours)
  if (!calendar || end <= start) return Math.max(0, end - start)
  let sum = 0
  for (const { from: begin, until, offsetMs } of stretches(hours!.timezone, start, end)) {
    sum += calendar.workedUntil(until + offsetMs) - calendar.workedUntil(begin + offsetMs)
  }
  return sum
}
