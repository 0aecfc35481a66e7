import type { Migration } from '../database/migrate.ts'
import type { QuietFor } from '../context.ts'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../request.ts'
import type { LoggedEvent } from './event-feed.ts'

/**
 * A reader of the event log that reacts to events by rows of the same database. Its position in the log of an organization is stored
 * in the transaction that writes these rows, so that each event has its effect exactly once, also after `kill -9`. Its commit does not wait for the
 * disk: if the database server crashes, effects of the last second may be lost together with the position, and are made again.
 */
export interface EventConsumer {
  readonly name: string
  /** Maximum positions of one transaction. */
  readonly batch: number
  /** After a wake, it waits this long for further events, so that one transaction takes them together. 0: it starts at once. */
  readonly gatherMs: number
  /**
   * A table with the `organization_id` of those organizations that it reads, and the NOTIFY channel that tells which one was added. Events of all
   * others cost nothing. Whoever adds an organization also sets the position from which it is read. Without it, all organizations are read.
   */
  readonly subscribers?: { readonly table: string; readonly channel: string }
  /** The types of events that it needs in the organization. Other events are passed over, and with no type none is read. */
  types(sql: Sql, organizationId: string): Promise<readonly string[] | 'ALL'>
  /** SQL that holds for the events that it needs, of these types; `e` is the row of `kernel.event`. The others are not sent to the process. */
  readonly condition?: string
  /**
   * Writes the effects of the events, which are in the order of their positions. It must use `sql` only, and must not wait for
   * anything outside the database. It may be called again with the same events after a transaction that was rolled back.
   */
  consume(services: Services, sql: Sql, batch: EventBatch): Promise<void>
}

/** SQL condition that the events are not kept from these readers by what made them. */
export const notQuietFor = (readers: QuietFor): string => `not coalesce(e.origin -> 'quiet' ? '${readers}', false)`

export interface EventBatch {
  readonly organizationId: string
  /** Not empty. */
  readonly events: readonly LoggedEvent[]
}

export const eventConsumerTable: Migration = {
  name: '20261122-kernel-event-consumer',
  sql: `
    create table kernel.event_consumer (
      organization_id uuid not null,
      name text not null,
      -- The last position that the consumer has processed.
      position bigint not null default 0,
      -- Up to this position, events are processed one by one, because their batch has failed.
      one_by_one_until bigint not null default 0,
      -- Failures of the event after the position, and the time before which it is not tried again.
      failures int not null default 0,
      retry_at timestamptz(3),
      primary key (organization_id, name)
    );
  `,
}

/** SQL for the migration of a consumer: in existing organizations it begins with the events after the migration. */
export const beginWithNextEvent = (name: string): string => `
    insert into kernel.event_consumer (organization_id, name, position)
    select organization_id, '${name}', position from kernel.event_head;`
