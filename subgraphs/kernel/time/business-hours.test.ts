import { describe, expect, it } from 'vitest'
import { addWorkingTime, aheadMaxMs, workingTimeBetween } from './business-hours.ts'
import { type BusinessHours } from './working-week.ts'
import { randomCalendar, seededRandom, workingMinutes } from './business-hours.fixture.ts'
import { weekdays } from './working-week.ts'

const hour = 3_600_000
const office = [
  ['09:00', '12:00'],
  ['13:00', '17:00'],
] as const
const berlin: BusinessHours = {
  timezone: 'Europe/Berlin',
  days: { MON: office, TUE: office, WED: office, THU: office, FRI: office },
  holidays: ['2027-02-03'],
}

describe('addWorkingTime', () => {
  it.each([
    // 2027-02-01 is a Monday; Berlin is one hour ahead of UTC.
    ['within one span', '2027-02-01T08:00:00.000Z', 2, '2027-02-01T10:00:00.000Z'],
    ['over the lunch break', '2027-02-01T10:00:00.000Z', 2, '2027-02-01T13:00:00.000Z'],
    ['from before work begins', '2027-02-01T03:00:00.000Z', 1, '2027-02-01T09:00:00.000Z'],
    ['exactly to the end of a span', '2027-02-01T08:00:00.000Z', 3, '2027-02-01T11:00:00.000Z'],
    ['into the next day', '2027-02-01T15:00:00.000Z', 2, '2027-02-02T09:00:00.000Z'],
    ['over a holiday', '2027-02-02T15:00:00.000Z', 2, '2027-02-04T09:00:00.000Z'],
    ['over a weekend', '2027-02-05T15:30:00.000Z', 1, '2027-02-08T08:30:00.000Z'],
    ['over the change to summer time', '2027-03-26T15:00:00.000Z', 2, '2027-03-29T08:00:00.000Z'],
  ])('counts %s', (_, from, hours, expected) => {
    expect(addWorkingTime(from, hours * hour, berlin)).toBe(expected)
    expect(workingTimeBetween(from, expected, berlin)).toBe(hours * hour)
  })

  it('counts every hour without a calendar', () => {
    expect(addWorkingTime('2027-02-06T00:00:00.000Z', 4 * hour, null)).toBe('2027-02-06T04:00:00.000Z')
    expect(workingTimeBetween('2027-02-06T00:00:00.000Z', '2027-02-06T04:00:00.000Z', null)).toBe(4 * hour)
  })

  it('returns the start when no working time has to pass', () => {
    expect(addWorkingTime('2027-02-06T12:00:00.000Z', 0, berlin)).toBe('2027-02-06T12:00:00.000Z')
  })

  it('counts every hour when the calendar has no working time', () => {
    expect(addWorkingTime('2027-02-01T08:00:00.000Z', hour, { timezone: 'UTC', days: {} })).toBe(
      '2027-02-01T09:00:00.000Z',
    )
  })
})

describe('workingTimeBetween', () => {
  it('is zero backwards and outside working hours', () => {
    expect(workingTimeBetween('2027-02-02T08:00:00.000Z', '2027-02-01T08:00:00.000Z', berlin)).toBe(0)
    expect(workingTimeBetween('2027-02-06T00:00:00.000Z', '2027-02-07T23:00:00.000Z', berlin)).toBe(0)
  })
})

/** Working hours on one weekday only. */
const onlyOn = (timezone: string, day: string, ...spans: [string, string][]): BusinessHours => ({
  timezone,
  days: { [day]: spans },
})

describe('An hour of a daylight-saving change', () => {
  it.each([
    // 2027-03-28 has no 02:00 to 03:00 in Oslo; 2027-10-31 has it twice.
    ['counts zero where it is skipped', '2027-03-27T12:00:00.000Z', 0, '02:30', '03:00'],
    ['counts zero in a span around it', '2027-03-27T12:00:00.000Z', 2, '01:00', '04:00'],
    ['counts twice where it is repeated', '2027-10-30T12:00:00.000Z', 2, '02:00', '03:00'],
    ['counts half of each where half of it is working time', '2027-10-30T12:00:00.000Z', 1, '02:30', '03:00'],
    ['counts twice in a span around it', '2027-10-30T12:00:00.000Z', 4, '01:00', '04:00'],
  ])('%s', (_, from, expected, start, end) => {
    const to = new Date(Date.parse(from) + 24 * hour).toISOString()
    expect(workingTimeBetween(from, to, onlyOn('Europe/Oslo', 'SUN', [start, end]))).toBe(expected * hour)
  })

  it('moves a due date to the next day that has this hour', () => {
    const from = '2027-03-27T12:00:00.000Z'
    expect(addWorkingTime(from, 60_000, onlyOn('Europe/Oslo', 'SUN', ['02:30', '03:00']))).toBe(
      '2027-04-04T00:31:00.000Z',
    )
  })

  it('ends in the second occurrence of the hour', () => {
    // 02:30 to 03:00 is 00:30 to 01:00 UTC and, an hour later, 01:30 to 02:00 UTC.
    expect(
      addWorkingTime('2027-10-30T12:00:00.000Z', 0.75 * hour, onlyOn('Europe/Oslo', 'SUN', ['02:30', '03:00'])),
    ).toBe('2027-10-31T01:45:00.000Z')
  })

  it('may be the first hour of a day, or a whole day', () => {
    // Sao Paulo went from 00:00 to 01:00 on 2018-11-04, a Sunday; Apia had no Friday 2011-12-30.
    const night = onlyOn('America/Sao_Paulo', 'SUN', ['00:00', '02:00'])
    expect(workingTimeBetween('2018-11-03T12:00:00.000Z', '2018-11-04T12:00:00.000Z', night)).toBe(hour)
    const friday = onlyOn('Pacific/Apia', 'FRI', ['09:00', '17:00'])
    expect(workingTimeBetween('2011-12-29T12:00:00.000Z', '2012-01-01T12:00:00.000Z', friday)).toBe(0)
  })
})

const zones: readonly (readonly [string, readonly string[]])[] = [
  ['UTC', ['2027-05-03T07:31:00.000Z']],
  ['Asia/Kathmandu', ['2027-05-03T07:31:00.000Z']],
  ['Europe/Oslo', ['2027-03-26T15:02:00.000Z', '2027-10-29T15:02:00.000Z']],
  ['America/Sao_Paulo', ['2018-11-02T20:00:00.000Z', '2019-02-15T20:00:00.000Z']],
  ['Pacific/Apia', ['2011-12-28T20:00:00.000Z', '2012-03-30T20:00:00.000Z']],
  ['Africa/Casablanca', ['2024-03-08T20:00:00.000Z', '2024-04-12T20:00:00.000Z']],
]

describe.each(zones.flatMap(([zone, moments]) => moments.map((from) => [zone, from] as const)))(
  'Random calendars in %s from %s',
  (timezone, from) => {
    it('agree with the local clock read at every minute', () => {
      const random = seededRandom(7)
      for (let round = 0; round < 12; round++) {
        const hours = randomCalendar(random, timezone, from)
        // The numbers, from 0, of the working minutes.
        const worked = workingMinutes(hours, from, 5 * 24 * 60)
        const moment = (minute: number) => new Date(Date.parse(from) + minute * 60_000).toISOString()
        for (let sample = 0; sample < 40; sample++) {
          const [begin, end] = [random(3 * 24 * 60), random(5 * 24 * 60)].sort((a, b) => a - b) as [number, number]
          const within = worked.filter((minute) => minute >= begin && minute < end)
          expect(workingTimeBetween(moment(begin), moment(end), hours), JSON.stringify(hours)).toBe(
            within.length * 60_000,
          )
          if (within.length === 0) continue
          const nth = random(within.length)
          const due = addWorkingTime(moment(begin), (nth + 1) * 60_000, hours)
          expect(due, JSON.stringify([hours, moment(begin), nth])).toBe(moment(within[nth]! + 1))
        }
      }
    })
  },
)

describe('More working time', () => {
  it('never ends earlier, for every calendar and length', () => {
    const random = seededRandom(11)
    for (let round = 0; round < 200; round++) {
      const [timezone, [from]] = zones[random(zones.length)]! as [string, [string]]
      const hours = round % 2 ? randomCalendar(random, timezone, from) : almostNone(random, timezone)
      const due = [1, 4, 8, 24, 72, 120, 5000, 90_000].map((length) => addWorkingTime(from, length * hour, hours))
      expect(due, JSON.stringify(hours)).toEqual(due.toSorted())
      if (round % 2 === 0) expect(Date.parse(due.at(-1)!) - Date.parse(from)).toBe(aheadMaxMs)
    }
  })

  it('ends after ten years at the latest', () => {
    const minute = onlyOn('UTC', 'MON', ['09:00', '09:01'])
    expect(addWorkingTime('2027-02-01T08:00:00.000Z', hour, minute)).toBe('2028-03-20T09:01:00.000Z')
    expect(addWorkingTime('2027-02-01T08:00:00.000Z', 24 * hour, minute)).toBe('2037-02-01T08:00:00.000Z')
    expect(addWorkingTime('9999-06-01T00:00:00.000Z', 24 * hour, minute)).toBe('9999-12-31T23:59:59.999Z')
  })
})

/** One working minute a week; a thousand of these days are holidays. */
function almostNone(random: (below: number) => number, timezone: string): BusinessHours {
  const day = random(7)
  const first = Date.parse('2010-01-04T00:00:00.000Z') + day * 24 * hour
  return {
    ...onlyOn(timezone, weekdays[day]!, ['12:00', '12:01']),
    holidays: Array.from({ length: 1000 }, (_, week) =>
      new Date(first + week * 7 * 24 * hour).toISOString().slice(0, 10),
    ),
  }
}

describe('The largest allowed calendar', () => {
  it('needs little CPU time', () => {
    const hours: BusinessHours = {
      timezone: 'Europe/Oslo',
      days: Object.fromEntries(
        weekdays.map((day) => [day, Array.from({ length: 10 }, (_, index) => [`0${index}:00`, `0${index}:01`])]),
      ),
      holidays: Array.from({ length: 1000 }, (_, day) =>
        new Date(Date.parse('2028-01-01T00:00:00.000Z') + 3 * day * 24 * hour).toISOString().slice(0, 10),
      ),
    }
    const began = process.cpuUsage()
    // Like twenty creates: each reads the settings again and computes two due dates.
    for (let create = 0; create < 20; create++) {
      const read = structuredClone(hours)
      addWorkingTime('2027-02-01T08:00:00.000Z', 24 * hour, read)
      addWorkingTime('2027-02-01T08:00:00.000Z', 120 * hour, read)
    }
    const { user, system } = process.cpuUsage(began)
    // This takes about 20 ms; a loop over days and spans takes 37 s.
    expect((user + system) / 1000).toBeLessThan(1000)
  })
})
