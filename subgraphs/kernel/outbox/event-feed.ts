import type { Origin } from '../context.ts'

/** A committed event and its position in the event log of its organization. */
export interface LoggedEvent {
  /** 1, 2, 3 … in each organization, without gaps. The position of an event never changes. */
  readonly position: number
  readonly id: string
  readonly type: string
  /** Schema version of `data` for the type. */
  readonly version: number
  /** ISO 8601, UTC. */
  readonly occurredAt: string
  readonly object: string
  readonly recordId: string
  /** The user who made the change; null for a change by the platform itself or by SCIM. */
  readonly actorId: string | null
  /** The operation that made the change: a request, or the run of a job; null if that is not known. */
  readonly operationId: string | null
  /** The automation that made the change; null for what a client or the platform did itself. */
  readonly origin: Origin | null
  /** How many automations have started one another up to the one that made the change; 0 without one. */
  readonly depth: number
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventSelection {
  /** Only events with a greater position. */
  readonly after: number
  /** Maximum number of events. */
  readonly limit: number
  /** Only events up to this position. */
  readonly upTo?: number
  readonly object?: string
  /** Only events of records of one of these types. */
  readonly objects?: readonly string[]
  readonly recordId?: string
}

/** Read access to the event log. A reader that stores its last position can continue from there. */
export interface EventFeed {
  /** The position of the latest event; 0 when there is none. */
  latest(organizationId: string): Promise<number>
  /** The position of the oldest event that is kept; null when none is. */
  oldest(organizationId: string): Promise<number | null>
  /** In ascending order of position. */
  read(organizationId: string, selection: EventSelection): Promise<readonly LoggedEvent[]>
  /**
   * Calls `wake` within milliseconds after new events of the organization have got positions, also for events of other processes.
   * It may also be called without new events. The returned function ends the watch.
   */
  watch(organizationId: string, wake: () => void): () => void
}
