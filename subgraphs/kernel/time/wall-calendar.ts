import { weekdays, type BusinessHours } from './working-week.ts'

const minuteMs = 60_000
export const dayMs = 86_400_000
/** 1970-01-01 was a Thursday; adding this makes Monday day 0 of the week. */
const mondayShift = 3

interface Span {
  readonly start: number
  readonly end: number
}

/** The working time of one weekday. */
interface Day {
  readonly spans: readonly Span[]
  readonly total: number
  /** Working time of the earlier days of the same week. */
  readonly before: number
}

const weekdayOf = (day: number): number => (((day + mondayShift) % 7) + 7) % 7

function timeOfDay(text: string): number {
  const [hour, minute] = text.split(':').map(Number)
  return (hour! * 60 + minute!) * minuteMs
}

/**
 * Working time in local (wall-clock) time: moments are milliseconds since 1970-01-01T00:00 local time, and every day has 24
 * hours. The sum before a day is computed without a loop over the days.
 */
export class WallCalendar {
  readonly weekTotal: number
  readonly #week: readonly Day[]
  /** Holidays as day numbers, in order. `#lost[n]` is the working time lost by the first `n` of them. */
  readonly #holidays: Float64Array
  readonly #lost: Float64Array

  constructor({ days, holidays = [] }: BusinessHours) {
    let before = 0
    this.#week = weekdays.map((name) => {
      const spans = (days[name] ?? []).map(([start, end]) => ({ start: timeOfDay(start), end: timeOfDay(end) }))
      const total = spans.reduce((sum, { start, end }) => sum + end - start, 0)
      const day = { spans, total, before }
      before += total
      return day
    })
    this.weekTotal = before
    this.#holidays = new Float64Array(new Set(holidays.map((date) => Date.parse(`${date}T00:00:00Z`) / dayMs))).sort()
    this.#lost = new Float64Array(this.#holidays.length + 1)
    for (const [index, day] of this.#holidays.entries()) {
      this.#lost[index + 1] = this.#lost[index]! + this.#week[weekdayOf(day)]!.total
    }
  }

  /** The working time before the local moment `wall`, counted from a fixed origin. */
  workedUntil(wall: number): number {
    const day = Math.floor(wall / dayMs)
    return this.#workedBefore(day) + this.#workedOn(day, wall - day * dayMs)
  }

  /** The first local moment at which `workedUntil` reaches `worked`. The caller guarantees that it lies between `from` and `until`. */
  firstReaching(worked: number, from: number, until: number): number {
    if (this.workedUntil(from) >= worked) return from
    let low = Math.floor(from / dayMs)
    let high = Math.floor((until - 1) / dayMs)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#workedBefore(middle + 1) >= worked) high = middle
      else low = middle + 1
    }
    let left = worked - this.#workedBefore(low)
    for (const { start, end } of this.#week[weekdayOf(low)]!.spans) {
      if (left <= end - start) return low * dayMs + start + left
      left -= end - start
    }
    return until
  }

  #workedBefore(day: number): number {
    const week = Math.floor((day + mondayShift) / 7)
    return week * this.weekTotal + this.#week[weekdayOf(day)]!.before - this.#lost[this.#holidaysBefore(day)]!
  }

  #workedOn(day: number, ms: number): number {
    if (this.#holidays[this.#holidaysBefore(day)] === day) return 0
    let sum = 0
    for (const { start, end } of this.#week[weekdayOf(day)]!.spans) sum += Math.max(0, Math.min(ms, end) - start)
    return sum
  }

  #holidaysBefore(day: number): number {
    let low = 0
    let high = this.#holidays.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#holidays[middle]! < day) low = middle + 1
      else high = middle
    }
    return low
  }
}
