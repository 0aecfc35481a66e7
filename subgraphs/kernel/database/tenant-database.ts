import { availableParallelism } from 'node:os'
import type { OperationContext } from '../context.ts'
import { connectionsMaxDefault, Database, type DatabaseOptions, type Sql } from './database.ts'
import { readLockMs, readMs, writeLockMs, writeMs } from './deadlines.ts'
import type { QueueLimits } from './fair-queue.ts'
import { SharedPool, type Introduce } from './shared-pool.ts'
import { SharedSql } from './shared-sql.ts'
import { tenantRole } from './tenant-role.ts'

/** What is known of an operation where its statements are scheduled. */
export type Operation = Pick<OperationContext, 'caller' | 'cancellation'>

/** Where the rows of one organization are, and of no other. */
export interface Tenancy {
  /** One object for each operation: its statements share what one operation may hold. */
  of(organizationId: string, operation?: Operation): Sql
}

export interface TenantDatabaseOptions extends DatabaseOptions {
  /** Where a statement that nobody waits for is cancelled. */
  readonly cancelThrough?: Sql
  readonly limits?: Partial<QueueLimits>
}

const tenant = `set_config('app.organization_id', $1, true)`
const deadline = (ms: number): string => `set_config('statement_timeout', '${ms}', true)`
/** Prepared on every connection: says whose rows the statement behind it may touch, and how long it may take. */
const introductions = {
  DEFAULT: { name: 'tenant', text: `select ${tenant}` },
  READ: { name: 'tenant_read', text: `select ${tenant}, ${deadline(readMs)}` },
  WRITE: {
    name: 'tenant_write',
    text: `select ${tenant}, ${deadline(writeMs)}, set_config('lock_timeout', '${writeLockMs}', true)`,
  },
} as const

/**
 * An organization may hold four fifths of the connections, one operation three tenths, so that one who does the worst leaves
 * the others room, and one that is alone is as fast as the database. Scans take a core each: half of the cores' number of one organization and no more than the cores in all,
 * or than half of the connections, so that what reads by id finds both.
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
 * The pool for requests: its connections act as a role that row-level security binds. Every statement is told whose rows it
 * may touch, for itself alone; one that is not told finds nothing, and a connection that goes back to the pool knows nobody.
 */
export class TenantDatabase extends Database implements Tenancy {
  readonly #shared: SharedPool

  constructor({ cancelThrough, limits, ...options }: TenantDatabaseOptions) {
    const { connectionsMax = connectionsMaxDefault } = options
    super(
      { ...options, statementTimeoutMs: readMs },
      {
        role: tenantRole,
        // One statement takes one core, and compiles nothing: LLVM cannot be interrupted by a deadline.
        settings: { max_parallel_workers_per_gather: '0', jit: 'off', lock_timeout: String(readLockMs) },
        onConnect: async (client) => {
          for (const prepared of Object.values(introductions)) await client.query({ ...prepared, values: [''] })
        },
      },
    )
    this.#shared = new SharedPool({
      pool: this.pool,
      guard: this.guard,
      limits: { ...limitsOf(connectionsMax), ...limits },
      cancelThrough,
      onCommit: this.onCommit,
    })
  }

  of(organizationId: string, operation?: Operation): Sql {
    const values = [organizationId]
    const introduce: Introduce = (deadline) => ({ ...introductions[deadline], values })
    return new SharedSql(this.#shared, organizationId, introduce, operation?.cancellation ?? null)
  }
}

/**
 * The whole database for requests that stand above organizations. Anybody may send those, so together they leave connections
 * for credentials and jobs, and one organization or address leaves some for the others.
 */
export class AboveTenants implements Tenancy {
  readonly #shared: SharedPool

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

  of(organizationId: string, operation?: Operation): Sql {
    return new SharedSql(this.#shared, organizationId || (operation?.caller.ip ?? ''), null, null)
  }
}
