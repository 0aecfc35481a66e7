import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { looksLikeApiKey, newApiKey, parseApiKey } from './api-key.ts'

describe('an API key', () => {
  it('has a recognizable form, and at least 160 random bits in addition to its public prefix', () => {
    const { secret, prefix } = newApiKey()
    expect(secret).toMatch(/^ck_live_[0-9A-Za-z]{38}$/)
    expect(prefix).toMatch(/^ck_live_[0-9A-Za-z]{4}$/)
    expect(secret.startsWith(prefix)).toBe(true)
    expect(28 * Math.log2(62) >= 160).toBe(true)
    expect(looksLikeApiKey(secret)).toBe(true)
  })

  it('is stored as its SHA-256', () => {
    const { secret, prefix, hash } = newApiKey()
    expect(hash).toBe(createHash('sha256').update(secret).digest('hex'))
    expect(parseApiKey(secret)).toEqual({ prefix, hash })
  })

  it('never repeats', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newApiKey().secret)).size).toBe(1000)
  })

  it('with any one character changed is refused', () => {
    const { secret } = newApiKey()
    for (let at = 0; at < secret.length; at++) {
      const other = secret[at] === 'x' ? 'y' : 'x'
      expect(parseApiKey(secret.slice(0, at) + other + secret.slice(at + 1))).toBeNull()
    }
  })

  it.each([
    '',
    'ck_live_',
    'nonsense',
    `ck_test_${'a'.repeat(38)}`,
    `ck_live_${'a'.repeat(38)}`,
    `ck_live_${'-'.repeat(38)}`,
  ])('refuses %j', (text) => expect(parseApiKey(text)).toBeNull())

  it('is refused with anything before or after it', () => {
    const { secret } = newApiKey()
    for (const text of [` ${secret}`, `${secret} `, `${secret}\n`, `${secret}, ${secret}`])
      expect(parseApiKey(text)).toBeNull()
  })
})
