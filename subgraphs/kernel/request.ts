import type { Logger } from 'pino'
import type { CallsOut } from './outbound/calls-out.ts'
import type { Clock } from './time/clock.ts'
import { nobody, type Caller, type OperationContext } from './context.ts'
import type { Settings } from './config/config.ts'
import type { Counters } from './counters/counters.ts'
import type { Sql } from './database/sql.ts'
import { limitRowBytes } from './database/row-bytes.ts'
import type { Tenancy } from './database/tenant-database.ts'
import { newId } from './ids.ts'
import type { Keys } from './secrets/keys.ts'
import type { LanguageModel } from './language-model/language-model.ts'
import type { Mailer } from './mail/outgoing-mail.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { EventFeed } from './outbox/event-feed.ts'
import type { OrganizationShapes, ShapeSource } from './record/shape-source.ts'
import type { AnsweredRecords } from './record/answered-records.ts'
import type { Vault } from './secrets/vault.ts'

/** What a subgraph needs beside its own code; built once by the composition root. */
export interface Services {
  /** The whole database, for the platform itself: credentials, jobs, migrations. Requests use `tenants`. */
  readonly database: Sql
  readonly tenants: Tenancy
  /** The whole database, for requests that stand above organizations: in shares, as anybody may send them. */
  readonly crossTenant: Tenancy
  /** Seals what must be read back. */
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
  readonly languageModel: LanguageModel
  readonly keys: Keys
  readonly counters: Counters
  readonly settings: Settings
  /** Sends what `queueMail` wrote down. */
  readonly mailer: Mailer
  readonly outbound: Outbound
  readonly events: EventFeed
  /** The shapes of records with what organizations defined themselves. */
  readonly shapes: ShapeSource
}

/** Services that resolvers get only where their subgraph declares them in `ports`. */
export type Ports = Pick<Services, 'vault' | 'keys' | 'counters' | 'outbound' | 'languageModel' | 'events'>
export type Port = keyof Ports

/** What every resolver gets. */
interface BaseContext extends OperationContext, Pick<Services, 'clock' | 'log' | 'settings'> {
  /** The pool, or the transaction that the operation runs in. */
  readonly db: Sql
  /** The shapes of the organization as they are when the operation begins; null when it defined nothing. */
  readonly shapes: OrganizationShapes | null
  /** Where the transaction that is open learns what it must ask the outside; see `callOut`. */
  readonly callsOut: CallsOut | null
  /** Reads of this operation that wait to be joined, by what they ask for. */
  readonly batches: Map<object, Map<string, unknown>>
  /** Notes which records the answer tells of, where the answer is kept for a replay; null elsewhere. */
  readonly answered: AnsweredRecords | null
}

/** One operation inside one subgraph, with the ports `P` of that subgraph. */
export type RequestContext<P extends Port = never> = BaseContext & Pick<Ports, P>

export const portNames = ['vault', 'keys', 'counters', 'outbound', 'languageModel', 'events'] as const satisfies Port[]

/** The ports of these names, and no others. */
export const portsOf = <P extends Port>(services: Ports, names: readonly P[]): Pick<Ports, P> =>
  Object.fromEntries(names.map((name) => [name, services[name]])) as unknown as Pick<Ports, P>

interface ContextOptions<P> extends Partial<Pick<BaseContext, 'callsOut' | 'answered'>> {
  readonly ports?: P
  /** The transaction that the operation runs in; without it the pool of the caller's organization. */
  readonly db?: Sql
}

export function requestContext<P extends Partial<Ports> = object>(
  operation: OperationContext,
  services: Omit<Services, Port>,
  {
    ports = {} as P,
    db = services.tenants.of(operation.caller.organizationId, operation),
    callsOut = null,
    answered = null,
  }: ContextOptions<P> = {},
): BaseContext & P {
  const { clock, log, settings } = services
  const limited = operation.caller.kind === 'SYSTEM' ? db : limitRowBytes(db)
  const shapes = services.shapes.shapesOf(operation.caller.organizationId)
  const base = { clock, log, settings, db: limited, shapes, callsOut, answered, batches: new Map() }
  return { ...operation, ...ports, ...base }
}

/** The platform itself at work in one organization: it sees every record, and what it changes has no actor. */
export function systemContext(services: Services, organizationId: string): RequestContext<Port> {
  const caller: Caller = {
    kind: 'SYSTEM',
    organizationId,
    userId: nobody,
    role: 'OWNER',
    visibility: 'ALL',
    ownerIds: null,
    fields: null,
    entitlements: [],
    scopes: ['*'],
    credentialId: 'system',
    ip: '',
    userAgent: '',
  }
  const ports = portsOf(services, portNames)
  return requestContext({ caller, requestId: newId(), idempotency: null }, services, { ports, db: services.database })
}

/** The data keys of the caller's organization, to seal or to open with them. A transaction that is open began with them at hand. */
export async function loadDataKeys({ db, vault, caller }: RequestContext<'vault'>, sealed?: string): Promise<void> {
  if (!db.open) await vault.load(caller.organizationId, sealed)
}

/** Runs `work` so that everything it writes commits together; inside an open transaction it is a savepoint. */
export function inTransaction<T, C extends RequestContext>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }))
}
