/** A duration of the calendar (months) and of the clock (milliseconds). */
export interface Duration {
  readonly months: number
  readonly ms: number
}

/** A time relative to the event. */
export interface RelativeTime extends Duration {
  readonly base: 'NOW' | 'TODAY'
}

const second = 1000
const day = 86_400 * second
/** A hundred years. */
const daysMax = 36_525

const duration =
  /^P(?=\d|T\d)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/

/** Null when the text is not an ISO 8601 duration in whole units, or longer than 100 years. */
function parseIsoDuration(text: string): Duration | null {
  const match = duration.exec(text)
  if (!match) return null
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const parsed = {
    months: years * 12 + months,
    ms: (weeks * 7 + days) * day + (hours * 3600 + minutes * 60 + seconds) * second,
  }
  return parsed.months * 30 + parsed.ms / day > daysMax ? null : parsed
}

/** An ISO 8601 duration or a number of days. */
export function parseDuration(value: unknown): Duration | null {
  if (typeof value === 'string') return parseIsoDuration(value)
  const isDays = typeof value === 'number' && value >= 0 && value <= daysMax
  return isDays ? { months: 0, ms: Math.round(value * day) } : null
}

/** `NOW`, `TODAY`, each plus or minus a duration: `TODAY-P7D`. */
export function parseRelativeTime(value: unknown): RelativeTime | null {
  const match = typeof value === 'string' ? /^(NOW|TODAY)(?:([+-])(P.{1,60}))?$/.exec(value) : null
  if (!match) return null
  const base = match[1] as 'NOW' | 'TODAY'
  if (match[3] === undefined) return { base, months: 0, ms: 0 }
  const found = parseIsoDuration(match[3])
  if (!found) return null
  return match[2] === '-' ? { base, months: -found.months, ms: -found.ms } : { base, ...found }
}

/** Adds months like a calendar: one month after January 31 is the last day of February. */
function addMonths(time: number, months: number): number {
  if (months === 0) return time
  const date = new Date(time)
  const dayOfMonth = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(dayOfMonth, last))
}

export const later = (time: number, { months, ms }: Duration): number => addMonths(time, months) + ms

export const earlier = (time: number, { months, ms }: Duration): number => addMonths(time, -months) - ms

/** The time in milliseconds. `now` is the time of the event. */
export const timeOf = ({ base, ...shift }: RelativeTime, now: number): number =>
  later(base === 'TODAY' ? Math.floor(now / day) * day : now, shift)
