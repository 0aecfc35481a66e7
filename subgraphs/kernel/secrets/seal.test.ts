import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { seal, unseal } from './seal.ts'

const key = randomBytes(32)
const text = 'ck_live_äöü€😀'

describe('seal', () => {
  it('is decrypted with the same key, and differs every time', () => {
    const [first, second] = [seal(key, 'row 1', text), seal(key, 'row 1', text)]
    expect([unseal(key, 'row 1', first), unseal(key, 'row 1', second)]).toEqual([text, text])
    expect(first).not.toBe(second)
    expect(first).not.toContain('ck_live')
  })

  it.each([
    ['another key', () => unseal(randomBytes(32), 'row 1', seal(key, 'row 1', text))],
    ['another place', () => unseal(key, 'row 2', seal(key, 'row 1', text))],
    ['altered text', () => unseal(key, 'row 1', seal(key, 'row 1', text).replace(/.{5}$/, 'AAAAA'))],
    ['no text', () => unseal(key, 'row 1', '')],
  ])('refuses %s', (_, open) => {
    expect(open).toThrow()
  })
})
