import { describe, expect, it } from 'vitest'
import { addWorkingTime, workingTimeBetween, type BusinessHours } from './business-hours.ts'

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

  it('counts every hour when nobody ever works', () => {
    expect(addWorkingTime('2027-02-01T08:00:00.000Z', hour, { timezone: 'UTC', days: {} })).toBe(
      '2027-02-01T09:00:00.000Z',
    )
  })
})

describe('workingTimeBetween', () => {
  it('is nothing backwards and outside working hours', () => {
    expect(workingTimeBetween('2027-02-02T08:00:00.000Z', '2027-02-01T08:00:00.000Z', berlin)).toBe(0)
    expect(workingTimeBetween('2027-02-06T00:00:00.000Z', '2027-02-07T23:00:00.000Z', berlin)).toBe(0)
  })
})
