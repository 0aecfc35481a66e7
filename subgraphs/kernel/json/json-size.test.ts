import { describe, expect, it } from 'vitest'
import { isJsonLargerThan } from './json-size.ts'

const shared = { text: 'ü'.repeat(50), list: [1, -2.5, null] }

describe('isJsonLargerThan', () => {
  it.each([
    ['a text', 'plain'],
    ['a text of control characters', '\u0001\u001f'.repeat(40)],
    ['a text with quotes, backslashes and lines', '"\\\n\t"'],
    ['a lone surrogate', 'x\ud800y'],
    ['characters of two, three and four bytes', 'üß€\u2028🙂'],
    ['long texts', ['ü"'.repeat(1000), 'x'.repeat(1000)]],
    [
      'numbers',
      [0, -1, 9, 10, 999_999_999, 1e15, 1e21, -1.5, 0.1 + 0.2, -1.2345678901234567e100, Number.MAX_SAFE_INTEGER],
    ],
    ['literals', [true, false, null]],
    ['empty values', [{}, [], [[]], { a: {} }, '']],
    ['names', { '': 1, 'a"b': 2, ü: 3, [`long ${'x'.repeat(100)}`]: 4 }],
    ['a member without a value', { a: undefined, b: 1 }],
    ['a date', { at: new Date(0) }],
    [
      'a number with all its digits',
      [(JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890.5')],
    ],
    ['the same object in many places', { a: shared, b: shared, list: [shared, shared] }],
  ])('is exact: %s', (_, value) => {
    const bytes = Buffer.byteLength(JSON.stringify(value))
    expect([isJsonLargerThan(value, bytes), isJsonLargerThan(value, bytes - 1)]).toEqual([false, true])
  })

  it('stops counting at the bound', () => {
    let reads = 0
    const counting = new Proxy(['x'.repeat(1000)], {
      get: (items, name) => (name === '0' ? ((reads += 1), items[0]) : Reflect.get(items, name)),
    })
    const value = Array.from({ length: 100_000 }, () => counting)
    expect(isJsonLargerThan(value, 10_000)).toBe(true)
    expect(reads).toBeLessThan(30)
  })
})
