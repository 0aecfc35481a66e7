import type { KeyObject } from 'node:crypto'
import { anonymous, type Caller } from '../../subgraphs/kernel/context.ts'
import type { Counters } from '../../subgraphs/kernel/counters/counters.ts'
import type { ActingUser, CredentialSource, SessionRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { userAgentOf, type IncomingRequest } from './address.ts'
import { ApiKeys } from './api-keys.ts'
import { chain } from './chain.ts'
import { checkCookie } from './cookie-session.ts'
import { looksLikeOAuthToken, OAuthTokens } from './oauth-tokens.ts'
import { presentedBy } from './presented.ts'
import type { AppCredential, KeyCredential } from './quota.ts'
import { Sessions } from './sessions.ts'

export interface Identified {
  readonly caller: Caller | null
  /** The API key of the request, also when it is refused: refusals show its quota as well. */
  readonly key: KeyCredential | null
  /** The app of an access token, also when it is refused. */
  readonly app?: AppCredential | null
  readonly refusal: Refusal | null
}

function callerOf(
  kind: 'API_KEY' | 'OAUTH' | 'SESSION',
  { organizationId, role, visibility, ownerIds, fields, entitlements, id }: ActingUser & { readonly id: string },
  userId: string,
  scopes: readonly string[],
  ip: string,
  request: IncomingRequest,
): Caller {
  return {
    kind,
    organizationId,
    userId,
    role,
    visibility,
    ownerIds,
    fields,
    entitlements,
    scopes,
    credentialId: id,
    ip,
    userAgent: userAgentOf(request),
  }
}

const sessionCaller = (record: SessionRecord, ip: string, request: IncomingRequest): Caller =>
  callerOf('SESSION', record, record.userId, [], ip, request)

const anonymousCaller = (ip: string, request: IncomingRequest): Caller =>
  anonymous({ ip, userAgent: userAgentOf(request) })

const refused = (refusal: Refusal): Identified => ({ caller: null, key: null, refusal })

/** Authenticates the caller. Scopes and quota are checked later; README.md has the order. */
export class Credentials {
  readonly #keys: ApiKeys
  readonly #sessions: Sessions
  readonly #tokens: OAuthTokens

  constructor(
    counters: Counters,
    source: CredentialSource,
    verifying: KeyObject,
    private readonly csrfKey: Buffer,
  ) {
    this.#keys = new ApiKeys(counters, source)
    this.#sessions = new Sessions(verifying, source)
    this.#tokens = new OAuthTokens(source)
  }

  /** `isAttempt` is false when a key that was admitted before is checked again. */
  identify(request: IncomingRequest, ip: string, nowMs: number, isAttempt = true): Identified | Promise<Identified> {
    const presented = presentedBy(request.headers)
    switch (presented.kind) {
      case 'API_KEY': {
        const target = request.originalUrl ?? request.url ?? '/'
        const keyRequest = { secret: presented.secret, address: ip, target }
        const checked = isAttempt ? this.#keys.check(keyRequest, nowMs) : this.#keys.recheck(keyRequest, nowMs)
        return chain(checked, ({ key, refusal }) => ({
          caller:
            key && !refusal
              ? callerOf('API_KEY', key.record, key.record.ownerId, key.record.scopes, ip, request)
              : null,
          key,
          refusal,
        }))
      }
      case 'BEARER':
        if (looksLikeOAuthToken(presented.token)) {
          const target = request.originalUrl ?? request.url ?? '/'
          return chain(this.#tokens.check(presented.token, target, nowMs), ({ app, refusal }) => ({
            caller:
              app && !refusal ? callerOf('OAUTH', app.record, app.record.userId, app.record.scopes, ip, request) : null,
            key: null,
            app,
            refusal,
          }))
        }
        return chain(this.#sessions.check(presented.token, nowMs), ({ session, refusal }) => ({
          caller: session && sessionCaller(session, ip, request),
          key: null,
          refusal,
        }))
      case 'COOKIE':
        return chain(this.#sessions.check(presented.token, nowMs), (checked) => {
          const { session, refusal } = checkCookie(checked, presented, request, this.csrfKey)
          if (refusal) return refused(refusal)
          return {
            caller: session ? sessionCaller(session, ip, request) : anonymousCaller(ip, request),
            key: null,
            refusal,
          }
        })
      case 'UNSUPPORTED':
        return refused(new Refusal('UNAUTHENTICATED', 'Authorization must be "Bearer <token>" or "ApiKey <key>".'))
      case 'CONFLICT':
        return refused(
          new Refusal('CREDENTIALS_CONFLICT', 'X-API-Key and Authorization contain different API keys; send one key.'),
        )
      case 'NONE':
        return { caller: anonymousCaller(ip, request), key: null, refusal: null }
    }
  }

  /** Drops cached records by key hash, session id or organization id. */
  forget(id: string): void {
    this.#keys.forget(id)
    this.#sessions.forget(id)
    this.#tokens.forget(id)
  }
}
