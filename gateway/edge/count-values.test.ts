import { describe, expect, it } from 'vitest'
import { hasTooManyValues, valuesMax } from './count-values.ts'
import { parseBody } from './body.ts'

const tooMany = (text: string): boolean => hasTooManyValues(Buffer.from(text))
const list = (count: number, item = '1') => `[${Array.from({ length: count }, () => item).join(',')}]`

describe('hasTooManyValues', () => {
  it('counts the values in lists and objects', () => {
    expect(valuesMax).toBe(15_000)
    expect([tooMany(list(15_000)), tooMany(list(15_001))]).toEqual([false, true])
    // An object and its one value count as two values.
    expect([tooMany(list(7_500, '{"abc":1}')), tooMany(list(7_501, '{"abc":1}'))]).toEqual([false, true])
  })

  it('counts members of the outermost object only', () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `"name${index}":1`).join(',')
    expect([tooMany(` {${members(1_000)}}`), tooMany(` {${members(1_001)}}`)]).toEqual([false, true])
    expect(tooMany(`{"metadata":{${members(5_000)}}}`)).toBe(false)
  })

  it('ignores delimiters inside strings', () => {
    expect(tooMany(`{"a":"${',[{'.repeat(100_000)}"}`)).toBe(false)
    expect(tooMany(`{"a":"${'\\",'.repeat(100_000)}"}`)).toBe(false)
    expect(tooMany(`{"a":"${'\\\\'.repeat(100_000)}"}`)).toBe(false)
    expect(tooMany(`["\\\\",${list(15_000).slice(1)}`)).toBe(true)
    // Long texts are searched for their end, which may be an escaped quote or one after escaped backslashes.
    for (const length of [62, 63, 64, 65, 66, 127, 128, 129]) {
      const plain = 'x'.repeat(length)
      for (const [text, isOpen] of [
        [`${plain}\\"`, true],
        [`${plain}\\\\"`, false],
        [`${plain}\\"${plain}\\\\\\"`, true],
        [`${plain}\\\\\\"${plain}"`, false],
      ] as const)
        expect(tooMany(`{"a":"${text},${list(15_001)}`), text).toBe(!isOpen)
    }
  })

  it('does not count values that are nested too deep, which a later check refuses', () => {
    expect(tooMany('['.repeat(500_000))).toBe(false)
    expect(tooMany('['.repeat(100) + list(15_001))).toBe(true)
  })
})

describe('parseBody', () => {
  it('refuses more values than it reads with 413, before it reads them', () => {
    expect(() => parseBody(Buffer.from(list(15_001)))).toThrow(
      expect.objectContaining({
        code: 'PAYLOAD_TOO_LARGE',
        message: 'The body must have at most 15000 values and 1000 members.',
      }),
    )
    expect(parseBody(Buffer.from(list(15_000)))).toHaveLength(15_000)
  })

  it('refuses more than 1,000 numbers that double precision would round', () => {
    const inexact = (count: number) => Buffer.from(list(count, '0.1234567890123456789'))
    expect(parseBody(inexact(1_000))).toHaveLength(1_000)
    expect(() => parseBody(inexact(1_001))).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
  })
})
