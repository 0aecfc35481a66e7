import { parseOptions } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { hashing, hashPassword, isPassword, nobodysHash, passwordProblems } from './password.ts'

describe('passwordProblems', () => {
  it.each([
    ['Correct horse 7!', []],
    ['Äbcdefghijk1€', []],
    [`Aa1!${'x'.repeat(252)}`, []],
    ['Aa1!Aa1!Aa1', ['TOO_SHORT']],
    ['', ['TOO_SHORT']],
    [`Aa1!${'x'.repeat(253)}`, ['TOO_LONG']],
    [`Aa1!${'😀'.repeat(8)}`, []],
    [`Aa1!${'😀'.repeat(7)}`, ['TOO_SHORT']],
    ['correct horse 7!', ['TOO_SIMPLE']],
    ['CORRECT HORSE 7!', ['TOO_SIMPLE']],
    ['Correct horse !!', ['TOO_SIMPLE']],
    ['Correct horse 77', ['TOO_SIMPLE']],
    ['Correct\0horse 7!', ['NOT_TEXT']],
    ['Correct\ud800horse 7!', ['NOT_TEXT']],
  ])('%j: %j', (password, codes) => {
    expect(passwordProblems(password).map(({ code }) => code)).toEqual(codes)
  })

  it('lists everything that is missing', () => {
    expect(passwordProblems('aaaaaaaaaaaa')).toEqual([
      {
        path: 'password',
        code: 'TOO_SIMPLE',
        message: 'password must contain an upper-case letter, a digit, a symbol.',
      },
    ])
  })
})

describe('isPassword', () => {
  it('accepts only the right password', async () => {
    const hash = await hashPassword('Correct horse 7!')
    expect(await isPassword('Correct horse 7!', hash)).toBe(true)
    expect(await isPassword('Correct horse 7?', hash)).toBe(false)
  })

  it('does the same work without a stored password', async () => {
    const { memoryCost, timeCost, parallelism, algorithm } = parseOptions(nobodysHash)
    expect({ memoryCost, timeCost, parallelism, algorithm }).toEqual({ ...hashing, algorithm: 2 })
    expect(await isPassword('Correct horse 7!', null)).toBe(false)
  })
})
