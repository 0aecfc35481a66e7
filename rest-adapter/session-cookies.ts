import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { accessCookie, csrfCookie, deviceCookie } from '../gateway/edge/cookies.ts'
import type { RestOperation } from './contract.ts'

/** What an operation does to the cookies of a browser: a new session, none any more, or a new CSRF token for the one there is. */
export type CookieAction = 'set' | 'clear' | 'csrf'

const refreshCookie = 'refresh_token'
/** What of a body comes from a cookie, where the operation takes it from there. */
const fieldOfCookie: Readonly<Record<string, string>> = {
  [refreshCookie]: 'refreshToken',
  [deviceCookie]: 'deviceToken',
}
/** As long as the device token is good. */
const deviceSeconds = 180 * 86_400
/** As long as the refresh token lives when nobody refreshes it. */
const sessionSeconds = 30 * 86_400

/** Where a browser keeps a Secure cookie off, since there is nothing in between to be secured from. */
const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** The body with the tokens of cookies, where the operation takes them from there and the body has none. */
export function withCookies(req: IncomingMessage, { parameters }: RestOperation, body: unknown): unknown {
  const { cookie } = req.headers
  const taken = parameters.filter((parameter) => parameter.in === 'cookie')
  if (!cookie || taken.length === 0) return body
  const cookies = parseCookie(cookie)
  const found = taken.flatMap(({ name }): [string, string][] => {
    const [field, value] = [fieldOfCookie[name], cookies[name]]
    return field === undefined || value === undefined ? [] : [[field, value]]
  })
  return found.length === 0 ? body : { ...Object.fromEntries(found), ...(body as object | undefined) }
}

interface Tokens {
  readonly refreshToken?: string
  readonly accessToken?: string
  readonly expiresIn?: number
  readonly csrfToken?: string
  readonly deviceToken?: string
}

/**
 * The refresh token is for the sign-in paths alone and SameSite=Strict; the access token is Lax, so that a link from outside
 * finds its user signed in. Both are HttpOnly. The CSRF token is for the page to read. The device token outlives the session,
 * and is for every page where people sign in.
 */
export function writeSessionCookies(
  action: CookieAction,
  result: unknown,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const {
    refreshToken = '',
    accessToken = '',
    expiresIn = 0,
    csrfToken = '',
    deviceToken,
  } = action === 'clear' ? {} : (result as Tokens)
  const secure = !thisMachine.test(req.headers.host ?? '')
  const lives = action === 'clear' ? 0 : sessionSeconds
  if (action !== 'csrf') {
    const hidden = { httpOnly: true, secure } as const
    const refresh = { ...hidden, sameSite: 'strict', path: '/v1/auth', maxAge: lives } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(refreshCookie, refreshToken, refresh))
    const access = { ...hidden, sameSite: 'lax', path: '/', maxAge: expiresIn } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(accessCookie, accessToken, access))
  }
  if (deviceToken !== undefined) {
    const device = { httpOnly: true, secure, sameSite: 'strict', path: '/v1', maxAge: deviceSeconds } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(deviceCookie, deviceToken, device))
  }
  const csrf = { secure, sameSite: 'strict', path: '/', maxAge: lives } as const
  res.appendHeader('Set-Cookie', stringifySetCookie(csrfCookie, csrfToken, csrf))
}
