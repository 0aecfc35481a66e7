import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { isSignedCaller, signCaller } from './caller-token.ts'

const key = 'k'.repeat(32)
const now = new Date('2026-03-01T12:00:00Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const signed = { subgraph: 'support', body: '{"query":"{ a }"}' }
const token = signCaller(signed, key, now)
const [head, payload, signature] = token.split('.')
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a signed caller', () => {
  it('is a JWT with audience and expiry', async () => {
    const verified = await jwtVerify(token, Buffer.from(key), {
      algorithms: ['HS256'],
      audience: 'support',
      currentDate: now,
    })
    expect(verified.payload).toMatchObject({ aud: 'support', iat: 1772366400, exp: 1772366430 })
  })

  it('is valid for thirty seconds, and up to five seconds before its time for a slow clock', () => {
    const accepted = [-6, -5, 0, 29.9, 30].map((seconds) => isSignedCaller(token, signed, key, at(seconds)))
    expect(accepted).toEqual([false, true, true, true, false])
  })

  it.each([
    ['another body', token, { ...signed, body: '{"query":"{ b }"}' }, key],
    ['another subgraph', token, { ...signed, subgraph: 'crm' }, key],
    ['another key', token, signed, 'x'.repeat(32)],
    ['an altered signature', `${head}.${payload}.${signature!.slice(0, -2)}AA`, signed, key],
    ['no signature', `${head}.${payload}.`, signed, key],
    ['the algorithm none', `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`, signed, key],
    ['a part too many', `${token}.`, signed, key],
    ['no token', undefined, signed, key],
    ['several headers', [token, token], signed, key],
    ['an empty one', '', signed, key],
  ])('is refused with %s', (_what, given, claim, secret) => {
    expect(isSignedCaller(given, claim, secret, now)).toBe(false)
  })
})
