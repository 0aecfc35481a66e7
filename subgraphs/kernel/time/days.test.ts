import { describe, expect, it } from 'vitest'
import { momentOfDay } from './days.ts'

describe('momentOfDay', () => {
  it.each([
    ['a day in UTC', '2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'],
    ['a day of 23 hours', '2027-03-28', 'Europe/Oslo', '2027-03-27T23:00:00.000Z', '2027-03-28T21:59:59.999Z'],
    ['a day of 25 hours', '2027-10-31', 'Europe/Oslo', '2027-10-30T22:00:00.000Z', '2027-10-31T22:59:59.999Z'],
    // Clocks of Asuncion went from 00:00 to 01:00 on 2017-10-01, and from 24:00 to 23:00 on 2018-03-24.
    [
      'a day without midnight',
      '2017-10-01',
      'America/Asuncion',
      '2017-10-01T04:00:00.000Z',
      '2017-10-02T02:59:59.999Z',
    ],
    [
      'a day whose last hour repeats',
      '2018-03-24',
      'America/Asuncion',
      '2018-03-24T03:00:00.000Z',
      '2018-03-25T03:59:59.999Z',
    ],
    // Clocks of Havana went from 01:00 to 00:00 on 2015-11-01.
    [
      'a day with two midnights',
      '2015-11-01',
      'America/Havana',
      '2015-11-01T04:00:00.000Z',
      '2015-11-02T04:59:59.999Z',
    ],
    ['the day before it', '2015-10-31', 'America/Havana', '2015-10-31T04:00:00.000Z', '2015-11-01T03:59:59.999Z'],
    [
      'the last day of the calendar',
      '9999-12-31',
      'America/Havana',
      '9999-12-31T05:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ],
  ])('is the first and the last millisecond of %s', (_, day, zone, begin, end) => {
    expect([momentOfDay(day, 'BEGIN', zone), momentOfDay(day, 'END', zone)]).toEqual([begin, end])
  })
})
