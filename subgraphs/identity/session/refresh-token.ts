import { hash, randomBytes } from 'node:crypto'

/** After its use a token answers for this long, for requests that were under way together. */
export const graceMs = 20_000
/** A session ends when it was not refreshed for this long. */
export const sessionLifeMs = 30 * 86_400_000

const bytes = 32
const form = /^[A-Za-z0-9_-]{43}$/

export const newRefreshToken = (): string => randomBytes(bytes).toString('base64url')

export const isRefreshToken = (text: string): boolean => form.test(text)

/** What is stored of a token. */
export const refreshTokenHash = (token: string): string => hash('sha256', token, 'hex')
