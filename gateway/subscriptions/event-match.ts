import type { EventSelection, LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'

/** The events that a reader wants. Events in memory are compared by `matches`; `selection` limits what is read from the database. */
export interface EventMatch {
  matches(event: LoggedEvent): boolean
  readonly selection: Pick<EventSelection, 'object' | 'objects' | 'recordId'>
}

/** The events that a reader is notified of. */
export const topics = {
  all: '*',
  ofObject: (object: string): string => object,
  ofRecord: (object: string, recordId: string): string => `${object} ${recordId}`,
} as const
