import { describe, expect, it } from 'vitest'
import { isTimeOfDay, isWithinLocalTime, nextLocalTime } from './local-time.ts'

const next = (after: string, time: string, zone: string) => nextLocalTime(new Date(after), time, zone).toISOString()

describe('nextLocalTime', () => {
  it.each([
    ['later today', '2027-02-01T05:00:00.000Z', '08:00', 'Europe/Oslo', '2027-02-01T07:00:00.000Z'],
    ['tomorrow, at that very moment', '2027-02-01T07:00:00.000Z', '08:00', 'Europe/Oslo', '2027-02-02T07:00:00.000Z'],
    ['on the local day', '2027-02-01T23:30:00.000Z', '08:00', 'Asia/Tokyo', '2027-02-02T23:00:00.000Z'],
    [
      'on the other side of midnight',
      '2027-02-01T02:00:00.000Z',
      '20:00',
      'America/New_York',
      '2027-02-02T01:00:00.000Z',
    ],
    ['after the change to summer time', '2027-03-27T12:00:00.000Z', '08:00', 'Europe/Oslo', '2027-03-28T06:00:00.000Z'],
    [
      'an hour later where it is skipped',
      '2027-03-27T12:00:00.000Z',
      '02:30',
      'Europe/Oslo',
      '2027-03-28T01:30:00.000Z',
    ],
    ['first where it is repeated', '2027-10-30T12:00:00.000Z', '02:30', 'Europe/Oslo', '2027-10-31T00:30:00.000Z'],
    ['again where it is repeated', '2027-10-31T00:30:00.000Z', '02:30', 'Europe/Oslo', '2027-10-31T01:30:00.000Z'],
    ['after the change to winter time', '2027-10-30T12:00:00.000Z', '08:00', 'Europe/Oslo', '2027-10-31T07:00:00.000Z'],
  ])('is %s', (_, after, time, zone, expected) => {
    expect(next(after, time, zone)).toBe(expected)
  })

  it('is after the given moment at every minute around a change of the offset', () => {
    for (let minute = 0; minute < 6 * 60; minute++) {
      const moment = new Date(Date.parse('2027-10-30T22:00:00.000Z') + minute * 60_000)
      expect(nextLocalTime(moment, '02:15', 'Europe/Oslo').getTime()).toBeGreaterThan(moment.getTime())
    }
  })
})

describe('isWithinLocalTime', () => {
  it.each([
    ['2027-02-01T21:00:00.000Z', true],
    ['2027-02-01T20:59:59.999Z', false],
    ['2027-02-02T05:59:59.999Z', true],
    ['2027-02-02T06:00:00.000Z', false],
  ])('at %s: %s, from 22:00 to 07:00 in Oslo', (moment, expected) => {
    expect(isWithinLocalTime(new Date(moment), '22:00', '07:00', 'Europe/Oslo')).toBe(expected)
  })

  it('compares the clock of the day, also after a change to summer time', () => {
    expect(isWithinLocalTime(new Date('2027-03-28T04:59:00.000Z'), '22:00', '07:00', 'Europe/Oslo')).toBe(true)
    expect(isWithinLocalTime(new Date('2027-03-28T05:00:00.000Z'), '22:00', '07:00', 'Europe/Oslo')).toBe(false)
  })
})

it.each([
  ['00:00', true],
  ['23:59', true],
  ['24:00', false],
  ['7:00', false],
  ['07:60', false],
])('%s is a time of day: %s', (text, expected) => expect(isTimeOfDay(text)).toBe(expected))
