import { describe, expect, it } from 'vitest'
import { shrunkRate } from './shrunk-rate.ts'

const rounded = ({ rate, interval, evidence }: ReturnType<typeof shrunkRate>) => [
  Number(rate.toFixed(6)),
  interval.map((bound) => Number(bound.toFixed(4))),
  evidence,
]

describe('shrunkRate', () => {
  it.each([
    // Without cases, it is the prior.
    [0, 0, 0.55, [0.55, [0.3421, 0.7418], 20]],
    [30, 80, 0.35, [0.37, [0.2818, 0.4678], 100]],
    [0, 5, 0, [0, [0, 0.1332], 25]],
    [10, 10, 1, [1, [0.8865, 1], 30]],
  ])('of %i of %i with the prior %f', (won, closed, prior, expected) => {
    expect(rounded(shrunkRate(won, closed, prior))).toEqual(expected)
  })
})
