import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  looksLikeApiKey,
  type CredentialSource,
  type SessionRecord,
  verifySessionToken,
  type VerifiedSession,
  userStateRefusal,
} from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { chain } from './chain.ts'
import { RecordCache } from './record-cache.ts'

export interface SessionCheck {
  readonly session: SessionRecord | null
  readonly refusal: Refusal | null
}

const refused = (
  code: 'UNAUTHENTICATED' | 'TOKEN_EXPIRED' | 'ORGANIZATION_SUSPENDED',
  detail: string,
): SessionCheck => ({
  session: null,
  refusal: new Refusal(code, detail),
})

const malformed = (token: string): SessionCheck =>
  refused(
    'UNAUTHENTICATED',
    looksLikeApiKey(token)
      ? 'Send an API key in the X-API-Key header, not as a bearer token.'
      : 'The access token is not valid.',
  )

/** Checks session tokens: the signature once per token, its session record again after at most one second. */
export class Sessions {
  readonly #verifying: KeyObject
  readonly #tokens = new LRUCache<string, VerifiedSession>({ max: 10_000 })
  readonly #records: RecordCache<SessionRecord>

  constructor(verifying: KeyObject, source: CredentialSource) {
    this.#verifying = verifying
    this.#records = new RecordCache({
      load: (sessionId) => source.findSession(sessionId),
      organizationOf: ({ organizationId }) => organizationId,
    })
  }

  check(token: string, nowMs: number): SessionCheck | Promise<SessionCheck> {
    return chain(this.#verified(token, nowMs), (claims) => {
      if (claims === 'INVALID') return malformed(token)
      if (claims === 'EXPIRED' || claims.expiresAtMs <= nowMs) {
        this.#tokens.delete(token)
        return refused('TOKEN_EXPIRED', 'The access token has expired.')
      }
      return chain(this.#records.get(claims.sessionId, nowMs), (record) => checkRecord(record, claims, nowMs))
    })
  }

  forget(sessionOrOrganizationId: string): void {
    this.#records.forget(sessionOrOrganizationId)
  }

  #verified(token: string, nowMs: number) {
    const known = this.#tokens.get(token)
    if (known) return known
    return verifySessionToken(token, this.#verifying, new Date(nowMs)).then((verified) => {
      if (typeof verified === 'object') this.#tokens.set(token, verified)
      return verified
    })
  }
}

function checkRecord(record: SessionRecord | null, claims: VerifiedSession, nowMs: number): SessionCheck {
  const hasEnded =
    !record ||
    record.revokedAt !== null ||
    record.expiresAt.getTime() <= nowMs ||
    record.userId !== claims.userId ||
    record.organizationId !== claims.organizationId
  if (hasEnded) return refused('UNAUTHENTICATED', 'The session has ended; sign in again.')
  switch (userStateRefusal(record)) {
    case 'ORGANIZATION_SUSPENDED':
      return refused('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
    case 'API_KEY_OWNER_INACTIVE':
      return refused('UNAUTHENTICATED', 'The user is deactivated.')
    case 'API_KEY_OWNER_NOT_IN_ORG':
      return refused('UNAUTHENTICATED', 'The user has left the organization.')
    case null:
      return { session: record, refusal: null }
  }
}
