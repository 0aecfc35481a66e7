import { DateTime } from 'luxon'
import { momentOfDay, type DayMoment } from '../../kernel/time/days.ts'
import { monthNames, numberOfWord, periodAt, type Calendar } from '../question/periods.ts'

/** A day in the zone of the user, with a time of day if the user said one. */
export interface Day {
  /** `YYYY-MM-DD` */
  readonly date: string
  /** `HH:mm`; null for the whole day. */
  readonly time: string | null
  /** Number of words. */
  readonly length: number
}

const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const partsOfDay: Readonly<Record<string, string>> = {
  morning: '09:00',
  noon: '12:00',
  afternoon: '14:00',
  evening: '18:00',
}

interface Part<T> {
  readonly value: T
  readonly length: number
}

const monthOf = (word: string | undefined): number =>
  word === undefined || word.length < 3
    ? 0
    : monthNames.findIndex((name) => name === word || name.slice(0, 3) === word) + 1
const dayNumber = (word: string | undefined): number => {
  const found = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? '')
  return found ? Number(found[1]) : 0
}
const yearOf = (word: string | undefined): number => (/^20\d\d$/.test(word ?? '') ? Number(word) : 0)

/** The day of a month; without a year the next one. */
function calendarDay(today: DateTime, day: number, month: number, year: number): DateTime | null {
  const made = DateTime.fromObject({ year: year || today.year, month, day }, { zone: today.zone })
  if (!made.isValid) return null
  return year || made >= today ? made : made.plus({ years: 1 })
}

function writtenDay(words: readonly string[], at: number, today: DateTime): Part<DateTime> | null {
  const [first, second, third, fourth] = words.slice(at, at + 4)
  const found = (day: DateTime | null, length: number) => (day ? { value: day, length } : null)
  if (/^20\d\d-\d\d-\d\d$/.test(first ?? '')) {
    const day = DateTime.fromISO(first!, { zone: today.zone })
    return found(day.isValid ? day : null, 1)
  }
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(20\d\d)$/.exec(first ?? '')
  if (dotted) return found(calendarDay(today, Number(dotted[1]), Number(dotted[2]), Number(dotted[3])), 1)
  if (monthOf(first) > 0 && dayNumber(second) > 0)
    return found(calendarDay(today, dayNumber(second), monthOf(first), yearOf(third)), yearOf(third) ? 3 : 2)
  if (dayNumber(first) === 0) return null
  const skip = second === 'of' ? 1 : 0
  const month = monthOf(skip ? third : second)
  const year = yearOf(skip ? fourth : third)
  return month > 0 ? found(calendarDay(today, dayNumber(first), month, year), 2 + skip + (year ? 1 : 0)) : null
}

function relativeDay(words: readonly string[], at: number, today: DateTime): Part<DateTime> | null {
  const [first, second, third, fourth] = words.slice(at, at + 4)
  const found = (day: DateTime, length: number) => ({ value: day, length })
  if (first === 'today') return found(today, 1)
  if (first === 'tomorrow') return found(today.plus({ days: 1 }), 1)
  if (first === 'yesterday') return found(today.minus({ days: 1 }), 1)
  if (first === 'day' && second === 'after' && third === 'tomorrow') return found(today.plus({ days: 2 }), 3)
  if (first === 'the' && second === 'day' && third === 'after' && fourth === 'tomorrow')
    return found(today.plus({ days: 2 }), 4)
  const named = weekdays.indexOf(first ?? '')
  if (named >= 0) return found(today.plus({ days: (named + 1 - today.weekday + 7) % 7 || 7 }), 1)
  const weekday = weekdays.indexOf(second ?? '')
  if (first === 'next' && weekday >= 0) return found(today.startOf('week').plus({ weeks: 1, days: weekday }), 2)
  const inThisWeek = today.startOf('week').plus({ days: weekday })
  if (first === 'this' && weekday >= 0 && inThisWeek >= today) return found(inThisWeek, 2)
  if (first === 'next' && second === 'week') return found(today.startOf('week').plus({ weeks: 1 }), 2)
  const count = second === 'a' ? 1 : numberOfWord(second)
  const unit = third?.replace(/s$/, '') ?? ''
  if (first === 'in' && count !== null && count <= 1000 && /^(?:day|week|month|year)$/.test(unit))
    return found(today.plus({ [`${unit}s`]: count }), 3)
  return null
}

/** `end of next month`; the end of a week is its Friday. */
function endOfPeriod(words: readonly string[], at: number, calendar: Calendar): Part<DateTime> | null {
  const from = words[at] === 'the' ? at + 1 : at
  if (words[from] !== 'end' || words[from + 1] !== 'of') return null
  const hasThe = words[from + 2] === 'the'
  const phrase = words.slice(from + (hasThe ? 3 : 2))
  const isWhole = phrase[0] === 'this' || phrase[0] === 'next' || monthOf(phrase[0]) > 0
  const period = periodAt(isWhole ? phrase : ['this', ...phrase], 0, calendar)
  if (!period) return null
  const last = DateTime.fromISO(period.range.end, { zone: calendar.zone }).minus({ milliseconds: 1 }).startOf('day')
  const isWeek = phrase[isWhole ? 1 : 0] === 'week'
  const length = from - at + (hasThe ? 3 : 2) + period.length - (isWhole ? 0 : 1)
  return { value: isWeek ? last.minus({ days: 2 }) : last, length }
}

function timeAt(words: readonly string[], at: number): Part<string> | null {
  const hasAt = words[at] === 'at'
  const from = hasAt || (words[at] === 'in' && words[at + 1] === 'the') ? at + (hasAt ? 1 : 2) : at
  const word = words[from] ?? ''
  const part = partsOfDay[word]
  if (part) return { value: part, length: from - at + 1 }
  const found = /^(\d{1,2})(?:[:.](\d\d))?(am|pm|a\.m|p\.m)?$/.exec(word)
  if (!found) return null
  const next = /^(?:am|pm|a\.m|p\.m)$/.exec(words[from + 1] ?? '')?.[0]
  const half = (found[3] ?? next)?.[0]
  const [hour, minute] = [Number(found[1]), Number(found[2] ?? '0')]
  if (minute > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return null
  // "at 3" may be in the night or in the afternoon.
  if (!half && found[2] === undefined && (!hasAt || hour < 7)) return null
  const of24 = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
  const value = `${String(of24).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
  return { value, length: from - at + 1 + (next && !found[3] ? 1 : 0) }
}

/** The day at a word, with a time before or after it; null if there is none. A time alone is that of today. */
export function dayAt(words: readonly string[], at: number, calendar: Calendar): Day | null {
  const today = DateTime.fromJSDate(calendar.now, { zone: calendar.zone }).startOf('day')
  const on = (from: number): Part<DateTime> | null => {
    const skip = /^(?:on|by|before|until|due|for)$/.test(words[from] ?? '') ? 1 : 0
    const found =
      relativeDay(words, from + skip, today) ??
      writtenDay(words, from + skip, today) ??
      endOfPeriod(words, from + skip, calendar)
    return found && { ...found, length: found.length + skip }
  }
  const early = timeAt(words, at)
  const day = on(at + (early?.length ?? 0))
  const late = early || !day ? null : timeAt(words, at + day.length)
  const time = early ?? late
  if (!day && !/^(?:at|in)$/.test(words[at] ?? '')) return null
  if (!day && !time) return null
  const length = (early?.length ?? 0) + (day?.length ?? 0) + (late?.length ?? 0)
  return { date: (day?.value ?? today).toISODate()!, time: time?.value ?? null, length }
}

/** The moment of a day in the zone; `whole` says which moment a day without a time means. */
export const momentOf = ({ date, time }: Pick<Day, 'date' | 'time'>, whole: DayMoment, zone: string): string =>
  time === null
    ? momentOfDay(date, whole, zone)
    : DateTime.fromISO(`${date}T${time}`, { zone }).toUTC().toISO({ suppressMilliseconds: false })!

export const dayInWords = ({ date, time }: Pick<Day, 'date' | 'time'>): string =>
  time === null ? date : `${date} ${time}`
