import type { Services } from '../request.ts'

/** What an attempt knows of every item; `Queue.columns` adds the item's own. */
export interface QueuedItem {
  readonly id: string
  /** This attempt included. */
  readonly attempts: number
}

interface Reported {
  /** Columns of the item to set, with what the attempt found out. */
  readonly result?: Readonly<Record<string, unknown>>
}

/** The item needs no further attempt. */
export interface Ended extends Reported {
  /** The state it has from now on. */
  readonly end: string
  readonly error?: string
}

/** The item is tried again, or has failed for good when its attempts are used up. */
export interface TriedAgain extends Reported {
  readonly retry: string
  /** Waits at least so long, when that is longer than the queue's own delay. */
  readonly afterMs?: number
}

export type Outcome = Ended | TriedAgain

/** How organizations take turns, and how much one key (an endpoint, say) may have at once. The columns are the table's. */
export interface Shares {
  readonly organization: string
  readonly key: string
  /** Attempts at once with one key, in all processes together. */
  readonly perKeyMax: number
}

/** Items that have not been attempted, and items that were: a receiver that is away holds up its own retries only. */
export type Lane = 'fresh' | 'retry'

/** One kind of work that leaves the process. Each kind has a table of its own, made with `queueTable`. */
export interface Queue<Item extends QueuedItem = QueuedItem> {
  readonly name: string
  readonly table: string
  /** Select list of what an attempt needs beside `id` and `attempts`. */
  readonly columns: string
  /** How long an attempt has. When a process dies in the middle of one, another process takes the item after this. */
  readonly leaseMs: number
  /** Attempts at once in one process. */
  readonly lanes: Readonly<Record<Lane, number>>
  /** Without it: first come, first served. */
  readonly shares?: Shares
  attemptsMax(item: Item): number
  /** The delay after this attempt. */
  retryAfterMs(item: Item): number
  /** Columns that are emptied when the item has ended: nobody needs to read them again. */
  readonly emptied?: readonly string[]
  /** How long an item that has ended is kept, from the time it was queued. */
  readonly keptMs: number
  /** An error that is thrown is a `retry`. */
  attempt(services: Services, item: Item): Promise<Outcome>
}
