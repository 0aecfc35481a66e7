import { describe, expect, it } from 'vitest'
import { requestedDelayMs, retryDelayMs } from './retry-delay.ts'

const hour = 3_600_000

describe('retryDelayMs', () => {
  it('doubles for each attempt', () => {
    expect([1, 2, 3, 4].map((attempts) => retryDelayMs(60, attempts, 0))).toEqual([60_000, 120_000, 240_000, 480_000])
  })

  it('adds at most a tenth, and never takes anything away', () => {
    expect([0, 0.5, 1].map((random) => retryDelayMs(60, 1, random))).toEqual([60_000, 63_000, 66_000])
  })

  it('is at most 6 hours', () => {
    expect([retryDelayMs(60, 10, 1), retryDelayMs(21_600, 1, 1), retryDelayMs(21_600, 1000, 0)]).toEqual([
      6 * hour,
      6 * hour,
      6 * hour,
    ])
  })
})

describe('requestedDelayMs', () => {
  const now = new Date('1994-11-06T08:49:00Z')
  const delay = (value: string | undefined, status = 503) => requestedDelayMs(status, value, now)

  it.each([
    ['90', 90_000],
    [' 90 ', 90_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['86400', 24 * hour],
    ['86401', 24 * hour],
    ['99999999999999999999', 24 * hour],
    ['Fri, 31 Dec 2100 23:59:59 GMT', 24 * hour],
  ])('reads %j', (value, expected) => expect(delay(value)).toBe(expected))

  it.each(['', '0', '-5', '1.5', '1e3', 'soon', 'Sun, 06 Nov 1994 08:48:37 GMT', '2100-01-01', undefined])(
    'ignores %j',
    (value) => expect(delay(value)).toBe(0),
  )

  it('ignores the header unless the status is 429 or 503', () => {
    expect([429, 503, 500, 408, 200].map((status) => delay('90', status))).toEqual([90_000, 90_000, 0, 0, 0])
  })
})
