import { describe, expect, it } from 'vitest'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { differenceFrom } from './expectation.ts'

const returned = (output: unknown) => ({ output, error: null })
const thrown = (name: string, message: string) => ({ output: null, error: { name, message, stack: null } })
const outputPath = (expected: unknown, output: unknown): string | null =>
  differenceFrom({ output: expected }, returned(output))?.path ?? null

describe('an expected output', () => {
  it.each<[expected: unknown, output: unknown, path: string | null]>([
    [1, 1, null],
    ['a', 'a', null],
    [null, null, null],
    [{}, { a: 1 }, null],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }] }, e: 4 }, null],
    [[], [], null],
    [1, '1', 'expect.output'],
    [null, {}, 'expect.output'],
    [{}, null, 'expect.output'],
    [{}, [], 'expect.output'],
    [[], {}, 'expect.output'],
    [{ a: null }, {}, 'expect.output.a'],
    [{ toString: 1 }, {}, 'expect.output.toString'],
    [[1], [1, 2], 'expect.output'],
    [[{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3 }], 'expect.output.1.a'],
  ])('%j of %j differs at %s', (expected, output, path) => expect(outputPath(expected, output)).toBe(path))

  it('is compared with all digits of numbers', () => {
    const output = parseJsonExactly('12345678901234567890.12')
    expect(outputPath(parseJsonExactly('12345678901234567890.12'), output)).toBeNull()
    expect(outputPath(parseJsonExactly('12345678901234567890.13'), output)).toBe('expect.output')
  })

  it('is not met by an error, and long values are shortened', () => {
    expect(differenceFrom({ output: {} }, thrown('TypeError', 'no'))).toEqual({
      path: 'expect.output',
      message: 'The function failed: TypeError: no',
    })
    const { message } = differenceFrom({ output: 'a' }, returned('b'.repeat(10_000)))!
    expect(message).toBe(`expect.output must be "a", and is "${'b'.repeat(499)}….`)
  })
})

describe('an expected error', () => {
  it.each<[error: { name?: string; message?: string }, path: string | null]>([
    [{ name: 'TypeError' }, null],
    [{ message: 'not there' }, null],
    [{ name: 'TypeError', message: 'It is not' }, null],
    [{ name: 'Error' }, 'expect.error.name'],
    [{ message: 'Not there' }, 'expect.error.message'],
  ])('%j is at %s', (error, path) =>
    expect(differenceFrom({ error }, thrown('TypeError', 'It is not there.'))?.path ?? null).toBe(path),
  )

  it('is not met by an output', () => {
    expect(differenceFrom({ error: { name: 'Error' } }, returned({ a: 1 }))).toEqual({
      path: 'expect.error',
      message: 'The function must fail, and returned {"a":1}.',
    })
  })
})
