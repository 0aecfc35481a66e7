import { describe, expect, it } from 'vitest'
import { weekdays } from '../../kernel/time/working-week.ts'
import { nextAllowed, type SendWindow } from './send-window.ts'

const oslo: SendWindow = {
  zone: 'Europe/Oslo',
  days: new Set(['MON', 'TUE', 'WED', 'THU', 'FRI']),
  start: '09:00',
  end: '17:00',
  holidays: new Set(),
}
const always = new Set(weekdays)

const next = (moment: string, changed: Partial<SendWindow> = {}): string =>
  nextAllowed(new Date(moment), { ...oslo, ...changed }).toISOString()

describe('the send window', () => {
  it('allows a moment within it', () => {
    expect(next('2026-11-23T10:15:30.500Z')).toBe('2026-11-23T10:15:30.500Z')
    expect(next('2026-11-23T08:00:00.000Z')).toBe('2026-11-23T08:00:00.000Z')
  })

  it('opens in the morning of the same day, or of the next day on which it opens', () => {
    expect(next('2026-11-23T07:59:59.999Z')).toBe('2026-11-23T08:00:00.000Z')
    expect(next('2026-11-23T16:00:00.000Z')).toBe('2026-11-24T08:00:00.000Z')
    // Friday evening.
    expect(next('2026-11-27T16:00:00.000Z')).toBe('2026-11-30T08:00:00.000Z')
  })

  it('is in the time zone of the recipient', () => {
    // 09:00 of Monday in Auckland is 20:00 of Sunday in UTC, and in Honolulu 19:00 of Monday.
    expect(next('2026-11-21T12:00:00Z', { zone: 'Pacific/Auckland' })).toBe('2026-11-22T20:00:00.000Z')
    expect(next('2026-11-21T12:00:00Z', { zone: 'Pacific/Honolulu' })).toBe('2026-11-23T19:00:00.000Z')
    expect(next('2026-11-23T00:00:00Z', { zone: 'Asia/Kathmandu' })).toBe('2026-11-23T03:15:00.000Z')
  })

  it('keeps its local time over a change of the clocks', () => {
    // Summer time begins on Sunday, 28 March 2027.
    expect(next('2027-03-26T16:00:00Z')).toBe('2027-03-29T07:00:00.000Z')
    expect(next('2027-10-29T15:00:00Z')).toBe('2027-11-01T08:00:00.000Z')
  })

  it('begins when the clocks have been moved where they skip its start', () => {
    // At 02:00 the clocks show 03:00.
    const night = { days: always, start: '02:30', end: '04:00' }
    expect(next('2027-03-27T12:00:00Z', night)).toBe('2027-03-28T01:00:00.000Z')
    expect(next('2027-03-28T01:30:00Z', night)).toBe('2027-03-28T01:30:00.000Z')
    expect(next('2027-03-28T02:00:00Z', night)).toBe('2027-03-29T00:30:00.000Z')
  })

  it('does not open on a day that skips all of it', () => {
    expect(next('2027-03-27T12:00:00Z', { days: always, start: '02:15', end: '02:45' })).toBe(
      '2027-03-29T00:15:00.000Z',
    )
  })

  it('opens both times where the clocks show its time twice', () => {
    // On 31 October 2027 the clocks show 02:00 to 03:00 twice, from 00:00 and from 01:00 UTC.
    const night = { days: always, start: '02:15', end: '02:45' }
    expect(next('2027-10-30T12:00:00Z', night)).toBe('2027-10-31T00:15:00.000Z')
    expect(next('2027-10-31T00:45:00Z', night)).toBe('2027-10-31T01:15:00.000Z')
    expect(next('2027-10-31T01:45:00Z', night)).toBe('2027-11-01T01:15:00.000Z')
  })

  it('does not open on holidays', () => {
    const holidays = new Set(['2026-12-24', '2026-12-25'])
    expect(next('2026-12-23T17:00:00Z', { holidays })).toBe('2026-12-28T08:00:00.000Z')
  })

  it('may be over midnight and then belongs to the day of its start', () => {
    const late = { start: '22:00', end: '02:00', days: new Set(['FRI'] as const) }
    expect(next('2026-11-28T00:30:00Z', late)).toBe('2026-11-28T00:30:00.000Z')
    expect(next('2026-11-28T01:00:00Z', late)).toBe('2026-12-04T21:00:00.000Z')
  })

  it('of a whole day is always open on its days', () => {
    const whole = { start: '00:00', end: '00:00', days: always }
    for (const moment of ['2027-03-28T00:59:59.999Z', '2027-03-28T01:00:00.000Z', '2027-10-31T00:30:00.000Z'])
      expect(next(moment, whole)).toBe(moment)
  })

  it('that never opens holds nothing back for more than 400 days', () => {
    expect(next('2026-11-23T10:00:00Z', { days: new Set() })).toBe('2027-12-28T10:00:00.000Z')
  })

  it('never answers a moment that is before the given one or outside the window', () => {
    const zones = ['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/St_Johns']
    for (const zone of zones)
      for (let hours = 0; hours < 24 * 366; hours += 7) {
        const moment = new Date(Date.UTC(2026, 10, 23) + hours * 3_600_000 + 1)
        const allowed = nextAllowed(moment, { ...oslo, zone })
        expect(allowed.getTime()).toBeGreaterThanOrEqual(moment.getTime())
        const local = new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
        }).format(allowed)
        expect(local).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri)\D+(?:09|1[0-6]):\d\d$/)
      }
  })
})
