import { describe, expect, it } from 'vitest'
import { chooseVariant } from './choose-variant.ts'
import { chancesToBeBest, sharesOf, type VariantResult } from './variant-shares.ts'

const result = (sent: number, replied: number): VariantResult => ({ sent, replied })
const weights = (...all: number[]) => all.map((weight) => ({ weight }))
const expectClose = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length)
  for (const [index, one] of found.entries()) expect(one).toBeCloseTo(expected[index]!, 5)
}

describe('the chances to have the highest reply rate', () => {
  it('are equal without results and with the same results', () => {
    expectClose(chancesToBeBest([result(0, 0)]), [1])
    expectClose(chancesToBeBest([result(0, 0), result(0, 0), result(0, 0)]), [1 / 3, 1 / 3, 1 / 3])
    expectClose(chancesToBeBest([result(400, 20), result(400, 20)]), [0.5, 0.5])
  })

  it('are those of Beta distributions with a uniform prior', () => {
    // Of Beta(2, 1) and Beta(1, 2): the integral of 2x(2x - x²) from 0 to 1.
    expectClose(chancesToBeBest([result(1, 1), result(1, 0)]), [5 / 6, 1 / 6])
    // Of Beta(2, 1) and Beta(1, 1): the integral of 2x².
    expectClose(chancesToBeBest([result(1, 1), result(0, 0)]), [2 / 3, 1 / 3])
    // Of Beta(2, 1) and twice Beta(1, 1): the integral of 2x³.
    expectClose(chancesToBeBest([result(1, 1), result(0, 0), result(0, 0)]), [1 / 2, 1 / 4, 1 / 4])
  })

  it('are finite for any numbers', () => {
    const chances = chancesToBeBest([result(10_000_000, 500_000), result(10_000_000, 0), result(3, 3)])
    expect(chances.map((chance) => Math.round(chance * 1000))).toEqual([0, 0, 1000])
  })
})

describe('the shares of variants', () => {
  it('are their weights until there are results', () => {
    expectClose(sharesOf(weights(1, 3, 0), [result(0, 0), result(0, 0), result(0, 0)]), [0.5, 1.5, 0])
  })

  it('are their weights times their chances, without those that have no weight', () => {
    expectClose(sharesOf(weights(2, 0, 1), [result(1, 1), result(9, 9), result(1, 0)]), [10 / 6, 0, 1 / 6])
  })

  it('are all of the one that is the best with a probability of 95 %', () => {
    const five = [result(18, 1), result(18, 5)]
    expect(chancesToBeBest(five)[1]).toBeCloseTo(0.95516, 5)
    expect(sharesOf(weights(1, 1), five)).toEqual([0, 1])
    const four = [result(18, 1), result(18, 4)]
    expect(chancesToBeBest(four)[1]).toBeCloseTo(0.91014, 5)
    expectClose(sharesOf(weights(1, 1), four), [0.08986, 0.91014])
  })

  it('lead to the variant with the highest rate, with few mails of the others', () => {
    // The generator mulberry32.
    let seed = 1
    const random = () => {
      seed = (seed + 0x6d2b79f5) | 0
      let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
      value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
      return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
    }
    const variants = [0.03, 0.1, 0.05].map((rate) => ({ rate, weight: 1, sent: 0, replied: 0 }))
    for (let mail = 0; mail < 1500; mail++) {
      const chosen = chooseVariant(variants, sharesOf(variants, variants), random())!
      chosen.sent += 1
      if (random() < chosen.rate) chosen.replied += 1
    }
    expect(variants.map(({ sent }) => sent)).toEqual([37, 1348, 115])
  })
})
