import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { RestOperation } from './contract.ts'

const name = 'refresh_token'
/** As long as the token lives when nobody refreshes it. */
const maxAgeSeconds = 30 * 86_400

/** Where a browser keeps a Secure cookie off, since there is nothing in between to be secured from. */
const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** The body with the refresh token of the cookie, where the operation takes one from there and the body has none. */
export function withRefreshCookie(req: IncomingMessage, { parameters }: RestOperation, body: unknown): unknown {
  const { cookie } = req.headers
  if (!cookie || !parameters.some((parameter) => parameter.in === 'cookie' && parameter.name === name)) return body
  const { [name]: refreshToken } = parseCookie(cookie)
  return refreshToken === undefined ? body : { refreshToken, ...(body as object | undefined) }
}

/** HttpOnly and for the sign-in paths alone; SameSite=Strict, so that no other site can make a browser refresh or sign out. */
export function writeRefreshCookie(
  action: 'set' | 'clear',
  result: unknown,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const { refreshToken = '' } = action === 'set' ? (result as { refreshToken?: string }) : {}
  res.appendHeader(
    'Set-Cookie',
    stringifySetCookie(name, refreshToken, {
      httpOnly: true,
      sameSite: 'strict',
      path: '/v1/auth',
      secure: !thisMachine.test(req.headers.host ?? ''),
      maxAge: action === 'set' ? maxAgeSeconds : 0,
    }),
  )
}
