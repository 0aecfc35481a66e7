import type { FieldRestrictions, Role, Visibility } from '../context.ts'

/** The user behind a credential, in the organization of the credential, with the current role, profile and plan. */
export interface ActingUser {
  readonly organizationId: string
  readonly organizationSuspended: boolean
  readonly ownerActive: boolean
  readonly ownerInOrganization: boolean
  readonly role: Role
  readonly visibility: Visibility
  /** The owners whose records this user sees; null: all owners. */
  readonly ownerIds: readonly string[] | null
  /** Field-level security of the user's profile; null: no restriction. */
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
  /** When a rotated-out secret stops working; null when the hash belongs to the current secret. */
  readonly previousSecretExpiresAt: Date | null
}

export interface SessionRecord extends ActingUser {
  readonly id: string
  readonly userId: string
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/** An access token of an app. The app acts as the user who gave consent or, with client credentials, as the owner of the app. */
export interface OAuthTokenRecord extends ActingUser {
  /** Id of the consent; id of the app for client credentials. */
  readonly id: string
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly rateLimit: { readonly limit: number; readonly window: QuotaWindow }
  readonly expiresAt: Date
}

/** The port through which the gateway reads credentials. The subgraph that owns keys and sessions implements it. */
export interface CredentialSource {
  /** Finds a key by the SHA-256 (hex) of its current or rotated-out secret. */
  findApiKey(hash: string): Promise<ApiKeyRecord | null>
  findSession(sessionId: string): Promise<SessionRecord | null>
  /** Finds an access token by its SHA-256 (hex). Returns expired tokens, but no revoked ones. */
  findOAuthToken(hash: string): Promise<OAuthTokenRecord | null>
}

export type CountedKind = 'API_KEY' | 'OAUTH_APP' | 'SESSION' | 'SCIM_TOKEN'

/** The subject of a request in the usage figures: the API key, the app of the token, the user of the session, or the SCIM token. */
export interface Counted {
  readonly kind: CountedKind
  /** Id of the API key, app, user or SCIM token, depending on `kind`. */
  readonly id: string
  readonly organizationId: string
  readonly userId: string
}

/** A request of an authenticated caller, after its answer has been sent. */
export interface FinishedRequest {
  readonly counted: Counted
  /** The `operationId` in REST, the GraphQL root field in SCIM, `graphql` for every GraphQL request, `unknown` for unknown paths. */
  readonly operation: string
  readonly status: number
  readonly durationMs: number
  /** The request was refused because its quota was used up. */
  readonly isRateLimited: boolean
  readonly at: Date
}

/** A call of an operation that the contract marks as deprecated. */
export interface DeprecatedCall {
  readonly counted: Counted
  readonly operationId: string
  /** `POST /v1/api-keys/{id}/regenerate` */
  readonly endpoint: string
  readonly sunset: Date
  readonly at: Date
}

/** Receives every request of an authenticated caller. It runs on the hot path: record in memory and return at once. */
export interface UsageSink {
  /** The key was accepted; the outcome of the request is still unknown. */
  used(key: ApiKeyRecord, ip: string, at: Date): void
  /** The request was refused because the quota of the key was used up (a rate-limit hit). */
  refused(key: ApiKeyRecord, at: Date): void
  finished(request: FinishedRequest): void
}
