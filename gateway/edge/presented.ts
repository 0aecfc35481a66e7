import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import { accessCookie, csrfCookie } from './cookies.ts'

/** The one credential by which a request is authenticated. */
export type PresentedCredential =
  | { readonly kind: 'API_KEY'; readonly secret: string }
  | { readonly kind: 'BEARER'; readonly token: string }
  | { readonly kind: 'COOKIE'; readonly token: string; readonly csrfToken: string | null }
  | { readonly kind: 'UNSUPPORTED' | 'CONFLICT' }
  | { readonly kind: 'NONE' }

const none: PresentedCredential = { kind: 'NONE' }
const conflict: PresentedCredential = { kind: 'CONFLICT' }
const unsupported: PresentedCredential = { kind: 'UNSUPPORTED' }
const scheme = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?: +(.*))?$/i

/**
 * Chooses the credential. An API key takes precedence, even an empty or a wrong one: bearer token and session cookie are then
 * ignored. A bearer token takes precedence over the cookie.
 */
export function presentedBy(headers: IncomingHttpHeaders): PresentedCredential {
  const header = headers['x-api-key']
  const { authorization } = headers
  if (authorization === undefined) {
    return header === undefined ? inCookies(headers) : { kind: 'API_KEY', secret: String(header).trim() }
  }
  const [, name = '', value = ''] = scheme.exec(authorization) ?? []
  const isKey = name.toLowerCase() === 'apikey'
  if (header !== undefined) {
    const secret = String(header).trim()
    return isKey && value.trim() !== secret ? conflict : { kind: 'API_KEY', secret }
  }
  if (isKey) return { kind: 'API_KEY', secret: value.trim() }
  return name.toLowerCase() === 'bearer' ? { kind: 'BEARER', token: value.trim() } : unsupported
}

/** Whether the request is authenticated by an API key, or refused because it has two different ones. */
export function presentsKey(headers: IncomingHttpHeaders): boolean {
  const { kind } = presentedBy(headers)
  return kind === 'API_KEY' || kind === 'CONFLICT'
}

/** The CSRF token is valid only if cookie and header are equal, which proves that the page could read the cookie. */
function inCookies(headers: IncomingHttpHeaders): PresentedCredential {
  if (!headers.cookie?.includes(accessCookie)) return none
  const { [accessCookie]: token, [csrfCookie]: csrfInCookie } = parseCookie(headers.cookie)
  if (!token) return none
  const csrfInHeader = headers['x-csrf-token']
  return {
    kind: 'COOKIE',
    token,
    csrfToken: csrfInCookie !== undefined && csrfInCookie === csrfInHeader ? csrfInCookie : null,
  }
}
