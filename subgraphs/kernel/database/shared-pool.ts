import type pg from 'pg'
import type { Cancellation } from '../cancellation.ts'
import type { Refusal } from '../errors.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { within, type Row, type Sql, type StatementKind } from './database.ts'
import { FairQueue, QueueFull, type QueueLimits, type Turn } from './fair-queue.ts'
import type { Introduction } from './prepared-query.ts'
import { crowded, SharedStatement } from './shared-statement.ts'
import { TenantTransaction } from './tenant-transaction.ts'

/** What runs in front of a statement in a tenant's name: with the deadline of the connection, or another. */
export type Introduce = (deadline: 'DEFAULT' | 'READ' | 'WRITE') => Introduction

export interface SharedPoolOptions {
  readonly pool: pg.Pool
  readonly guard: ConnectionGuard
  readonly limits: QueueLimits
  /** Where a statement that nobody waits for is cancelled: another pool, with the same user. */
  readonly cancelThrough?: Sql | undefined
  readonly onCommit?: (() => void) | undefined
}

/** A pool of connections that many tenants use at the same time, none of them more than its share. */
export class SharedPool {
  readonly pool: pg.Pool
  readonly guard: ConnectionGuard
  readonly queue: FairQueue
  readonly cancelThrough: Sql | undefined
  readonly onCommit: (() => void) | undefined

  constructor({ pool, guard, limits, cancelThrough, onCommit }: SharedPoolOptions) {
    this.pool = pool
    this.guard = guard
    this.queue = new FairQueue(limits)
    this.cancelThrough = cancelThrough
    this.onCommit = onCommit
  }

  /** True where the turn may start at once; `refuse` is told when it never will. */
  enter(turn: Turn, refuse: (refusal: Refusal) => void): boolean {
    try {
      return this.queue.enter(turn)
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error
      refuse(crowded())
      return false
    }
  }

  /** Resolves when the turn has what it needs. */
  turn(turn: Omit<Turn, 'start' | 'expire'>): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const waiting: Turn = { ...turn, start: () => resolve(waiting), expire: () => reject(crowded()) }
      if (this.enter(waiting, reject)) resolve(waiting)
    })
  }
}

/** One operation on a shared pool. */
export class SharedSql implements Sql {
  readonly open = false
  /** Connections that the operation holds. */
  running = 0
  readonly begunAt = performance.now()

  constructor(
    readonly shared: SharedPool,
    readonly tenant: string,
    readonly introduce: Introduce | null,
    readonly cancellation: Cancellation | null,
  ) {}

  query<R = Row>(text: string, values: readonly unknown[] = [], kind: StatementKind = 'LOOKUP'): Promise<R[]> {
    return new Promise((resolve, reject) => {
      this.shared.guard.refuseNested()
      new SharedStatement(this, text, values, kind, resolve as (rows: Row[]) => void, reject).begin()
    })
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { shared, tenant } = this
    shared.guard.refuseNested()
    const turn = await shared.turn({ tenant, needsConnection: true, needsLane: false, operation: this })
    try {
      const result = await within(await shared.pool.connect(), async (client) => {
        const transaction = new TenantTransaction(client, this)
        await transaction.introduce()
        return shared.guard.within(() => work(transaction))
      })
      shared.onCommit?.()
      return result
    } finally {
      shared.queue.leave(turn)
    }
  }
}
