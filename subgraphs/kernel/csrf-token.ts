import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from './derived-key.ts'

const randomChars = 22

function signed(key: Buffer, sessionId: string, random: string): string {
  const signature = createHmac('sha256', derivedKey(key, 'csrf')).update(`${sessionId}.${random}`).digest('base64url')
  return `${random}${signature}`
}

/** Proves that a request was made by a page which may read our cookies. Good for one session, for as long as that lives. */
export const newCsrfToken = (key: Buffer, sessionId: string): string =>
  signed(key, sessionId, randomBytes(16).toString('base64url'))

/** Whether the token was made for the session: a cookie that somebody planted is of no use. */
export function isCsrfToken(key: Buffer, sessionId: string, token: string): boolean {
  const given = Buffer.from(token)
  const expected = Buffer.from(signed(key, sessionId, token.slice(0, randomChars)))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
