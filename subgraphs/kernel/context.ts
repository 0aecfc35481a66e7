import type { Cancellation } from './cancellation.ts'

export type CallerKind = 'SESSION' | 'API_KEY' | 'OAUTH' | 'SCIM' | 'ANONYMOUS' | 'SYSTEM'
/** From the one that may do most. */
export const roles = ['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]
export type Visibility = 'OWN' | 'TEAM' | 'ALL'

export const mayDoMore = (role: Role, than: Role): boolean => roles.indexOf(role) < roles.indexOf(than)

/** What a profile takes away, by object and field (`customFields.<name>` for one of them). HIDDEN implies not writable. */
export type FieldRestrictions = Readonly<Record<string, Readonly<Record<string, 'HIDDEN' | 'READ'>>>>

/** Who asks: a user in one organization, and the credential that was presented. Plain data, so that it can be signed and sent. */
export interface Caller {
  readonly kind: CallerKind
  readonly organizationId: string
  readonly userId: string
  readonly role: Role
  readonly visibility: Visibility
  /** The users whose records the caller sees (OWN: itself, TEAM: its teams' members); null when it sees everybody's. */
  readonly ownerIds: readonly string[] | null
  /** Field-level security; null when nothing is restricted. */
  readonly fields: FieldRestrictions | null
  /** Features of the organization's plan. */
  readonly entitlements: readonly string[]
  /** Scopes as granted, not expanded; `kernel/scopes.ts` says what they reach. */
  readonly scopes: readonly string[]
  /** Id of the API key, session or token. Idempotency keys and quotas are counted per credential. */
  readonly credentialId: string
  readonly ip: string
  readonly userAgent: string
}

/** The id of a user who is none: the platform itself, and a directory that provisions by SCIM. */
export const nobody = '00000000-0000-0000-0000-000000000000'

/** Whoever comes without a credential. */
export const anonymous = ({ ip, userAgent }: Pick<Caller, 'ip' | 'userAgent'>): Caller => ({
  kind: 'ANONYMOUS',
  organizationId: '',
  userId: '',
  role: 'READ_ONLY',
  visibility: 'OWN',
  ownerIds: [],
  fields: null,
  entitlements: [],
  scopes: [],
  credentialId: '',
  ip,
  userAgent,
})

/** An `Idempotency-Key` and what it was used for: a digest of method, path and raw body. */
export interface IdempotencyClaim {
  readonly key: string
  readonly fingerprint: string
}

/** What travels with one operation from the gateway to a subgraph, in the same process or another. Plain data, but for the last. */
export interface OperationContext {
  readonly caller: Caller
  readonly requestId: string
  readonly idempotency: IdempotencyClaim | null
  /**
   * Of a read whose client may leave; to another process the closed connection says it. SQL is cancelled by it; a resolver gives
   * `cancellation?.signal` to whatever else it waits for.
   */
  readonly cancellation?: Cancellation | undefined
}

/** The user who acts; null for the platform itself and for a directory that provisions by SCIM. */
export const actorIdOf = ({ kind, userId }: Pick<Caller, 'kind' | 'userId'>): string | null =>
  kind === 'SYSTEM' || kind === 'SCIM' ? null : userId
