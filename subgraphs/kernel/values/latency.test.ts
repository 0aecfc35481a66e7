import { describe, expect, it } from 'vitest'
import { latencyBounds, latencyBucketOf, percentile } from './latency.ts'

const boundOf = (durationMs: number) => latencyBounds[latencyBucketOf(durationMs)]

describe('latencyBucketOf', () => {
  it.each([
    [0, 10],
    [10, 10],
    [10.01, 25],
    [249, 250],
    [10_000, 10_000],
    [60_000, 10_000],
  ])('%d ms counts up to %d ms', (durationMs, bound) => {
    expect(boundOf(durationMs)).toBe(bound)
  })
})

describe('percentile', () => {
  it('is the upper bound of the bucket with the request of that rank', () => {
    const counts = [50, 40, 5, 4, 0, 0, 0, 0, 0, 1]
    expect([50, 51, 90, 91, 95, 96, 99, 100].map((percent) => percentile(counts, percent))).toEqual([
      10, 25, 25, 50, 50, 100, 100, 10_000,
    ])
  })

  it('of one request is its bucket', () => {
    expect(percentile([0, 0, 1, 0, 0, 0, 0, 0, 0, 0], 50)).toBe(50)
  })

  it('of no requests is null', () => {
    expect(
      percentile(
        latencyBounds.map(() => 0),
        99,
      ),
    ).toBe(null)
  })
})
