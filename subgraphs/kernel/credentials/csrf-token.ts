import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../secrets/derived-key.ts'

const randomChars = 22

function signed(key: Buffer, sessionId: string, random: string): string {
  const signature = createHmac('sha256', derivedKey(key, 'csrf')).update(`${sessionId}.${random}`).digest('base64url')
  return `${random}${signature}`
}

/** A token that proves that the page which sent a request can read our cookies. Valid for one session, until the session ends. */
export const newCsrfToken = (key: Buffer, sessionId: string): string =>
  signed(key, sessionId, randomBytes(16).toString('base64url'))

/** Whether the token was issued for this session. A cookie planted by an attacker belongs to another session and is refused. */
export function isCsrfToken(key: Buffer, sessionId: string, token: string): boolean {
  const given = Buffer.from(token)
  const expected = Buffer.from(signed(key, sessionId, token.slice(0, randomChars)))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
