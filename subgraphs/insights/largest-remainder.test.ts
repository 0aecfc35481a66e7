import { describe, expect, it } from 'vitest'
import { rounded, roundTogether } from './largest-remainder.ts'

describe('roundTogether', () => {
  it('gives the missing units to the largest remainders', () => {
    expect(roundTogether([10.004, 20.004, 30.004])).toEqual({ sum: 60.01, parts: [10.01, 20, 30] })
    expect(roundTogether([33.333, 33.333, 33.334], 0)).toEqual({ sum: 100, parts: [33, 33, 34] })
    expect(roundTogether([0.5, 0.25, 0.25], 0)).toEqual({ sum: 1, parts: [1, 0, 0] })
  })

  it('has defined values for nothing, zeros and negative parts', () => {
    expect(roundTogether([])).toEqual({ sum: 0, parts: [] })
    expect(roundTogether([0, -0.001, 0])).toEqual({ sum: 0, parts: [0, 0, 0] })
    expect(roundTogether([-1.236, 3.233])).toEqual({ sum: 2, parts: [-1.23, 3.23] })
  })

  it('adds up to the rounded sum, and moves no part by a unit or more', () => {
    let seed = 7
    const next = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    for (let round = 0; round < 2_000; round++) {
      const values = Array.from({ length: 1 + Math.floor(next() * 12) }, () => (next() - 0.3) * 100)
      const { sum, parts } = roundTogether(values)
      const cents = parts.map((part) => Math.round(part * 100))
      expect(cents.reduce((total, part) => total + part, 0)).toBe(Math.round(sum * 100))
      expect(sum).toBe(rounded(values.reduce((total, value) => total + value, 0)))
      parts.forEach((part, index) => expect(Math.abs(part - values[index]!)).toBeLessThan(0.01))
    }
  })
})
