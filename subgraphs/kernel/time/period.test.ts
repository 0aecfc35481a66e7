import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../errors.ts'
import { businessDaysBetween, periodAfter, periodOf, periodOfDay, periodTypes } from './period.ts'
import type { BusinessHours } from './working-week.ts'

const calendar = (timezone: string, fiscalYearStartMonth = 1) => ({ timezone, fiscalYearStartMonth })
const bounds = (text: string, timezone: string, month = 1) => {
  const { start, end } = periodOf(text, null, calendar(timezone, month))
  return [start, end]
}

describe('periodOf', () => {
  it.each([
    ['a month', '2026-03', 'UTC', 1, '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['December', '2026-12', 'UTC', 1, '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['February of a leap year', '2028-02', 'UTC', 1, '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['a calendar month of a fiscal year', '2026-03', 'UTC', 4, '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    [
      'a month with the start of summer time',
      '2026-03',
      'Europe/Oslo',
      1,
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ],
    ['a month with its end', '2026-10', 'Europe/Oslo', 1, '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
    ['the first quarter', '2026-Q1', 'UTC', 1, '2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['the first fiscal quarter', '2026-Q1', 'UTC', 4, '2026-04-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
    [
      'the last fiscal quarter, in the next year',
      '2026-Q4',
      'UTC',
      4,
      '2027-01-01T00:00:00.000Z',
      '2027-04-01T00:00:00.000Z',
    ],
    ['a quarter over the end of a year', '2026-Q1', 'UTC', 12, '2026-12-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
    ['a year', '2026', 'Asia/Kathmandu', 1, '2025-12-31T18:15:00.000Z', '2026-12-31T18:15:00.000Z'],
    ['the fiscal year that begins in 2026', '2026', 'UTC', 7, '2026-07-01T00:00:00.000Z', '2027-07-01T00:00:00.000Z'],
    // Clocks of Asuncion went from 00:00 to 01:00 on 2017-10-01, and those of Havana from 01:00 to 00:00 on 2015-11-01.
    [
      'a month whose first midnight is skipped',
      '2017-10',
      'America/Asuncion',
      1,
      '2017-10-01T04:00:00.000Z',
      '2017-11-01T03:00:00.000Z',
    ],
    [
      'a month whose first midnight is repeated',
      '2015-11',
      'America/Havana',
      1,
      '2015-11-01T04:00:00.000Z',
      '2015-12-01T05:00:00.000Z',
    ],
  ])('is %s', (_, text, timezone, month, start, end) => {
    expect(bounds(text, timezone, month)).toEqual([start, end])
  })

  it('has its local days and its type', () => {
    expect(periodOf('2026-Q4', 'QUARTER', calendar('Europe/Oslo', 2))).toEqual({
      text: '2026-Q4',
      type: 'QUARTER',
      firstDay: '2026-11-01',
      endDay: '2027-02-01',
      start: '2026-10-31T23:00:00.000Z',
      end: '2027-01-31T23:00:00.000Z',
    })
  })

  it.each([
    ['2026-13', null],
    ['2026-00', null],
    ['2026-3', null],
    ['2026-Q5', null],
    ['2026-Q0', null],
    ['2026-q1', null],
    ['1899', null],
    ['2200', null],
    ['', null],
    ['2026 ', null],
    ['2026\n', null],
    ['2026-03-01', null],
    ['2026-03', 'QUARTER'],
    ['2026-Q1', 'YEAR'],
    ['2026', 'MONTH'],
  ] as const)('refuses %j with the type %s', (text, type) => {
    const refused = (): unknown => {
      try {
        return periodOf(text, type, calendar('UTC'))
      } catch (error) {
        return error instanceof Refusal && error.extensions['errors']
      }
    }
    expect(refused()).toMatchObject([{ path: 'period', code: 'WRONG_FORMAT' }])
  })
})

describe('the periods of a type', () => {
  const zones = ['UTC', 'Europe/Oslo', 'America/Havana', 'Africa/Cairo', 'Pacific/Apia', 'Asia/Kathmandu']
  const fiscal = zones.flatMap((zone, index) => [calendar(zone, 1 + 2 * index), calendar(zone, 12 - 2 * index)])

  it.each(fiscal)('follow each other without gap or overlap in $timezone from month $fiscalYearStartMonth', (own) => {
    for (const type of periodTypes) {
      let period = periodOfDay('2009-12-31', type, own)
      for (let count = 0; count < 50; count++) {
        expect(periodOf(period.text, type, own)).toEqual(period)
        const next = periodAfter(period, 1, own)
        expect([next.start, next.firstDay]).toEqual([period.end, period.endDay])
        expect(periodAfter(next, -1, own)).toEqual(period)
        const lastDay = DateTime.fromISO(period.endDay).minus({ days: 1 }).toISODate()!
        expect([periodOfDay(period.firstDay, type, own), periodOfDay(lastDay, type, own)]).toEqual([period, period])
        period = next
      }
    }
  })
})

const office: BusinessHours = {
  timezone: 'Europe/Oslo',
  days: { SUN: [['09:00', '17:00']], MON: [['09:00', '17:00']], TUE: [['09:00', '17:00']], WED: [] },
  holidays: ['2026-12-22', '2026-12-24', '2026-12-22'],
}

describe('businessDaysBetween', () => {
  it.each([
    // 2026-11-27 is a Friday.
    ['a working day', '2026-11-27', '2026-11-28', null, 1],
    ['no day', '2026-11-27', '2026-11-27', null, 0],
    ['no day backwards', '2026-11-27', '2026-11-20', null, 0],
    ['a weekend', '2026-11-28', '2026-11-30', null, 0],
    ['a week', '2026-11-27', '2026-12-04', null, 5],
    ['February of a leap year', '2028-02-01', '2028-03-01', null, 21],
    ['a year', '2026-01-01', '2027-01-01', null, 261],
    ['days before 1970', '1969-12-26', '1970-01-02', null, 5],
    ['Monday to Friday without working time', '2026-11-27', '2026-12-04', { timezone: 'UTC', days: {} }, 5],
    ['weekdays with working hours that are no holidays', '2026-12-20', '2026-12-27', office, 2],
  ] as const)('counts %s', (_, from, to, hours, expected) => {
    expect(businessDaysBetween(from, to, hours)).toBe(expected)
  })

  it('agrees with a look at every day', () => {
    for (let length = 0; length < 40; length++) {
      const days = Array.from({ length }, (_, day) => DateTime.utc(2026, 12, 10).plus({ days: day }))
      const worked = days.filter((day) => [7, 1, 2].includes(day.weekday) && day.toISODate() !== '2026-12-22')
      const end = DateTime.utc(2026, 12, 10).plus({ days: length }).toISODate()!
      expect(businessDaysBetween('2026-12-10', end, office)).toBe(worked.length)
    }
  })
})
