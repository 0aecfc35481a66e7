import { hash, randomBytes } from 'node:crypto'

/** What a directory presents when it provisions users; recognizable, so that a scanner finds one that leaked. */
const form = /^scim_[A-Za-z0-9_-]{43}$/
const prefixLength = 10

export interface NewScimToken {
  readonly token: string
  readonly hash: string
  /** How the token begins. */
  readonly prefix: string
}

export const looksLikeScimToken = (text: string): boolean => text.startsWith('scim_')

/** What is stored of a token; null for a text that is none. */
export const scimTokenHash = (text: string): string | null => (form.test(text) ? hash('sha256', text, 'hex') : null)

export function newScimToken(): NewScimToken {
  const token = `scim_${randomBytes(32).toString('base64url')}`
  return { token, hash: scimTokenHash(token)!, prefix: token.slice(0, prefixLength) }
}

/** The token of an organization's directory as it stands now. */
export interface ScimTokenRecord {
  readonly id: string
  readonly organizationId: string
  readonly organizationSuspended: boolean
}
