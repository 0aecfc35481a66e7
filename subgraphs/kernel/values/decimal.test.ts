import { describe, expect, it } from 'vitest'
import { exactNumber } from '../json/exact-number.ts'
import { currencyDecimals, currencyName, isCurrency } from './currency.ts'
import { decimalOf, exactOf, roundToCurrency } from './decimal.ts'

const text = (value: unknown): string => JSON.stringify(value)

describe('roundToCurrency', () => {
  it.each([
    ['2.345', 'USD', '2.34'],
    ['2.355', 'USD', '2.36'],
    ['2.3450000000000000000000001', 'USD', '2.35'],
    ['-2.345', 'EUR', '-2.34'],
    ['0.5', 'JPY', '0'],
    ['1.5', 'JPY', '2'],
    ['1.0005', 'KWD', '1'],
    ['1.0015', 'KWD', '1.002'],
    ['999999999999999.995', 'USD', '1000000000000000'],
  ])('rounds %s %s half to even', (amount, currency, rounded) => {
    expect(text(exactOf(roundToCurrency(decimalOf(exactNumber(amount)), currency)))).toBe(rounded)
  })
})

describe('exact decimals', () => {
  it('keep every digit of sums and products', () => {
    const product = decimalOf(exactNumber('999999999999999.12345678901234567891')).times('0.000000000001')
    expect(text(exactOf(product))).toBe('999.99999999999912345678901234567891')
    expect(text(exactOf(decimalOf(0.1).plus(decimalOf(0.2))))).toBe('0.3')
  })
})

describe('currencies', () => {
  it('are those of ISO 4217, with their decimals', () => {
    expect(['USD', 'JPY', 'KWD', 'usd', 'QQQ', 'US'].map(isCurrency)).toEqual([true, true, true, false, false, false])
    expect(['USD', 'JPY', 'KWD', 'CLF'].map(currencyDecimals)).toEqual([2, 0, 3, 4])
    expect(currencyName('EUR')).toBe('Euro')
  })
})
