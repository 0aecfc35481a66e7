import { isCsrfToken } from '../../subgraphs/kernel/csrf-token.ts'
import { Refusal, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Arrival } from './address.ts'
import type { Presented } from './presented.ts'
import type { SessionJudgement } from './sessions.ts'

/** A browser sends a cookie that is over until it gets another: whoever signs in anew must not be refused for it. */
const overCodes: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'TOKEN_EXPIRED'])
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * What a session cookie is worth: like a bearer token, if the request changes nothing or proves that a page of ours made it.
 * A cookie of a session that is over is no credential. A websocket can write, so it has to prove it, too.
 */
export function judgeCookie(
  judged: SessionJudgement,
  { csrfToken }: Extract<Presented, { kind: 'COOKIE' }>,
  { method = 'SOCKET' }: Arrival,
  key: Buffer,
): SessionJudgement {
  const { session, refusal } = judged
  if (!session) return refusal && overCodes.has(refusal.code) ? { session: null, refusal: null } : judged
  if (readMethods.has(method) || (csrfToken !== null && isCsrfToken(key, session.id, csrfToken))) return judged
  const message =
    'A write with the session cookie needs the CSRF token of the session, as the cookie csrf_token and as the header X-CSRF-Token.'
  return { session: null, refusal: new Refusal('CSRF_TOKEN_INVALID', message) }
}
