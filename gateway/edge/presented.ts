import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import { accessCookie, csrfCookie } from './cookies.ts'

/** The one credential that a request is judged by. */
export type Presented =
  | { readonly kind: 'API_KEY'; readonly secret: string }
  | { readonly kind: 'BEARER'; readonly token: string }
  | { readonly kind: 'COOKIE'; readonly token: string; readonly csrfToken: string | null }
  | { readonly kind: 'UNSUPPORTED' | 'CONFLICT' }
  | { readonly kind: 'NONE' }

const none: Presented = { kind: 'NONE' }
const conflict: Presented = { kind: 'CONFLICT' }
const unsupported: Presented = { kind: 'UNSUPPORTED' }
const scheme = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?: +(.*))?$/i

/**
 * A key beats everything else: with one in the request, even an empty or a wrong one, neither a bearer token nor a session
 * cookie is looked at; a bearer token beats the cookie.
 */
export function presentedBy(headers: IncomingHttpHeaders): Presented {
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

/** Whether the key of a request, or its several, is what it is judged by. */
export function presentsKey(headers: IncomingHttpHeaders): boolean {
  const { kind } = presentedBy(headers)
  return kind === 'API_KEY' || kind === 'CONFLICT'
}

/** The CSRF token counts only when the page could read it: it comes as a cookie and once more as a header. */
function inCookies(headers: IncomingHttpHeaders): Presented {
  if (!headers.cookie?.includes(accessCookie)) return none
  const { [accessCookie]: token, [csrfCookie]: planted } = parseCookie(headers.cookie)
  if (!token) return none
  const sent = headers['x-csrf-token']
  return { kind: 'COOKIE', token, csrfToken: planted !== undefined && planted === sent ? planted : null }
}
