import { describe, expect, it } from 'vitest'
import { bestHour, flatRate, nextMoment, smoothed, weekOf } from './best-hour.ts'

const tuesdayAt10 = 34
/** A Wednesday, 12:00 UTC. */
const wednesday = '2027-02-03T12:00:00.000Z'

describe('the best hour of the week', () => {
  it('is (human opens + 3 replies + 10 prior) / (sends + 10) at its maximum, in the time zone of the recipient', () => {
    const week = weekOf([
      { timezone: 'Europe/Oslo', at: wednesday, sends: 10, opens: 4, replies: 2 },
      { timezone: 'America/New_York', at: wednesday, sends: 5, opens: 5, replies: 0 },
    ])
    const [inOslo, inNewYork] = [2 * 24 + 13, 2 * 24 + 7]
    expect([week.sends[inOslo], week.successes[inOslo], week.sends[inNewYork], week.total]).toEqual([10, 10, 5, 15])
    const prior = flatRate(week)
    expect(prior[0]).toBe(1)
    const values = smoothed(week, prior)
    expect([values[inOslo], values[inNewYork], values[0]]).toEqual([(10 + 10) / 20, (5 + 10) / 15, 1])
    expect(bestHour(smoothed(week, flatRate(weekOf([]))), week)).toBe(inOslo)
    // Without a difference, the hour with more mails.
    expect(bestHour(prior, week)).toBe(inOslo)
  })

  it('is Tuesday at 10 without mails, and not changed by zones that are unknown', () => {
    const none = weekOf([{ timezone: 'Nowhere/Land', at: wednesday, sends: 1, opens: 1, replies: 1 }])
    expect([none.total, bestHour(smoothed(none, flatRate(none)), none)]).toEqual([0, tuesdayAt10])
  })

  it('comes next on the same day, or a week later', () => {
    const oslo = (now: string, hour: number) => nextMoment(new Date(now), hour, 'Europe/Oslo').toISOString()
    expect(oslo('2027-02-02T08:59:59.999Z', tuesdayAt10)).toBe('2027-02-02T09:00:00.000Z')
    expect(oslo('2027-02-02T09:00:00.000Z', tuesdayAt10)).toBe('2027-02-09T09:00:00.000Z')
  })

  it('comes next across a change to summer time', () => {
    // Clocks in Oslo show 03:00 after 01:59 on 28 March 2027.
    const sunday = 6 * 24
    const next = (hour: number) =>
      nextMoment(new Date('2027-03-27T12:00:00Z'), sunday + hour, 'Europe/Oslo').toISOString()
    expect([next(1), next(2), next(3)]).toEqual([
      '2027-03-28T00:00:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-03-28T01:00:00.000Z',
    ])
  })
})
