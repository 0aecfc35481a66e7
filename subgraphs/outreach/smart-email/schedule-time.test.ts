import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../kernel/errors.ts'
import { scheduledTime } from './schedule-time.ts'

const now = new Date('2027-02-01T09:00:00Z')
const at = (sendAt: string | null, timezone: string | null = null, scheduledAt: string | null = null) =>
  scheduledTime({ sendAt, scheduledAt, timezone }, now, 'UTC')

const codeOf = (work: () => unknown): string => {
  try {
    return `accepted ${JSON.stringify(work())}`
  } catch (error) {
    const [problem] = (error as Refusal).extensions['errors'] as { path: string; code: string }[]
    return `${problem!.path} ${problem!.code}`
  }
}

describe('the time of a scheduled draft', () => {
  it.each([
    ['2027-02-01T10:00:00+01:00', null, null],
    ['2027-02-01T10:00:00.001+01:00', null, '2027-02-01T09:00:00.001Z'],
    ['2027-02-02T09:00', 'Europe/Oslo', '2027-02-02T08:00:00.000Z'],
    ['2027-07-02T09:00', 'Europe/Oslo', '2027-07-02T07:00:00.000Z'],
    ['2027-02-02T09:00', null, '2027-02-02T09:00:00.000Z'],
    // 02:30 does not exist on 28 March: clocks go from 02:00 to 03:00.
    ['2027-03-28T02:30', 'Europe/Oslo', '2027-03-28T01:30:00.000Z'],
    // 02:30 exists twice on 31 October; the first one is in summer time.
    ['2027-10-31T02:30', 'Europe/Oslo', '2027-10-31T00:30:00.000Z'],
    ['2027-10-31T03:00', 'Europe/Oslo', '2027-10-31T02:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, expected) => {
    if (expected === null) expect(codeOf(() => at(text, zone))).toBe('sendAt IN_THE_PAST')
    else expect(at(text, zone)).toEqual({ scheduledAt: expected, timezone: zone ?? 'UTC' })
  })

  it.each([
    [null, null, null, 'scheduledAt REQUIRED'],
    ['tomorrow', null, null, 'sendAt NOT_A_TIME'],
    ['2027-02-30T09:00', null, null, 'sendAt NOT_A_TIME'],
    ['2027-02-02', null, null, 'sendAt NOT_A_TIME'],
    ['2027-02-02T09:00', 'Nowhere/Land', null, 'timezone NOT_A_TIMEZONE'],
    ['2027-02-02T09:00', null, '2027-02-02T09:01', 'sendAt CONFLICT'],
    ['12027-02-03T09:00', null, null, 'sendAt NOT_A_TIME'],
    [null, null, '2026-02-02T09:00', 'scheduledAt IN_THE_PAST'],
  ])('%s with %s and %s is refused: %s', (sendAt, zone, scheduledAt, expected) => {
    expect(codeOf(() => at(sendAt, zone, scheduledAt))).toBe(expected)
  })

  it('has two names, and both may say the same', () => {
    expect(at('2027-02-02T09:00Z', null, '2027-02-02T10:00+01:00').scheduledAt).toBe('2027-02-02T09:00:00.000Z')
    expect(at(null, null, '2028-02-02T09:00Z').scheduledAt).toBe('2028-02-02T09:00:00.000Z')
  })
})
