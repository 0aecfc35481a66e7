import { describe, expect, it } from 'vitest'
import { jsonTexts } from './json-texts.ts'

const rawNumber = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890.5')
const records = (count: number, bytes: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: 'ü"'.repeat(bytes / 2), none: null, absent: undefined }))

describe('jsonTexts', () => {
  it.each([
    ['a text', 'plain'],
    ['a number with all its digits', rawNumber],
    ['null', null],
    ['a date', new Date(0)],
    ['an empty object', {}],
    ['a page of few records', { data: records(50, 1000), hasMore: true }],
    ['a long array', records(1000, 1000)],
    ['an array of many numbers', Array.from({ length: 100_000 }, (_, index) => index / 7)],
    ['long arrays in objects', { data: { result: { nodes: records(500, 900), total: rawNumber }, b: records(64, 1) } }],
    ['long arrays in an array', [records(100, 2000), records(100, 20)]],
    ['members without a value, names with quotes', { a: undefined, 'b"': records(70, 10), c: undefined, d: [] }],
    ['elements without a value', Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? undefined : index))],
    ['elements of very different sizes', [...records(100, 2), ...records(5, 200_000), ...records(100, 2)]],
  ])('are the JSON of the value together: %s', (_, value) => {
    expect(jsonTexts(value).join('')).toBe(JSON.stringify(value))
  })

  it('are short for a large page of records', () => {
    const texts = jsonTexts({ changes: records(1000, 1600), nextCursor: 'x' })
    expect(texts.length).toBeGreaterThan(10)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(131_072)
  })

  it('are one text for a small answer', () => {
    expect(jsonTexts({ data: records(20, 100), hasMore: false })).toHaveLength(1)
  })
})
