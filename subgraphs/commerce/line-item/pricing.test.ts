import { describe, expect, it } from 'vitest'
import { exactNumber, textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import { pricingOf, pricingProblems, type PricedHeader, type PricedLine } from './pricing.ts'

const aLine = (changes: Partial<PricedLine> = {}): PricedLine => ({
  quantity: 1,
  unitPrice: 100,
  discountPercent: 0,
  discountAmount: 0,
  taxRate: 0,
  ...changes,
})

const aHeader = (changes: Partial<PricedHeader> = {}): PricedHeader => ({
  currency: 'EUR',
  discountType: null,
  discountValue: null,
  shippingTotal: 0,
  ...changes,
})

describe('pricingOf', () => {
  it('subtracts the discount in percent first, then the amount, and taxes what remains', () => {
    const line = aLine({ quantity: 3, unitPrice: 49.99, discountPercent: 10, discountAmount: 5, taxRate: 19 })
    expect(pricingOf([line], aHeader({ shippingTotal: 7.5 }))).toEqual({
      lines: [{ lineTotal: 129.97, discountShare: 0, taxAmount: 24.69 }],
      subtotal: 129.97,
      discountTotal: 0,
      taxTotal: 24.69,
      total: 162.16,
    })
  })

  it('rounds a half to the even neighbour', () => {
    const totalOf = (unitPrice: number, currency = 'EUR') =>
      pricingOf([aLine({ unitPrice })], aHeader({ currency })).lines[0]!.lineTotal
    expect([0.125, 0.135, 0.145, 1.005].map((price) => totalOf(price))).toEqual([0.12, 0.14, 0.14, 1])
    expect([0.5, 1.5, 2.5].map((price) => totalOf(price, 'JPY'))).toEqual([0, 2, 2])
    expect([0.0005, 0.0015].map((price) => totalOf(price, 'KWD'))).toEqual([0, 0.002])
  })

  it('spreads the discount on the document by value, so that each tax rate applies to what remains', () => {
    const lines = [aLine({ unitPrice: 100, taxRate: 20 }), aLine({ unitPrice: 300, taxRate: 10 })]
    expect(pricingOf(lines, aHeader({ discountType: 'AMOUNT', discountValue: 40 }))).toEqual({
      lines: [
        { lineTotal: 100, discountShare: 10, taxAmount: 18 },
        { lineTotal: 300, discountShare: 30, taxAmount: 27 },
      ],
      subtotal: 400,
      discountTotal: 40,
      taxTotal: 45,
      total: 405,
    })
  })

  it('gives the remaining coins to the lines that were rounded down most', () => {
    const lines = [aLine({ unitPrice: 10 }), aLine({ unitPrice: 10 }), aLine({ unitPrice: 10 })]
    const { lines: priced } = pricingOf(lines, aHeader({ discountType: 'AMOUNT', discountValue: 0.05 }))
    expect(priced.map(({ discountShare }) => discountShare)).toEqual([0.02, 0.02, 0.01])
  })

  it('rounds a discount in percent to the smallest coin', () => {
    const header = aHeader({ discountType: 'PERCENT', discountValue: 12.5, currency: 'JPY' })
    expect(pricingOf([aLine({ unitPrice: 999 })], header)).toMatchObject({ discountTotal: 125, total: 874 })
  })

  it('computes with more digits than a double has', () => {
    const line = aLine({ quantity: 3, unitPrice: exactNumber('111111111111111.115') })
    expect(textOfNumber(pricingOf([line], aHeader()).subtotal)).toBe('333333333333333.34')
  })

  it('has zero amounts without lines', () => {
    const header = aHeader({ discountType: 'PERCENT', discountValue: 10 })
    expect(pricingOf([], header)).toEqual({ lines: [], subtotal: 0, discountTotal: 0, taxTotal: 0, total: 0 })
  })
})

describe('pricingProblems', () => {
  it('accepts a discount of exactly the value of the line', () => {
    expect(pricingProblems([aLine({ unitPrice: 9.99, discountAmount: 9.99 })], aHeader())).toEqual([])
  })

  it('refuses a discount above the value of the line', () => {
    expect(pricingProblems([aLine(), aLine({ unitPrice: 10, discountAmount: 10.01 })], aHeader())).toEqual([
      {
        path: 'lineItems.1.discountAmount',
        code: 'OUT_OF_RANGE',
        message: 'discountAmount must be at most 10, the value of the line.',
      },
    ])
  })

  it('refuses a discount on the document above its subtotal or above 100 percent', () => {
    const problemOf = (discountType: 'AMOUNT' | 'PERCENT', discountValue: number) =>
      pricingProblems([aLine()], aHeader({ discountType, discountValue }))[0]?.message
    expect(problemOf('AMOUNT', 100.01)).toBe('discountValue must be at most 100, the subtotal.')
    expect(problemOf('PERCENT', 100.5)).toBe('discountValue must be at most 100 percent.')
    expect(problemOf('AMOUNT', 100)).toBeUndefined()
  })

  it('refuses a discount type without a value, and a value without a type', () => {
    const pathsOf = (changes: Partial<PricedHeader>) =>
      pricingProblems([aLine()], aHeader(changes)).map(({ path, code }) => `${path} ${code}`)
    expect(pathsOf({ discountType: 'PERCENT' })).toEqual(['discountValue REQUIRED'])
    expect(pathsOf({ discountValue: 5 })).toEqual(['discountType REQUIRED'])
  })

  it('refuses amounts that cannot be paid in the currency', () => {
    const paths = pricingProblems(
      [aLine({ discountAmount: 0.5 })],
      aHeader({ currency: 'JPY', shippingTotal: exactNumber('10.1') }),
    ).map(({ path, code }) => `${path} ${code}`)
    expect(paths).toEqual(['lineItems.0.discountAmount TOO_PRECISE', 'shippingTotal TOO_PRECISE'])
  })

  it('refuses a total that a column cannot store', () => {
    const line = aLine({ quantity: 1e9, unitPrice: 1e9 })
    expect(pricingProblems([line], aHeader()).map(({ code }) => code)).toEqual(['OUT_OF_RANGE'])
  })
})

/** A deterministic random generator (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const withDecimals = (units: number, decimals: number): ExactNumber =>
  exactOf(decimalOf(units).times(decimalOf(exactNumber(`1e-${decimals}`))))

/** Random lines and a random header without problems. */
function randomDocument(random: (below: number) => number, currency: string): [PricedLine[], PricedHeader] {
  const decimals = currencyDecimals(currency)
  const lines = Array.from({ length: 1 + random(random(4) === 0 ? 200 : 12) }, (): PricedLine => {
    const line = aLine({
      quantity: withDecimals(random(100_000), random(4)),
      unitPrice: withDecimals(random(10_000_000), random(7)),
      discountPercent: random(2) === 0 ? 0 : withDecimals(random(10_001), 2),
      taxRate: [0, 5, 7, 19, 20, 8.875][random(6)]!,
    })
    const { lineTotal } = pricingOf([line], aHeader({ currency })).lines[0]!
    return random(3) === 0 ? { ...line, discountAmount: shareOf(lineTotal, random, decimals) } : line
  })
  const header = aHeader({ currency, shippingTotal: withDecimals(random(10_000), decimals) })
  const { subtotal } = pricingOf(lines, header)
  const discounts: Partial<PricedHeader>[] = [
    {},
    { discountType: 'PERCENT', discountValue: withDecimals(random(10_001), 2) },
    { discountType: 'AMOUNT', discountValue: shareOf(subtotal, random, decimals) },
    { discountType: 'AMOUNT', discountValue: subtotal },
  ]
  return [lines, { ...header, ...discounts[random(discounts.length)] }]
}

/** A random part of the amount in whole coins, sometimes all of it. */
const shareOf = (amount: ExactNumber, random: (below: number) => number, decimals: number): ExactNumber =>
  exactOf(decimalOf(amount).times(random(1001)).times('0.001').round(decimals, 0))

const isBetween = (value: ExactNumber, max: ExactNumber): boolean =>
  decimalOf(value).gte(0) && decimalOf(value).lte(decimalOf(max))

describe.each(['JPY', 'EUR', 'KWD'])('every document in %s', (currency) => {
  const documents = Array.from({ length: 150 }, (_, seed) => randomDocument(randomOf(seed + 1), currency))
  const decimals = currencyDecimals(currency)

  it('has no problems when its discounts are within its values', () => {
    expect(documents.flatMap(([lines, header]) => pricingProblems(lines, header))).toEqual([])
  })

  it('has totals that are exactly the sums of their parts', () => {
    for (const [lines, header] of documents) {
      const { lines: priced, subtotal, discountTotal, taxTotal, total } = pricingOf(lines, header)
      const sum = (name: 'lineTotal' | 'discountShare' | 'taxAmount') =>
        exactOf(sumOf(priced.map((line) => decimalOf(line[name]))))
      expect([sum('lineTotal'), sum('discountShare'), sum('taxAmount')]).toEqual([subtotal, discountTotal, taxTotal])
      const parts = decimalOf(subtotal).minus(decimalOf(discountTotal)).plus(decimalOf(taxTotal))
      expect(exactOf(parts.plus(decimalOf(header.shippingTotal)))).toEqual(total)
    }
  })

  it('has no negative amount and no discount above its value', () => {
    for (const [lines, header] of documents) {
      const { lines: priced, subtotal, discountTotal, total } = pricingOf(lines, header)
      expect(isBetween(discountTotal, subtotal)).toBe(true)
      expect(isBetween(header.shippingTotal, total)).toBe(true)
      for (const { lineTotal, discountShare, taxAmount } of priced) {
        expect(isBetween(discountShare, lineTotal)).toBe(true)
        expect(isBetween(taxAmount, lineTotal)).toBe(true)
      }
    }
  })

  it('has only amounts that can be paid', () => {
    for (const [lines, header] of documents) {
      const { lines: priced, ...totals } = pricingOf(lines, header)
      const amounts = [...Object.values(totals), ...priced.flatMap((line) => Object.values(line) as ExactNumber[])]
      expect(amounts.every((amount) => decimalOf(amount).round(decimals, 0).eq(decimalOf(amount)))).toBe(true)
    }
  })
})
