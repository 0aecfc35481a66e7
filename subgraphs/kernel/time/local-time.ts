import { DateTime } from 'luxon'

/** A time of day as `HH:MM`. */
export const isTimeOfDay = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)

const minutesOf = (timeOfDay: string): number => Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3))

/**
 * The first moment after `after` at which the clocks of the zone show this time of day. Where a change to summer time skips it, the
 * moment at which it would have been; where a change to winter time repeats it, both.
 */
export function nextLocalTime(after: Date, timeOfDay: string, zone: string): Date {
  const minutes = minutesOf(timeOfDay)
  const today = DateTime.fromJSDate(after, { zone }).startOf('day')
  for (let days = 0; days <= 2; days++) {
    const wanted = today
      .plus({ days })
      .set({ hour: Math.floor(minutes / 60), minute: minutes % 60, second: 0, millisecond: 0 })
    const moments = wanted.getPossibleOffsets().map((moment) => moment.toMillis())
    const next = moments.toSorted((one, other) => one - other).find((moment) => moment > after.getTime())
    if (next !== undefined) return new Date(next)
  }
  // A zone that skips a whole day.
  return new Date(after.getTime() + 86_400_000)
}

/** Whether the clocks of the zone show a time from `start` to before `end`, which may be on the next day. */
export function isWithinLocalTime(moment: Date, start: string, end: string, zone: string): boolean {
  const { hour, minute } = DateTime.fromJSDate(moment, { zone })
  const now = hour * 60 + minute
  const [from, until] = [minutesOf(start), minutesOf(end)]
  return from <= until ? now >= from && now < until : now >= from || now < until
}
