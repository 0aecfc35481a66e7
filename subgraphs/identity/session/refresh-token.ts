import { hash, randomBytes } from 'node:crypto'

/** A used token may be reused for this long, for concurrent requests of one client. */
export const graceMs = 20_000
/** A session ends after this time without a refresh. */
export const sessionLifeMs = 30 * 86_400_000

const bytes = 32
const form = /^[A-Za-z0-9_-]{43}$/

export const newRefreshToken = (): string => randomBytes(bytes).toString('base64url')

export const isRefreshToken = (text: string): boolean => form.test(text)

/** The hash that is stored instead of the token. */
export const refreshTokenHash = (token: string): string => hash('sha256', token, 'hex')
