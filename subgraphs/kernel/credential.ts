import type { FieldRestrictions, Role, Visibility } from './context.ts'

/** The user behind a credential, in the organization of the credential, as it stands now. */
export interface ActingUser {
  readonly organizationId: string
  readonly organizationSuspended: boolean
  readonly ownerActive: boolean
  readonly ownerInOrganization: boolean
  readonly role: Role
  readonly visibility: Visibility
  /** The users whose records the owner sees; null when it sees everybody's. */
  readonly ownerIds: readonly string[] | null
  /** What the owner's profile takes away; null when it takes nothing. */
  readonly fields: FieldRestrictions | null
  readonly entitlements: readonly string[]
}

export type QuotaWindow = 'MINUTE' | 'HOUR' | 'DAY'

export interface ApiKeyRecord extends ActingUser {
  readonly id: string
  readonly ownerId: string
  readonly scopes: readonly string[]
  readonly rateLimit: { readonly limit: number; readonly window: QuotaWindow }
  readonly ipAllowList: readonly string[]
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** Null when the hash is that of the current secret; of a rotated-out one, the end of its overlap. */
  readonly previousSecretExpiresAt: Date | null
}

export interface SessionRecord extends ActingUser {
  readonly id: string
  readonly userId: string
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/** An access token of an app, which acts as a user who allowed it or, with client credentials, as the app's owner. */
export interface OAuthTokenRecord extends ActingUser {
  /** Of the consent, or of the app when there is none. */
  readonly id: string
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly rateLimit: { readonly limit: number; readonly window: QuotaWindow }
  readonly expiresAt: Date
}

/** Where the request edge reads credentials; whoever owns keys and sessions provides it. */
export interface CredentialSource {
  /** By the SHA-256 (hex) of a current or rotated-out secret. */
  findApiKey(hash: string): Promise<ApiKeyRecord | null>
  findSession(sessionId: string): Promise<SessionRecord | null>
  /** By the SHA-256 (hex) of an access token that was not revoked, expired or not. */
  findOAuthToken(hash: string): Promise<OAuthTokenRecord | null>
}

export type CountedKind = 'API_KEY' | 'OAUTH_APP' | 'SESSION' | 'SCIM_TOKEN'

/** Whom a request is counted for: its key, the app of its token, the user of its session, or the token of a directory. */
export interface Counted {
  readonly kind: CountedKind
  /** Of the key, the app, the user or the directory's token. */
  readonly id: string
  readonly organizationId: string
  readonly userId: string
}

/** A request of a caller who is known, when its answer is out. */
export interface FinishedRequest {
  readonly counted: Counted
  /** `operationId` in REST, the field of the graph in SCIM, `graphql` for everything there, `unknown` for paths that lead nowhere. */
  readonly operation: string
  readonly status: number
  readonly durationMs: number
  /** Refused because the quota was spent. */
  readonly isRateLimited: boolean
  readonly at: Date
}

/** A call to an operation that the contract marks as deprecated. */
export interface DeprecatedCall {
  readonly counted: Counted
  readonly operationId: string
  /** `POST /v1/api-keys/{id}/regenerate` */
  readonly endpoint: string
  readonly sunset: Date
  readonly at: Date
}

/** Told about every request of a caller who is known, on the hot path: it takes note and returns at once. */
export interface UsageSink {
  /** The key was accepted; what becomes of the request is not known yet. */
  used(key: ApiKeyRecord, ip: string, at: Date): void
  /** The key's quota was spent (a rate-limit hit). */
  refused(key: ApiKeyRecord, at: Date): void
  finished(request: FinishedRequest): void
}
