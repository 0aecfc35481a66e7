import type pg from 'pg'
import type { Cancellation } from '../cancellation.ts'
import type { Refusal } from '../errors.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import type { Sql } from './sql.ts'
import { FairQueue, QueueFull, type QueueLimits, type PoolRequest } from './fair-queue.ts'
import { poolExhausted } from './pool-exhausted.ts'
import type { LeadingStatement } from '../package-internals/prepared-query.ts'

/** Returns the settings of a tenant's statement: the organization, and the timeouts of a read, a write, or the connection. */
export type SettingsFor = (name: 'DEFAULT' | 'SCAN' | 'READ' | 'WRITE') => LeadingStatement

export interface SharedPoolOptions {
  readonly pool: pg.Pool
  readonly guard: ConnectionGuard
  readonly limits: QueueLimits
  /** Runs `pg_cancel_backend` for a client that has disconnected: another pool of the same user. */
  readonly cancelThrough?: Sql | undefined
  readonly onCommit?: (() => void) | undefined
}

/** A pool of connections that many tenants share. No tenant holds more than its share. */
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

  /** True: granted at once. False: the request waits, or `refuse` was called because the queue is full. */
  acquire(request: PoolRequest, refuse: (refusal: Refusal) => void): boolean {
    try {
      return this.queue.acquire(request)
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error
      refuse(poolExhausted('FULL', true))
      return false
    }
  }

  /** Resolves when the request has its connection or scan slot; it must be released afterwards. */
  whenAcquired(needs: Omit<PoolRequest, 'start' | 'expire'>): Promise<PoolRequest> {
    return new Promise((resolve, reject) => {
      const request: PoolRequest = {
        ...needs,
        start: () => resolve(request),
        expire: (isOwnLoad) => reject(poolExhausted('LATE', isOwnLoad)),
      }
      if (this.acquire(request, reject)) resolve(request)
    })
  }
}

/** The state that the statements and transactions of one operation share. */
export interface SharedOperation {
  readonly shared: SharedPool
  readonly tenant: string
  readonly settingsFor: SettingsFor | null
  readonly cancellation: Cancellation | null
  /** Connections that the operation holds. */
  running: number
  readonly begunAt: number
}
