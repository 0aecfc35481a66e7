import { isCsrfToken } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { IncomingRequest } from './address.ts'
import type { PresentedCredential } from './presented.ts'
import type { SessionCheck } from './sessions.ts'

/** A browser keeps sending the cookie of an ended session until it gets a new one, so such a cookie must not refuse a sign-in. */
const endedCodes: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'TOKEN_EXPIRED'])
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Checks a session cookie. It is accepted like a bearer token if the method is a read or the CSRF token is right.
 * A cookie of an ended session is ignored. A websocket can write, so it needs the CSRF token, too.
 */
export function checkCookie(
  checked: SessionCheck,
  { csrfToken }: Extract<PresentedCredential, { kind: 'COOKIE' }>,
  { method = 'SOCKET' }: IncomingRequest,
  key: Buffer,
): SessionCheck {
  const { session, refusal } = checked
  if (!session) return refusal && endedCodes.has(refusal.code) ? { session: null, refusal: null } : checked
  if (readMethods.has(method) || (csrfToken !== null && isCsrfToken(key, session.id, csrfToken))) return checked
  const message =
    'Send the CSRF token of the session as the cookie csrf_token and in the X-CSRF-Token header; writes with the session cookie need it.'
  return { session: null, refusal: new Refusal('CSRF_TOKEN_INVALID', message) }
}
