import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { signSessionToken, verifySessionToken } from './session-token.ts'

const keys = generateKeyPairSync('ed25519')
const strangers = generateKeyPairSync('ed25519')
const now = new Date('2026-03-01T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const claims = { sessionId: 's1', userId: 'u1', organizationId: 'o1' }

describe('a session token', () => {
  it('verifies to the signed claims for 15 minutes', async () => {
    const token = await signSessionToken(claims, keys.privateKey, now)
    const verified = { ...claims, expiresAtMs: now.getTime() + 900_000 }
    expect(await verifySessionToken(token, keys.publicKey, later(899))).toEqual(verified)
    expect(await verifySessionToken(token, keys.publicKey, later(900))).toBe('EXPIRED')
  })

  it('signed by another key is invalid, also when it has expired', async () => {
    const token = await signSessionToken(claims, strangers.privateKey, now)
    expect(await verifySessionToken(token, keys.publicKey, now)).toBe('INVALID')
    expect(await verifySessionToken(token, keys.publicKey, later(9000))).toBe('INVALID')
  })

  it('of another kind is invalid', async () => {
    const jwt = (typ: string) =>
      new SignJWT({ sid: 's1', org: 'o1' })
        .setProtectedHeader({ alg: 'EdDSA', typ })
        .setSubject('u1')
        .setIssuer('crm-platform-api')
    const token = await jwt('JWT').setExpirationTime(later(60)).sign(keys.privateKey)
    expect(await verifySessionToken(token, keys.publicKey, now)).toBe('INVALID')
    const endless = await jwt('session+jwt').sign(keys.privateKey)
    expect(await verifySessionToken(endless, keys.publicKey, now)).toBe('INVALID')
  })

  it('without a signature, or with one by a shared secret, is invalid', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = part({ sid: 's1', org: 'o1', sub: 'u1', iss: 'crm-platform-api', exp: 9_999_999_999 })
    expect(await verifySessionToken(`${part({ alg: 'none', typ: 'session+jwt' })}.${body}.`, keys.publicKey, now)).toBe(
      'INVALID',
    )
    const secret = new TextEncoder().encode(keys.publicKey.export({ type: 'spki', format: 'pem' }).toString())
    const forged = await new SignJWT({ sid: 's1', org: 'o1' })
      .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt' })
      .setSubject('u1')
      .setExpirationTime(later(60))
      .sign(secret)
    expect(await verifySessionToken(forged, keys.publicKey, now)).toBe('INVALID')
  })

  it.each(['', 'x', 'a.b', 'a.b.c', '..', `${'a'.repeat(5000)}.b.c`])('refuses %j', async (text) => {
    expect(await verifySessionToken(text, keys.publicKey, now)).toBe('INVALID')
  })
})
