import { availableParallelism } from 'node:os'
import type pg from 'pg'
import type { OperationContext } from '../context.ts'
import { connectionsMaxDefault, Database, type DatabaseOptions } from './database.ts'
import type { Sql } from './sql.ts'
import { closeSocket, serverProcessOf } from '../package-internals/pg-connection.ts'
import { RowClient } from '../package-internals/row-client.ts'
import { CopyStream, type Lines } from '../package-internals/copy-stream.ts'
import { readLockMs, readMs, writeLockMs, writeMs } from './deadlines.ts'
import type { QueueLimits } from './fair-queue.ts'
import { SharedLookups } from './shared-lookups.ts'
import { SharedPool, type SettingsFor } from './shared-pool.ts'
import { SharedSql } from './shared-sql.ts'
import { tenantRole } from './tenant-role.ts'

/** The part of an operation that the scheduling of its statements needs. */
export type Operation = Pick<OperationContext, 'caller' | 'cancellation'>

/** Access to the rows of one organization only. */
export interface Tenancy {
  /** Call it once per operation: all statements through the returned object share the limits of one operation. */
  of(organizationId: string, operation?: Operation): Sql
}

/** A `copy … to stdout`, which may read very many rows. */
export interface StreamedStatement {
  /** Without parameters, because COPY takes none: see `LiteralValues`. */
  readonly text: string
  /** The end of each line. */
  readonly lineEnd: string
  readonly timeoutMs: number
  /** Closes the connection, so that the reader fails. */
  readonly signal: AbortSignal
}

/** Reads very many rows of one organization, in one snapshot and in bounded memory. */
export interface TenantStreams {
  /** Batches of lines as they arrive; while the reader does not go on, PostgreSQL waits. */
  lines(organizationId: string, statement: StreamedStatement): AsyncGenerator<Lines>
}

export interface TenantDatabaseOptions extends DatabaseOptions {
  /** Runs `pg_cancel_backend` for clients that have disconnected. */
  readonly cancelThrough?: Sql
  readonly limits?: Partial<QueueLimits>
}

const tenant = `set_config('app.organization_id', $1, true)`
const deadline = (ms: number): string => `set_config('statement_timeout', '${ms}', true)`
/** Prepared on every connection: sets the organization of the next statement, and its timeouts. */
const settingsStatements = {
  DEFAULT: { name: 'tenant', text: `select ${tenant}` },
  // Each scan is planned for its own values, because estimates without them are wrong by orders of magnitude. The memory keeps
  // the row pointers of a large bitmap exact; there are only few scans at the same time.
  SCAN: {
    name: 'tenant_scan',
    text: `select ${tenant}, set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true)`,
  },
  READ: { name: 'tenant_read', text: `select ${tenant}, ${deadline(readMs)}` },
  WRITE: {
    name: 'tenant_write',
    text: `select ${tenant}, ${deadline(writeMs)}, set_config('lock_timeout', '${writeLockMs}', true)`,
  },
} as const

/**
 * One organization may hold 80 % of the connections and one operation 30 %, so that no organization can block the
 * others, and a single one is as fast as the database allows. A scan uses one core: all scans together may use as many slots as
 * there are cores, at most half of the connections, and one organization half of these slots. So lookups find a free core and a connection.
 */
export function limitsOf(connections: number): QueueLimits {
  const scans = Math.max(1, Math.min(availableParallelism(), Math.floor(connections / 2)))
  return {
    connections,
    connectionsPerTenant: Math.max(1, Math.floor(connections * 0.8)),
    connectionsPerOperation: Math.max(1, Math.floor(connections * 0.3)),
    scans,
    scansPerTenant: Math.max(1, Math.min(2, Math.floor(scans / 2))),
    waitingMax: 1_000,
    waitingScansMax: 500,
    waitMs: 4_000,
  }
}

/**
 * The pool for tenants' requests: its connections use a role that is subject to row-level security. The organization is set for
 * each statement or transaction only. Without it a statement finds no rows, and a connection in the pool belongs to no organization.
 */
export class TenantDatabase extends Database implements Tenancy, TenantStreams {
  readonly #shared: SharedPool
  readonly #cancelThrough: Sql | undefined
  readonly #lookups = new SharedLookups()

  constructor({ cancelThrough, limits, ...options }: TenantDatabaseOptions) {
    const { connectionsMax = connectionsMaxDefault } = options
    super(
      { ...options, statementTimeoutMs: readMs },
      {
        role: tenantRole,
        settings: {
          // One core per statement, and no JIT: a statement timeout cannot interrupt LLVM.
          max_parallel_workers_per_gather: '0',
          jit: 'off',
          lock_timeout: String(readLockMs),
          // Our own statements have one good plan; planning them for each call would take longer than running them. Scans differ.
          plan_cache_mode: 'force_generic_plan',
        },
        onConnect: async (client) => {
          for (const prepared of Object.values(settingsStatements)) await client.query({ ...prepared, values: [''] })
        },
      },
    )
    this.#cancelThrough = cancelThrough
    this.#shared = new SharedPool({
      pool: this.pool,
      guard: this.guard,
      limits: { ...limitsOf(connectionsMax), ...limits },
      cancelThrough,
      onCommit: this.onCommit,
    })
  }

  /** Statements and transactions that wait for a connection or a scan slot. */
  get waiting(): number {
    return this.#shared.queue.waiting
  }

  of(organizationId: string, operation?: Operation): Sql {
    const values = [organizationId]
    const settingsFor: SettingsFor = (name) => ({ ...settingsStatements[name], values })
    return new SharedSql(this.#shared, this.#lookups, organizationId, settingsFor, operation?.cancellation ?? null)
  }

  /** On a connection of its own, with the role and the settings of the pool, so that it takes none from requests for as long as it lasts. */
  async *lines(organizationId: string, { text, lineEnd, timeoutMs, signal }: StreamedStatement): AsyncGenerator<Lines> {
    this.guard.refuseNested()
    const client = new RowClient(this.pool.options as pg.ClientConfig)
    // The running statement learns of it.
    client.on('error', () => undefined)
    const abort = (): void => closeSocket(client)
    let isRead = false
    try {
      await client.connect()
      signal.addEventListener('abort', abort)
      signal.throwIfAborted()
      const settings = {
        name: '',
        text: `select ${tenant}, ${deadline(timeoutMs)}, set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true),
          set_config('max_parallel_workers_per_gather', '0', true)`,
        values: [organizationId],
      }
      const begin = { name: '', text: 'begin isolation level repeatable read read only', values: [] }
      const stream = new CopyStream(text, lineEnd, [begin, settings])
      client.query(stream)
      yield* stream.batches()
      isRead = true
    } finally {
      signal.removeEventListener('abort', abort)
      if (isRead) await client.end().catch(abort)
      else {
        // PostgreSQL learns of a closed connection only when it sends the next row.
        await this.#cancelThrough
          ?.query('select pg_cancel_backend($1)', [serverProcessOf(client)])
          .catch(() => undefined)
        abort()
      }
    }
  }
}

/**
 * The whole database, for requests that do not belong to one organization, such as sign-in. Anonymous clients can send these, so
 * their connections are limited: some remain for credentials and jobs, and one organization or IP address may use half of the rest.
 */
export class CrossTenantDatabase implements Tenancy {
  readonly #shared: SharedPool
  readonly #lookups = new SharedLookups()

  constructor(database: Database, limits: Partial<QueueLimits> = {}) {
    const connections = Math.max(1, Math.floor((database.pool.options.max ?? connectionsMaxDefault) * 0.6))
    const connectionsPerTenant = Math.max(1, Math.floor(connections / 2))
    this.#shared = new SharedPool({
      pool: database.pool,
      guard: database.guard,
      limits: { ...limitsOf(connections), connectionsPerTenant, ...limits },
      onCommit: database.onCommit,
    })
  }

  /** Statements and transactions that wait for a connection or a scan slot. */
  get waiting(): number {
    return this.#shared.queue.waiting
  }

  of(organizationId: string, operation?: Operation): Sql {
    const tenant = organizationId || (operation?.caller.ip ?? '')
    return new SharedSql(this.#shared, this.#lookups, tenant, null, operation?.cancellation ?? null)
  }
}
