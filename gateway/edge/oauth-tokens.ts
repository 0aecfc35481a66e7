import { hash } from 'node:crypto'
import type { CredentialSource, OAuthTokenRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isBlockedPath } from './blocked-path.ts'
import { chain } from './chain.ts'
import { appCredential } from './quota.ts'
import type { AppCredential } from './quota.ts'
import { RecordCache } from './record-cache.ts'

export interface OAuthTokenCheck {
  /** Null when no such token exists. */
  readonly app: AppCredential | null
  readonly refusal: Refusal | null
}

/** Access tokens of apps are opaque and session tokens are JWTs, so the format tells them apart. */
const form = /^[\w-]{43}$/

export const looksLikeOAuthToken = (token: string): boolean => form.test(token)

const unauthenticated = (detail: string) => new Refusal('UNAUTHENTICATED', detail)

function refusalOf(record: OAuthTokenRecord, target: string, nowMs: number): Refusal | null {
  if (record.expiresAt.getTime() <= nowMs) return new Refusal('TOKEN_EXPIRED', 'The access token has expired.')
  if (record.organizationSuspended) return new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  if (!record.ownerActive) return unauthenticated('The user of this access token is deactivated.')
  if (!record.ownerInOrganization) return unauthenticated('The user of this access token has left the organization.')
  if (isBlockedPath(target)) {
    return new Refusal('API_KEY_SCOPE_BLOCKED', 'Apps cannot call this path; it needs a signed-in session.')
  }
  return null
}

const hashOf = (token: string): string => hash('sha256', token, 'hex')

const checkFound = (app: AppCredential | null, target: string, nowMs: number): OAuthTokenCheck => ({
  app,
  refusal: app
    ? refusalOf(app.record, target, nowMs)
    : unauthenticated('The access token is not valid; it may have been revoked.'),
})

/** Checks access tokens of apps before the scope check. */
export class OAuthTokens {
  readonly #records: RecordCache<AppCredential>

  constructor(source: CredentialSource) {
    this.#records = new RecordCache({
      load: async (tokenHash) => {
        const record = await source.findOAuthToken(tokenHash)
        return record && appCredential(record)
      },
      organizationOf: ({ record }) => record.organizationId,
    })
  }

  check(token: string, target: string, nowMs: number): OAuthTokenCheck | Promise<OAuthTokenCheck> {
    return chain(this.#records.get(hashOf(token), nowMs), (app) => checkFound(app, target, nowMs))
  }

  /** Undefined when the token must be read first. */
  checkCached(token: string, target: string, nowMs: number): OAuthTokenCheck | undefined {
    const app = this.#records.getCached(hashOf(token), nowMs)
    return app === undefined ? undefined : checkFound(app, target, nowMs)
  }

  forget(hashOrOrganizationId: string): void {
    this.#records.forget(hashOrOrganizationId)
  }
}
