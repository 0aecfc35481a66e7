import type { Cancellation } from '../cancellation.ts'
import type { Row, Sql, StatementKind } from './sql.ts'
import type { SharedLookups } from './shared-lookups.ts'
import type { SettingsFor, SharedOperation, SharedPool } from './shared-pool.ts'
import { activeTracing, inSpan, inStatementSpan } from '../tracing/tracing.ts'
import { SharedStatement } from './shared-statement.ts'
import { TenantTransaction } from './tenant-transaction.ts'

/** Executes the SQL of one operation on a shared pool. */
export class SharedSql implements Sql, SharedOperation {
  readonly open = false
  running = 0
  readonly begunAt = performance.now()

  constructor(
    readonly shared: SharedPool,
    private readonly lookups: SharedLookups,
    readonly tenant: string,
    readonly settingsFor: SettingsFor | null,
    readonly cancellation: Cancellation | null,
  ) {}

  query<R = Row>(text: string, values: readonly unknown[] = [], kind: StatementKind = 'LOOKUP'): Promise<R[]> {
    const tracing = activeTracing()
    return tracing
      ? inStatementSpan(tracing, text, () => this.#query<R>(text, values, kind))
      : this.#query<R>(text, values, kind)
  }

  #query<R>(text: string, values: readonly unknown[], kind: StatementKind): Promise<R[]> {
    return new Promise((resolve, reject) => {
      this.shared.guard.refuseNested()
      new SharedStatement(this, text, values, kind, resolve as (rows: Row[]) => void, reject).begin()
    })
  }

  byId(text: string, values: readonly unknown[], id: string): Promise<Row | null> {
    this.shared.guard.refuseNested()
    const read = (): Promise<Row | null> => this.lookups.byId(this, text, values, id)
    const tracing = activeTracing()
    return tracing ? inStatementSpan(tracing, text, read) : read()
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const tracing = activeTracing()
    return tracing ? inSpan(tracing, 'TRANSACTION', {}, () => this.#transaction(work)) : this.#transaction(work)
  }

  async #transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { shared, tenant } = this
    shared.guard.refuseNested()
    const request = await shared.whenAcquired({ tenant, needsConnection: true, needsScanSlot: false, operation: this })
    try {
      const transaction = new TenantTransaction(await shared.pool.connect(), this)
      const result = await transaction.run(() => shared.guard.insideTransaction(() => work(transaction)))
      shared.onCommit?.()
      return result
    } finally {
      shared.queue.release(request)
    }
  }
}
