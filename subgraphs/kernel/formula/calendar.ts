const dayMs = 86_400_000
/** 0001-01-01 and 9999-12-31. */
const [firstDay, lastDay] = [-719_162, 2_932_896]
const [firstTime, lastTime] = [firstDay * dayMs, (lastDay + 1) * dayMs - 1]
/** More than the days, and the months, of all years of the calendar. */
const stepsMax = 4_000_000

const inCalendar = (day: number): number | null => (day >= firstDay && day <= lastDay ? day : null)
const timeInCalendar = (time: number): number | null => (time >= firstTime && time <= lastTime ? time : null)

const dayNumber = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) / dayMs

/** The day with these numbers; null when it does not exist or is not in the years 1 to 9999. */
export function dayOf(year: number, month: number, day: number): number | null {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return null
  const found = dayNumber(year, month, day)
  return new Date(found * dayMs).getUTCDate() === day ? found : null
}

export function partsOf(day: number): { year: number; month: number; day: number; weekday: number } {
  const date = new Date(day * dayMs)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay() + 1,
  }
}

const [year, month, day] = ['(\\d{4})', '(\\d\\d)', '(\\d\\d)']
const date = new RegExp(`^${year}-${month}-${day}$`)
const datetime = new RegExp(
  `^${year}-${month}-${day}T([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d)(\\.\\d{1,9})?)?(?:Z|([+-])(0\\d|1[0-4]):?([0-5]\\d))$`,
)

/** The day of a text `YYYY-MM-DD`. */
export function parseDay(text: string): number | null {
  const parts = date.exec(text)
  return parts && dayOf(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

/** The time of an ISO 8601 date and time with an offset: to the microsecond like PostgreSQL, then cut to the millisecond. */
export function parseTime(text: string): number | null {
  const parts = datetime.exec(text)
  if (!parts) return null
  const [hour, minute, second, fraction] = [4, 5, 6, 7].map((index) => Number(parts[index] ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  const found = dayOf(Number(parts[1]), Number(parts[2]), Number(parts[3]))
  if (found === null) return null
  const offset = (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0)) * (parts[8] === '-' ? -1 : 1)
  const minutes = hour * 60 + minute - offset
  const ms = Math.floor(Math.round(fraction * 1e6) / 1000)
  return timeInCalendar(found * dayMs + (minutes * 60 + second) * 1000 + ms)
}

export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
export const timeText = (time: number): string => new Date(time).toISOString()

export const addDays = (day: number, days: number): number | null => inCalendar(day + days)
export const addDaysToTime = (time: number, days: number): number | null => timeInCalendar(time + days * dayMs)

/** Like a calendar: one month after January 31 is the last day of February. */
export function addMonths(given: number, months: number): number | null {
  const { year, month, day } = partsOf(given)
  const wanted = year * 12 + month - 1 + months
  const [newYear, newMonth] = [Math.floor(wanted / 12), (((wanted % 12) + 12) % 12) + 1]
  if (newYear < 1 || newYear > 9999) return null
  const last = partsOf(dayNumber(newYear, newMonth + 1, 0)).day
  return dayNumber(newYear, newMonth, Math.min(day, last))
}

export function addMonthsToTime(time: number, months: number): number | null {
  const day = Math.floor(time / dayMs)
  const moved = addMonths(day, months)
  return moved === null ? null : moved * dayMs + time - day * dayMs
}

/** Steps between days or months, from a number of a formula. */
export const steps = { low: -stepsMax, high: stepsMax } as const
