import type { Logger } from 'pino'
import type { ExternalCalls } from './outbound/external-calls.ts'
import type { Clock } from './time/clock.ts'
import { noUserId, type Caller, type OperationContext } from './context.ts'
import type { Settings } from './config/settings.ts'
import type { Counters } from './counters/counters.ts'
import type { Sql } from './database/sql.ts'
import type { NotExecuted } from './dry-run.ts'
import { limitBytes } from './database/row-bytes.ts'
import type { Tenancy, TenantStreams } from './database/tenant-database.ts'
import type { FileStore } from './file/file-store.ts'
import { newId } from './ids.ts'
import type { GraphPort } from './graph-port/graph-port.ts'
import type { RestPort } from './rest-port/rest-port.ts'
import type { CachedExtensions } from './extension/cached-extensions.ts'
import type { Extensions } from './extension/extension.ts'
import type { Keys } from './secrets/keys.ts'
import type { LanguageModel } from './language-model/language-model.ts'
import type { Mailer } from './mail/outgoing-mail.ts'
import type { SmtpPools } from './mail/smtp-pools.ts'
import type { NamedCredentials } from './outbound/named-credentials.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { EventFeed } from './outbox/event-feed.ts'
import type { OrganizationShapes, ShapeSource } from './record/shape-source.ts'
import type { AnsweredRecords } from './record/answered-records.ts'
import type { Collected } from './record/collected.ts'
import type { Compared } from './record/duplicates/compared.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { Vault } from './secrets/vault.ts'
import type { StoredBytes } from './stored-bytes/stored-bytes.ts'
import type { Work } from './work/work-pool.ts'

/** The dependencies of all subgraphs. `openServices` creates them once for each process. */
export interface Services {
  /** The whole database, for the platform itself: credentials, jobs, migrations. Requests use `tenants`. */
  readonly database: Sql
  readonly tenants: Tenancy
  /** Reads very many rows of an organization. */
  readonly streams: TenantStreams
  /** The whole database, for requests that do not belong to one organization. Limited, because anonymous clients can send them. */
  readonly crossTenant: Tenancy
  /** Encrypts secrets that must be decrypted later. */
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
  readonly languageModel: LanguageModel
  readonly keys: Keys
  readonly counters: Counters
  readonly settings: Settings
  /** Sends the mails that `queueMail` has queued. */
  readonly mailer: Mailer
  /** Connections to the mail servers of tenants. */
  readonly smtpPools: SmtpPools
  readonly outbound: Outbound
  /** What organizations authenticate with where their requests go. */
  readonly credentials: NamedCredentials
  /** The budget of what organizations write. */
  readonly storedBytes: StoredBytes
  /** Worker threads for CPU-heavy work. */
  readonly work: Work
  /** Runs programs that organizations wrote. */
  readonly sandbox: Sandbox
  /** Files of organizations on the disk. */
  readonly files: FileStore
  readonly events: EventFeed
  /** The whole graph, for what the platform reads on behalf of a user. */
  readonly graph: GraphPort
  /** The REST API, for what automations ask of it on behalf of a user. */
  readonly rest: RestPort
  /** The shapes of records, with the custom fields and objects that organizations have defined. */
  readonly shapes: ShapeSource
  /** What organizations have added to the writes of their records. */
  readonly extensions: CachedExtensions
  /** What the changes of the platform itself belong to, such as the run of a job; see `servicesFor`. */
  readonly operationId?: string
}

/** Services that resolvers get only where their subgraph declares them in `ports`. */
export type Ports = Pick<
  Services,
  | 'vault'
  | 'keys'
  | 'counters'
  | 'outbound'
  | 'credentials'
  | 'languageModel'
  | 'work'
  | 'sandbox'
  | 'files'
  | 'events'
  | 'graph'
  | 'rest'
  | 'tenants'
>
export type Port = keyof Ports

/** The context of every resolver. */
interface BaseContext extends OperationContext, Pick<Services, 'clock' | 'log' | 'settings'> {
  /** The open transaction of the operation; without one, the pool. */
  readonly db: Sql
  /** A snapshot of the organization's shapes at the start of the operation; null when the organization has defined nothing. */
  readonly shapes: OrganizationShapes | null
  /** What the organization has added to its writes, as known at the start of the operation; null when it has added nothing. */
  readonly extensions: Extensions | null
  readonly cachedExtensions: CachedExtensions
  /** The time of the operation: the same whenever it is asked for. */
  readonly startedAt: () => Date
  /** The external calls that the open transaction needs; see `externalCall`. Null outside `transactionWithExternalCalls`. */
  readonly externalCalls: ExternalCalls | null
  /** The data loaders of this operation, by the selected fields and then by name (`batchOf`). */
  readonly batches: Map<object, Map<string, unknown>>
  /** Collects the records that the answer contains, when the answer is stored for a replay; otherwise null. */
  readonly answered: AnsweredRecords | null
  /** Collects what a dry run leaves out; absent where everything is carried out. */
  readonly notExecuted?: NotExecuted[]
  /** Records that the open transaction has just written or read as live, as `account <id>`: references to them are known to be valid. */
  readonly written?: ReadonlySet<string>
  /** Records that the open transaction has locked as live and visible to the caller, as `account <id>`: nobody deletes them before it ends. */
  readonly locked?: ReadonlySet<string>
  /** Records whose writes are decided one by one and written together. */
  readonly collected?: Collected | undefined
  /** The slug of the app that is installed, updated or removed: what is written belongs to it (`record/managed-by.ts`). */
  readonly managedBy?: string
  /** The types of the custom objects that the open transaction deletes together: what their fields name of one another does not keep them. */
  readonly deletedObjects?: ReadonlySet<string>
  /** The keys of many records of one type, which are compared together and locked at the end of the transaction. */
  readonly compared?: Compared | undefined
  /** The hooks of the organization are not called; its validation rules apply. */
  readonly isWithoutHooks?: boolean
  /** How many references to deleted records the operation may still clear in its transaction, and how many details it may delete; the others follow later. */
  readonly clearing?: { left: number; details: number }
}

/** The context of one operation in one subgraph, with the ports `P` that the subgraph declares. */
export type RequestContext<P extends Port = never> = BaseContext & Pick<Ports, P>

export const portNames = [
  'vault',
  'keys',
  'counters',
  'outbound',
  'credentials',
  'languageModel',
  'work',
  'sandbox',
  'files',
  'events',
  'graph',
  'rest',
  'tenants',
] as const satisfies Port[]

export const portsOf = <P extends Port>(services: Ports, names: readonly P[]): Pick<Ports, P> =>
  Object.fromEntries(names.map((name) => [name, services[name]])) as unknown as Pick<Ports, P>

interface ContextOptions<P> extends Partial<Pick<BaseContext, 'externalCalls' | 'answered' | 'notExecuted'>> {
  readonly ports?: P
  /** The transaction that the operation runs in; by default the pool of the caller's organization. */
  readonly db?: Sql
}

export function requestContext<P extends Partial<Ports> = object>(
  operation: OperationContext,
  services: Omit<Services, Port> & Pick<Services, 'tenants'>,
  {
    ports = {} as P,
    db = services.tenants.of(operation.caller.organizationId, operation),
    externalCalls = null,
    answered = null,
    notExecuted,
  }: ContextOptions<P> = {},
): BaseContext & P {
  const { clock, log, settings } = services
  const { kind, organizationId } = operation.caller
  const limited = kind === 'SYSTEM' ? db : limitBytes(db, organizationId, services.storedBytes)
  const shapes = services.shapes.shapesOf(organizationId)
  const cachedExtensions = services.extensions
  const extensions = cachedExtensions.of(organizationId)
  const added = { shapes, extensions, cachedExtensions }
  const base = {
    clock,
    log,
    settings,
    db: limited,
    ...added,
    externalCalls,
    answered,
    batches: new Map(),
    ...(notExecuted && { notExecuted }),
  }
  let time: Date | null = null
  return { ...operation, ...ports, ...base, startedAt: () => (time ??= clock.now()) }
}

const automationOf = ({ origin, depth }: Caller): Pick<Caller, 'origin' | 'depth'> => ({
  ...(origin && { origin }),
  ...(depth !== undefined && { depth }),
})

const systemCaller = (organizationId: string): Caller => ({
  kind: 'SYSTEM',
  organizationId,
  userId: noUserId,
  role: 'OWNER',
  visibility: 'ALL',
  ownerIds: null,
  fields: null,
  entitlements: [],
  scopes: ['*'],
  credentialId: 'system',
  ip: '',
  userAgent: '',
})

/** The context of the platform itself in one organization: it may read every record, and its changes have no actor. */
export function systemContext(services: Services, organizationId: string): RequestContext<Port> {
  const caller = systemCaller(organizationId)
  const ports = portsOf(services, portNames)
  const operation = { caller, requestId: newId(), idempotency: null, operationId: services.operationId }
  return requestContext(operation, services, { ports, db: services.database })
}

/**
 * The context for changes that follow from a rule: the caller is the actor, but neither visibility nor field security limits them. The
 * records are not part of the caller's answer.
 */
export const unrestricted = <C extends RequestContext>(ctx: C): C => ({
  ...ctx,
  caller: { ...ctx.caller, visibility: 'ALL', ownerIds: null, fields: null },
  batches: new Map(),
  answered: null,
})

/** The context for reads whose records are not part of the caller's answer. What the caller sees stays the same. */
export const notAnswered = <C extends RequestContext>(ctx: C): C => ({ ...ctx, batches: new Map(), answered: null })

/** The context for what the platform does in an organization on the request of somebody without an account, in the same transaction. */
export const asSystem = <C extends RequestContext>(ctx: C, organizationId: string): C => ({
  ...ctx,
  ...(organizationId !== ctx.caller.organizationId && {
    extensions: ctx.cachedExtensions.of(organizationId),
    shapes: ctx.cachedExtensions.shapesOf(organizationId),
  }),
  caller: { ...systemCaller(organizationId), ...automationOf(ctx.caller) },
  batches: new Map(),
  answered: null,
})

/** Loads the data keys of the caller's organization, unless a transaction is open: they must be loaded before a transaction begins. */
export async function loadDataKeys({ db, vault, caller }: RequestContext<'vault'>, sealed?: string): Promise<void> {
  if (!db.open) await vault.load(caller.organizationId, sealed)
}

/** Runs `work` in a transaction; inside an open transaction, in a savepoint. Loaders of the outer context read outside of it. */
export function inTransaction<T, C extends RequestContext>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db, batches: new Map() }))
}

class RolledBack<T> extends Error {
  constructor(readonly result: T) {
    super('The transaction was rolled back on purpose.')
  }
}

/** The result of work whose changes are taken back: what would happen, with all checks. Its records are not part of a stored answer. */
export async function withoutEffect<T, C extends RequestContext>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  try {
    return await inTransaction({ ...ctx, answered: null }, async (inner) => {
      throw new RolledBack(await work(inner))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T
    throw error
  }
}
