import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { accessCookie, csrfCookie, deviceCookie } from '../gateway/edge/cookies.ts'
import type { CookieAction, RestOperation } from './rest-operation.ts'

const refreshCookie = 'refresh_token'
/** The body field of each cookie, for operations with cookie parameters. */
const fieldOfCookie: Readonly<Record<string, string>> = {
  [refreshCookie]: 'refreshToken',
  [deviceCookie]: 'deviceToken',
}
/** The lifetime of the device token. */
const deviceSeconds = 180 * 86_400
/** The lifetime of a refresh token that is not refreshed. */
const sessionSeconds = 30 * 86_400

/** Hosts for which cookies are not Secure, because some browsers refuse Secure cookies over HTTP on the local machine. */
const localHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** The body with tokens from cookies, for operations with cookie parameters. A field of the body takes precedence. */
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
 * The refresh token is sent to the sign-in paths only and is SameSite=Strict. The access token is SameSite=Lax, so that a user who
 * follows a link from another site is signed in. Both are HttpOnly. The page can read the CSRF token. The device token outlives the
 * session and is sent to all paths below `/v1`.
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
  const secure = !localHost.test(req.headers.host ?? '')
  const maxAge = action === 'clear' ? 0 : sessionSeconds
  if (action !== 'csrf') {
    const httpOnlyOptions = { httpOnly: true, secure } as const
    const refresh = { ...httpOnlyOptions, sameSite: 'strict', path: '/v1/auth', maxAge } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(refreshCookie, refreshToken, refresh))
    const access = { ...httpOnlyOptions, sameSite: 'lax', path: '/', maxAge: expiresIn } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(accessCookie, accessToken, access))
  }
  if (deviceToken !== undefined) {
    const device = { httpOnly: true, secure, sameSite: 'strict', path: '/v1', maxAge: deviceSeconds } as const
    res.appendHeader('Set-Cookie', stringifySetCookie(deviceCookie, deviceToken, device))
  }
  const csrf = { secure, sameSite: 'strict', path: '/', maxAge } as const
  res.appendHeader('Set-Cookie', stringifySetCookie(csrfCookie, csrfToken, csrf))
}
