import type { Cancellation } from './cancellation.ts'
import type { DryRunEvent, DryRunMode } from './dry-run.ts'
import type { FieldProblem } from './errors.ts'
import type { OperationLimits } from './operation-limits.ts'

/** AUTOMATION: a function, trigger or workflow that acts for a user, with scopes of its own. */
export type CallerKind = 'SESSION' | 'API_KEY' | 'OAUTH' | 'SCIM' | 'ANONYMOUS' | 'SYSTEM' | 'AUTOMATION'
/** In descending order of rights. */
export const roles = ['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]
export type Visibility = 'OWN' | 'TEAM' | 'ALL'

export const mayDoMore = (role: Role, than: Role): boolean => roles.indexOf(role) < roles.indexOf(than)

/** Field-level security of a profile, by object and field (`customFields.<name>` for a custom field). HIDDEN: neither readable nor writable; READ: readable, not writable. */
export type FieldRestrictions = Readonly<Record<string, Readonly<Record<string, 'HIDDEN' | 'READ'>>>>

/** The run of an automation in which a change is made. */
export interface Origin {
  readonly kind: string
  readonly id: string
  readonly runId: string
  /** What its events do not reach although the event log has them; absent: they reach everything. */
  readonly quiet?: readonly QuietFor[]
}

/** DELIVERIES: webhooks, notifications and triggers of the assistant; AUTOMATIONS: functions, triggers and workflows. */
export type QuietFor = 'DELIVERIES' | 'AUTOMATIONS'

/** The caller of a request: a user in one organization and the presented credential. Plain data, so that it can be signed and sent. */
export interface Caller {
  readonly kind: CallerKind
  readonly organizationId: string
  readonly userId: string
  readonly role: Role
  readonly visibility: Visibility
  /** The owners whose records the caller sees (OWN: the caller, TEAM: the members of the caller's teams); null: all owners. */
  readonly ownerIds: readonly string[] | null
  /** Field-level security; null when nothing is restricted. */
  readonly fields: FieldRestrictions | null
  /** Features of the organization's plan. */
  readonly entitlements: readonly string[]
  /** Scopes as granted, without the scopes that they imply; `kernel/scopes.ts` resolves those. */
  readonly scopes: readonly string[]
  /** Id of the API key, session or token. Idempotency keys and quotas are kept per credential. */
  readonly credentialId: string
  readonly ip: string
  readonly userAgent: string
  /** The automation that acts for the caller; absent for what a client does itself. */
  readonly origin?: Origin
  /** How many automations have started one another up to this one; absent: 0. */
  readonly depth?: number
}

/** The `userId` of callers that are not users: the platform itself, and a directory that provisions users by SCIM. */
export const noUserId = '00000000-0000-0000-0000-000000000000'

/** A caller without a credential. */
export const anonymous = ({ ip, userAgent, depth }: Pick<Caller, 'ip' | 'userAgent' | 'depth'>): Caller => ({
  ...(depth !== undefined && { depth }),
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

/** An `Idempotency-Key` and the fingerprint of its request: a digest of method, path and raw body, or of a mutation and its variables. */
export interface IdempotencyClaim {
  readonly key: string
  readonly fingerprint: string
  /** The problems of the request, which refuse it unless its answer is stored: what is wrong may be what its first run changed. */
  readonly problems?: readonly FieldProblem[]
}

/** The data that the gateway sends to a subgraph with one operation, in the same process or another. Plain data, except `cancellation`. */
export interface OperationContext {
  readonly caller: Caller
  readonly requestId: string
  readonly idempotency: IdempotencyClaim | null
  /** The limits that its root fields declare; absent: the usual ones. */
  readonly limits?: OperationLimits | undefined
  /** A mutation whose root fields all commit, or none; absent: each commits on its own. */
  readonly isAtomic?: boolean | undefined
  /** A mutation that is tried and rolled back; absent: it is carried out. */
  readonly dryRun?: DryRunMode | undefined
  /** Takes the events of a dry run of what no document expresses; a document has them in its report. */
  readonly triedEvents?: DryRunEvent[] | undefined
  /** Whether the mutation is carried out although rules of duplicates would block it; absent: it is refused. */
  readonly allowsDuplicates?: boolean | undefined
  /** What the changes belong to where it is not the request, such as the run of a job. */
  readonly operationId?: string | undefined
  /** The name of the client's operation, in REST the operation id; without one the beginning of the digest of its document. */
  readonly queryName?: string | undefined
  /**
   * Cancels the SQL of a read when its client disconnects; a resolver passes `cancellation?.signal` to other work that it waits for.
   * For a subgraph in another process, the gateway closes the connection instead.
   */
  readonly cancellation?: Cancellation | undefined
}

/** The id of the acting user; null for the platform itself and for a directory that provisions users by SCIM. */
export const actorIdOf = ({ kind, userId }: Pick<Caller, 'kind' | 'userId'>): string | null =>
  kind === 'SYSTEM' || kind === 'SCIM' ? null : userId
