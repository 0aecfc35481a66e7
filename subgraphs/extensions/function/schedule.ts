import { Cron } from 'croner'

const gapMinutes = 5
/** Digits, steps, ranges and lists; names of months and weekdays; no seconds, no years, no nicknames. */
const fields = /^[\dA-Za-z*/,-]+(?: [\dA-Za-z*/,-]+){4}$/
const part = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/

/** The minutes of an hour that a minute field names; null if it names none. */
function minutesOf(field: string): number[] | null {
  const minutes = new Set<number>()
  for (const text of field.split(',')) {
    const [match, first, last, step] = part.exec(text) ?? []
    if (match === undefined || step === '0') return null
    const from = first === undefined ? 0 : Number(first)
    const to = last !== undefined ? Number(last) : first === undefined || step !== undefined ? 59 : from
    for (let minute = from; minute <= to; minute += step === undefined ? 1 : Number(step)) minutes.add(minute)
  }
  return minutes.size > 0 ? [...minutes].toSorted((a, b) => a - b) : null
}

/** Why the text is no schedule; null if it is one. */
export function scheduleProblem(schedule: string): 'WRONG_FORMAT' | 'OUT_OF_RANGE' | null {
  if (!fields.test(schedule) || nextTick(schedule, new Date('2027-01-01T00:00:00Z')) === null) return 'WRONG_FORMAT'
  const minutes = minutesOf(schedule.split(' ')[0]!)
  if (!minutes) return 'WRONG_FORMAT'
  // The minutes of two hours in a row are compared as well: 58 and 2 are four minutes apart.
  const isTooOften =
    minutes.length > 1 &&
    minutes.some((minute, index) => (minutes[index + 1] ?? minutes[0]! + 60) - minute < gapMinutes)
  return isTooOften ? 'OUT_OF_RANGE' : null
}

/** The first time of the schedule after `now`, in UTC; null if it never comes true. */
export function nextTick(schedule: string, now: Date): Date | null {
  try {
    return new Cron(schedule, { timezone: 'UTC', paused: true, mode: '5-part' }).nextRun(now)
  } catch {
    return null
  }
}
