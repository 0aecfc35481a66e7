import type pg from 'pg'
import type { Cancellation } from '../cancellation.ts'
import { Refusal } from '../errors.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import type { Sql } from './database.ts'
import { FairQueue, QueueFull, type QueueLimits, type Turn } from './fair-queue.ts'
import type { Introduction } from './prepared-query.ts'

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

/** One operation of a tenant, as the statements and transactions that it runs see it. */
export interface SharedOperation {
  readonly shared: SharedPool
  readonly tenant: string
  readonly introduce: Introduce | null
  readonly cancellation: Cancellation | null
  /** Connections that the operation holds. */
  running: number
  readonly begunAt: number
}

export const crowded = (): Refusal =>
  new Refusal('UNAVAILABLE', 'Too many requests wait at once; try again.', { retryAfter: 1 })
