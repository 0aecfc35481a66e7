import { offsetPeriods } from '../../kernel/time/zone-offsets.ts'
import { weekdays } from '../../kernel/time/working-week.ts'

const dayMs = 86_400_000
/** A window that does not open within this time holds nothing back any longer. */
const daysMax = 400
/** 1970-01-01 was a Thursday; adding this makes Monday day 0 of the week. */
const mondayShift = 3

/** When a person may be written to, by the clocks of a time zone. */
export interface SendWindow {
  /** IANA name. */
  readonly zone: string
  readonly days: ReadonlySet<(typeof weekdays)[number]>
  /** `HH:MM`, the first minute. */
  readonly start: string
  /** `HH:MM`, the first minute after the window. One that is not after the start is on the next day. */
  readonly end: string
  /** `2027-12-25`: days on which no window begins. */
  readonly holidays: ReadonlySet<string>
}

function wallMs(timeOfDay: string): number {
  const [hours, minutes] = timeOfDay.split(':').map(Number)
  return (hours! * 60 + minutes!) * 60_000
}

/** The UTC offset of the zone at a moment, in milliseconds. */
function offsetAt(zone: string, moment: number): number {
  for (const { offsetMs } of offsetPeriods(zone, moment, moment + 1)) return offsetMs
  return 0
}

/**
 * The first moment, not before the given one, at which the clocks of the zone show a time in the window. A window whose start is
 * skipped by a change to summer time begins when the clocks have been moved; a time that a change to winter time repeats is in the
 * window both times.
 */
export function nextAllowed(notBefore: Date, { zone, days, start, end, holidays }: SendWindow): Date {
  const earliest = notBefore.getTime()
  const [opens, closes] = [wallMs(start), wallMs(end)]
  const lengthMs = closes > opens ? closes - opens : closes - opens + dayMs
  const today = Math.floor((earliest + offsetAt(zone, earliest)) / dayMs)
  // A window over midnight may have begun on the day before.
  for (let day = today - 1; day <= today + daysMax; day++) {
    const name = weekdays[(((day + mondayShift) % 7) + 7) % 7]!
    if (!days.has(name) || holidays.has(new Date(day * dayMs).toISOString().slice(0, 10))) continue
    const wallStart = day * dayMs + opens
    const wallEnd = wallStart + lengthMs
    // No zone is further than a day from UTC.
    for (const { from, until, offsetMs } of offsetPeriods(zone, wallStart - dayMs, wallEnd + dayMs)) {
      const begin = Math.max(from, wallStart - offsetMs, earliest)
      if (begin < Math.min(until, wallEnd - offsetMs)) return new Date(begin)
    }
  }
  return new Date(earliest + daysMax * dayMs)
}
