/** A committed event and its place in the log of its organization. */
export interface LoggedEvent {
  /** 1, 2, 3 … in each organization, without gaps. What was read once never gets another position. */
  readonly position: number
  readonly id: string
  readonly type: string
  /** Schema version of `data` for the type. */
  readonly version: number
  /** ISO 8601, UTC. */
  readonly occurredAt: string
  readonly object: string
  readonly recordId: string
  /** Null when the platform itself was at work. */
  readonly actorId: string | null
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventSelection {
  /** Only events behind this position. */
  readonly after: number
  /** At most so many. */
  readonly limit: number
  readonly object?: string
  readonly recordId?: string
}

/** The event log as its readers see it: by position, so that a reader that remembers one continues where it was. */
export interface EventFeed {
  /** The position of the latest event; 0 when there is none. */
  latest(organizationId: string): Promise<number>
  /** In the order of their positions. */
  read(organizationId: string, selection: EventSelection): Promise<readonly LoggedEvent[]>
  /**
   * Calls `wake` within milliseconds when events of the organization may have got positions, whichever process wrote them;
   * sometimes for nothing. Ends with the function that it gives.
   */
  watch(organizationId: string, wake: () => void): () => void
}
