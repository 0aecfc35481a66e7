import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { accessCookie, csrfCookie } from '../gateway/edge/cookies.ts'
import type { RestOperation } from './contract.ts'

/** What an operation does to the cookies of a browser: a new session, none any more, or a new CSRF token for the one there is. */
export type CookieAction = 'set' | 'clear' | 'csrf'

const refreshCookie = 'refresh_token'
/** As long as the refresh token lives when nobody refreshes it. */
const sessionSeconds = 30 * 86_400

/** Where a browser keeps a Secure cookie off, since there is nothing in between to be secured from. */
const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** The body with the refresh token of the cookie, where the operation takes one from there and the body has none. */
export function withRefreshCookie(req: IncomingMessage, { parameters }: RestOperation, body: unknown): unknown {
  const { cookie } = req.headers
  if (!cookie || !parameters.some((parameter) => parameter.in === 'cookie' && parameter.name === refreshCookie)) {
    return body
  }
  const { [refreshCookie]: refreshToken } = parseCookie(cookie)
  return refreshToken === undefined ? body : { refreshToken, ...(body as object | undefined) }
}

interface Tokens {
  readonly refreshToken?: string
  readonly accessToken?: string
  readonly expiresIn?: number
  readonly csrfToken?: string
}

/**
 * The refresh token is for the sign-in paths alone and SameSite=Strict; the access token is Lax, so that a link from outside
 * finds its user signed in. Both are HttpOnly. The CSRF token is for the page to read.
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
  const csrf = { secure, sameSite: 'strict', path: '/', maxAge: lives } as const
  res.appendHeader('Set-Cookie', stringifySetCookie(csrfCookie, csrfToken, csrf))
}
