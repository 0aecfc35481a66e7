import type { KeyObject } from 'node:crypto'
import { anonymous, type Caller } from '../../subgraphs/kernel/context.ts'
import type { ActingUser, CredentialSource, SessionRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { depthOf, userAgentOf, type IncomingRequest } from './address.ts'
import { ApiKeys, type KeyCheck, type KeyRequest } from './api-keys.ts'
import { chain } from './chain.ts'
import { checkCookie } from './cookie-session.ts'
import { looksLikeOAuthToken, OAuthTokens, type OAuthTokenCheck } from './oauth-tokens.ts'
import type { PresentedCredential } from './presented.ts'
import type { AppCredential, KeyCredential } from './quota.ts'
import { Sessions } from './sessions.ts'

export interface Identified {
  /** Null when the request is refused. */
  readonly caller: Caller | null
  /** The API key of the request, also when it is refused: refusals show its quota as well. */
  readonly key: KeyCredential | null
  /** The app of an access token, also when it is refused. */
  readonly app?: AppCredential | null
  readonly refusal: Refusal | null
  /** Whether the refusal counts as a failed API key authentication of the address. */
  readonly isKeyFailure?: boolean
}

function callerOf(
  kind: 'API_KEY' | 'OAUTH' | 'SESSION',
  { organizationId, role, visibility, ownerIds, fields, entitlements, id }: ActingUser & { readonly id: string },
  userId: string,
  scopes: readonly string[],
  ip: string,
  request: IncomingRequest,
): Caller {
  const depth = depthOf(request)
  return {
    ...(depth !== undefined && { depth }),
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

/** A request without a credential. One that an automation has signed has its depth, too: what it starts is deeper. */
export function anonymousCaller(ip: string, request: IncomingRequest): Caller {
  const depth = depthOf(request)
  return anonymous({ ip, userAgent: userAgentOf(request), ...(depth !== undefined && { depth }) })
}

const targetOf = ({ originalUrl, url }: IncomingRequest): string => originalUrl ?? url ?? '/'

const keyRequestOf = (secret: string, request: IncomingRequest, ip: string): KeyRequest => ({
  secret,
  address: ip,
  target: targetOf(request),
})

const identifiedByKey = ({ key, refusal, isFailure }: KeyCheck, request: IncomingRequest, ip: string): Identified => ({
  caller: key && !refusal ? callerOf('API_KEY', key.record, key.record.ownerId, key.record.scopes, ip, request) : null,
  key,
  refusal,
  isKeyFailure: isFailure,
})

const identifiedByToken = ({ app, refusal }: OAuthTokenCheck, request: IncomingRequest, ip: string): Identified => ({
  caller: app && !refusal ? callerOf('OAUTH', app.record, app.record.userId, app.record.scopes, ip, request) : null,
  key: null,
  app,
  refusal,
})

const refused = (refusal: Refusal): Identified => ({ caller: null, key: null, refusal })

/** Authenticates the caller. Scopes and quota are checked later; README.md has the order. */
export class Credentials {
  readonly #keys: ApiKeys
  readonly #sessions: Sessions
  readonly #tokens: OAuthTokens

  constructor(
    source: CredentialSource,
    verifying: KeyObject,
    private readonly csrfKey: Buffer,
  ) {
    this.#keys = new ApiKeys(source)
    this.#sessions = new Sessions(verifying, source)
    this.#tokens = new OAuthTokens(source)
  }

  /** Reads the record of the credential if it is not cached. */
  identify(
    presented: PresentedCredential,
    request: IncomingRequest,
    ip: string,
    nowMs: number,
  ): Identified | Promise<Identified> {
    switch (presented.kind) {
      case 'API_KEY': {
        const checked = this.#keys.check(keyRequestOf(presented.secret, request, ip), nowMs)
        return chain(checked, (check) => identifiedByKey(check, request, ip))
      }
      case 'BEARER':
        if (looksLikeOAuthToken(presented.token)) {
          const checked = this.#tokens.check(presented.token, targetOf(request), nowMs)
          return chain(checked, (check) => identifiedByToken(check, request, ip))
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

  /** Like `identify`, for credentials with a quota. Null for others, and when the record must be read first. */
  identifyCached(
    presented: PresentedCredential,
    request: IncomingRequest,
    ip: string,
    nowMs: number,
  ): Identified | null {
    if (presented.kind === 'API_KEY') {
      const check = this.#keys.checkCached(keyRequestOf(presented.secret, request, ip), nowMs)
      return check ? identifiedByKey(check, request, ip) : null
    }
    if (presented.kind === 'BEARER' && looksLikeOAuthToken(presented.token)) {
      const check = this.#tokens.checkCached(presented.token, targetOf(request), nowMs)
      return check ? identifiedByToken(check, request, ip) : null
    }
    return null
  }

  /** Drops cached records by key hash, session id or organization id. */
  forget(id: string): void {
    this.#keys.forget(id)
    this.#sessions.forget(id)
    this.#tokens.forget(id)
  }
}
