import { hash, randomBytes } from 'node:crypto'

/** The token of a directory that provisions users. The prefix lets secret scanners find a leaked token. */
const form = /^scim_[A-Za-z0-9_-]{43}$/
const prefixLength = 10

export interface NewScimToken {
  readonly token: string
  readonly hash: string
  /** The first characters of the token. */
  readonly prefix: string
}

export const looksLikeScimToken = (text: string): boolean => text.startsWith('scim_')

/** The SHA-256 of a token, which is stored instead of the token; null when the text is not a SCIM token. */
export const scimTokenHash = (text: string): string | null => (form.test(text) ? hash('sha256', text, 'hex') : null)

export function newScimToken(): NewScimToken {
  const token = `scim_${randomBytes(32).toString('base64url')}`
  return { token, hash: scimTokenHash(token)!, prefix: token.slice(0, prefixLength) }
}

/** The stored token of an organization's directory. */
export interface ScimTokenRecord {
  readonly id: string
  readonly organizationId: string
  readonly organizationSuspended: boolean
}
