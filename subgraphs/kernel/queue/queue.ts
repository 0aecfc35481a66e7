import type { Services } from '../request.ts'

/** The columns that every attempt gets; `Queue.columns` adds those of the kind of work. */
export interface QueuedItem {
  readonly id: string
  /** Including this attempt. */
  readonly attempts: number
  /** The trace of the request that queued the item, for queues whose `columns` contain it. */
  readonly traceparent?: string | null
  /** How many slots of a lane its attempt uses, for queues with `slotsOf`; otherwise one. */
  readonly slots?: number
}

/** An item during an attempt. */
export type Leased<Item> = Item & {
  /** Fencing token of this attempt: only this attempt may record an outcome. */
  readonly token: string
  /** Token of the attempt before, if it has recorded no outcome, because its process died or was too slow. */
  readonly lostToken: string | null
  /** Only in queues with `shares`. */
  readonly organization?: string
}

interface WithResult {
  /** Columns of the item to set, such as the status of a response. */
  readonly result?: Readonly<Record<string, unknown>>
}

/** No further attempt is made. */
export interface Finished extends WithResult {
  /** The final state of the item. */
  readonly end: string
  readonly error?: string
}

/** The item is retried, or becomes FAILED when no attempts remain. */
export interface RetryLater extends WithResult {
  /** The error of this attempt. */
  readonly retry: string
  /** Minimum delay before the retry, when it is longer than `retryAfterMs` of the queue. */
  readonly afterMs?: number
  /** Nothing was attempted, because the item must wait: it is due after `afterMs`, and no attempt is used up. Not for queues with `record`. */
  readonly isWait?: true
}

export type Outcome = Finished | RetryLater

/** The outcome of an attempt, to be recorded. */
export interface Attempted<Item extends QueuedItem = QueuedItem> {
  readonly item: Leased<Item>
  readonly outcome: Outcome
  /** The delay before the retry; 0 if the item has ended. */
  readonly waitMs: number
}

/** Fair sharing: organizations are served in turn, and the running attempts of one key, such as an endpoint, are limited. */
export interface Shares {
  /** Column with the organization. */
  readonly organization: string
  /** Column with the key, a uuid. */
  readonly key: string
  /** Maximum running attempts with one key, in all processes together. From four on, a quarter is for retries only. */
  readonly perKeyMax: number
  /** Maximum slots of a lane that one organization uses in one process; without it, as many as it leaves free. */
  readonly perOrganizationMax?: number
}

/** `fresh`: items without an attempt; `retry`: all others. Retries to a receiver that is down must not delay fresh items. */
export type Lane = 'fresh' | 'retry'

/** One kind of work that is sent to a receiver outside this process. Each kind has a separate table with `queueColumns`. */
export interface Queue<Item extends QueuedItem = QueuedItem> {
  readonly name: string
  readonly table: string
  /** Select list of the columns that an attempt needs, in addition to `id` and `attempts`. */
  readonly columns: string
  /** SQL expression of the slots of a lane that the attempt of an item uses, for queues whose items are of different sizes. */
  readonly slotsOf?: string
  /** When a process dies during an attempt, another process leases the item after this time. */
  readonly leaseMs: number
  /** The deadline of an attempt, at which its signal aborts. With `graceMs` it is shorter than the lease. */
  readonly attemptMsMax: number
  /** Slots for running attempts in one process. */
  readonly lanes: Readonly<Record<Lane, number>>
  /** Without it, items are served in the order of their due time. */
  readonly shares?: Shares
  attemptsMax(item: Item): number
  /** The delay before a retry. */
  retryAfterMs(item: Item): number
  /** Columns that are set to null when the item has ended, such as its content. */
  readonly clearedColumns?: readonly string[]
  /** How long an ended item is kept, counted from the time when it was queued. */
  readonly retentionMs: number
  /** A thrown error counts as a `retry`. What may hang must end with the signal: after `graceMs` the attempt counts as a retry anyway. */
  attempt(services: Services, item: Leased<Item>, signal: AbortSignal): Promise<Outcome>
  /**
   * Records outcomes in one transaction, for a queue whose outcomes also change other tables. Each outcome must be ignored unless the
   * item still has the token of the attempt. Without it, `recordOutcome` is called for each of them.
   */
  record?(services: Services, attempted: readonly Attempted<Item>[]): Promise<void>
  /**
   * A lease may be lost if the database server crashes in the second after it (`TransactionOptions`), so that the item is attempted again although
   * an attempt has begun. Only with `shares`.
   */
  readonly mayBeLost?: true
  /** Log level of failed attempts: `debug` when a user sees them in a log of its own. */
  readonly failureLevel?: 'warn' | 'debug'
}

/**
 * Thrown by an attempt that could not begin, because the platform itself failed. No outcome is recorded, and the item is attempted again after five
 * seconds. The attempt is not counted (`undoLease`), so that an outage of the platform does not use up the attempts that a receiver gets;
 * one that ends its process is counted. It is also counted when the item was queued more than a day ago, so that each item ends.
 */
export class AttemptNotBegun extends Error {}
