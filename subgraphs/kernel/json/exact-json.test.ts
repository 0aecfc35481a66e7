import { describe, expect, it } from 'vitest'
import { holdsRawNumber, parseJsonExactly, withNearestNumbers } from './exact-json.ts'
import { compareNumbers, decimalsOf, exactNumber, exactNumberOf, isRawNumber, plainDigits } from './exact-number.ts'

const again = (text: string): string => JSON.stringify(parseJsonExactly(text))

describe('parseJsonExactly', () => {
  it.each([
    '12345678901234567890',
    '-12345678901234.565',
    '9007199254740993',
    '0.10000000000000000555',
    `1${'0'.repeat(399)}1`,
    '{"a":[{"b":12345678901234567890}],"c":"12345678901234567890","d":[1,2.5,-3e-7,true,null]}',
    '["\\"12345678901234567890\\\\",12345678901234567891,"1e400"]',
    '{"12345678901234567890":12345678901234567891,"__proto__":[12345678901234567892]}',
  ])('serializes %s unchanged', (text) => {
    expect(again(text)).toBe(text)
  })

  it.each([
    ['0.1000', '0.1'],
    ['1e400', `1${'0'.repeat(400)}`],
    ['1e-400', `0.${'0'.repeat(399)}1`],
    ['1234567890123456789e-3', '1234567890123456.789'],
    ['123456789012345678900e-1', '12345678901234567890'],
    ['-0.0', '0'],
    ['1E3', '1000'],
  ])('serializes %s with the same value, as PostgreSQL does', (text, written) => {
    expect(again(text)).toBe(written)
  })

  it.each(['1e308', '1.7976931348623157e308', '5e-324', '0.30000000000000004', '1e21', '123.0'])(
    'parses %s as a JavaScript number',
    (text) => {
      expect(parseJsonExactly(text)).toBe(Number(text))
    },
  )

  it.each([
    '',
    '{',
    '[01234567890123456789]',
    '{12345678901234567890:1}',
    '[1234567890123456789.]',
    '+12345678901234567890',
  ])('refuses invalid JSON: %s', (text) => {
    expect(() => parseJsonExactly(text)).toThrow(SyntaxError)
  })

  it('keeps every key, also one with a special meaning in JavaScript', () => {
    const value = parseJsonExactly('{"__proto__":{"a":12345678901234567890}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('parses a million characters of any form', () => {
    const last = ',12345678901234567890]'
    const shapes = [
      `[${Array.from({ length: 45_000 }, () => '12345678901234567890').join()}]`,
      `[${Array.from({ length: 40_000 }, () => '"12345678901234567890"').join()}${last}`,
      `["${'\\\\'.repeat(400_000)}"${last}`,
      `["${'\\"'.repeat(400_000)}"${last}`,
      `[${'1'.repeat(900_000)}]`,
    ]
    for (const text of shapes) expect(again(text) === text).toBe(true)
  })

  it('parses any nesting depth', () => {
    let value = parseJsonExactly(`${'['.repeat(400_000)}12345678901234567890${']'.repeat(400_000)}`)
    while (Array.isArray(value)) [value] = value as unknown[]
    expect(JSON.stringify(value)).toBe('12345678901234567890')
  })
})

describe('a number', () => {
  it('of more than 500 digits keeps its text and has no plain form', () => {
    for (const text of ['1e500', '1e-500', '1e999999999', '9'.repeat(501), `0.${'1'.repeat(500)}`]) {
      const value = exactNumber(text)
      expect(isRawNumber(value) && value.rawJSON).toBe(text)
      expect(plainDigits(text)).toBe(null)
    }
    expect(plainDigits('1e499')).toHaveLength(500)
  })

  it.each(['NaN', 'Infinity', '', ' 1', '01', '.5', '5.', '+1', '0x10', '1_000', '1,5', '１'])(
    'is not parsed from the text %j',
    (text) => {
      expect(exactNumberOf(text)).toBe(null)
    },
  )

  it('is compared by its digits', () => {
    expect(compareNumbers(exactNumber('1000000000000000.001'), 1e15)).toBe(1)
    expect(compareNumbers(exactNumber('-1000000000000000.001'), -1e15)).toBe(-1)
    expect(compareNumbers(exactNumber('12345678901234567890'), exactNumber('12345678901234567890.0'))).toBe(0)
    expect(compareNumbers(exactNumber('0.10000000000000000001'), 0.1)).toBe(1)
    expect(compareNumbers(-2, 1)).toBeLessThan(0)
  })

  it('has its written decimals, without redundant zeros', () => {
    expect(
      ['1.50', '1e-7', '100', '1e3', '12345678901234.56500', '0.00'].map((text) => decimalsOf(exactNumber(text))),
    ).toEqual([1, 7, 0, 0, 3, 0])
  })
})

describe('withNearestNumbers', () => {
  it('replaces raw numbers by doubles, and returns the same value when there are none', () => {
    const plain = { a: [1, { b: 'x' }] }
    expect(withNearestNumbers(plain)).toBe(plain)
    const value = parseJsonExactly('{"a":[12345678901234567890,{"b":1e400}],"c":1}')
    expect(withNearestNumbers(value)).toEqual({ a: [12345678901234567000, { b: Infinity }], c: 1 })
    expect(holdsRawNumber(value)).toBe(true)
  })
})
