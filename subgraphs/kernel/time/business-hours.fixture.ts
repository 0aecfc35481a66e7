import type { BusinessHours } from './working-week.ts'
import { weekdays } from './working-week.ts'

/** A pseudo-random generator of integers below a bound; the same seed gives the same numbers. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** A random calendar: spans on some weekdays, including night hours and the end of the day, and holidays within a week of `from`. */
export function randomCalendar(random: (below: number) => number, timezone: string, from: string): BusinessHours {
  const spans = (): [string, string][] => {
    const times = Array.from({ length: 2 * random(5) }, () => random(random(2) ? 1441 : 241)).sort((a, b) => a - b)
    const pairs = Array.from({ length: times.length / 2 }, (_, index) => [times[2 * index]!, times[2 * index + 1]!])
    return pairs.filter(([start, end]) => start! < end!).map(([start, end]) => [clock(start!), clock(end!)])
  }
  return {
    timezone,
    days: Object.fromEntries(weekdays.filter(() => random(4) > 0).map((day) => [day, spans()])),
    holidays: Array.from({ length: random(3) }, () =>
      new Date(Date.parse(from) + random(7) * 86_400_000).toISOString().slice(0, 10),
    ),
  }
}

/** Reads the local clock of the zone at every minute from `from` on; returns the numbers of the working minutes. */
export function workingMinutes(
  { timezone, days, holidays = [] }: BusinessHours,
  from: string,
  count: number,
): number[] {
  const wall = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const worked: number[] = []
  for (let minute = 0; minute < count; minute++) {
    const [date, time] = wall.format(Date.parse(from) + minute * 60_000).split(' ') as [string, string]
    const weekday = weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]!
    const isWorked = (days[weekday] ?? []).some(([start, end]) => time >= start && time < end)
    if (isWorked && !holidays.includes(date)) worked.push(minute)
  }
  return worked
}
