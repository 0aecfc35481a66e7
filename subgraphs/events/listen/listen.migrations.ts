import type { Migration } from '../../kernel/database/migrate.ts'
import { listenersMax } from './listen-limits.ts'

/** The live streams of each organization over all processes. A process that is killed does not renew its rows. */
export const listenSlotTable: Migration = {
  name: '20261122-events-listen-slot',
  sql: `
    create table events.listen_slot (
      organization_id uuid not null,
      slot smallint not null check (slot between 1 and ${listenersMax}),
      stream_id uuid not null,
      -- The row is free after this time, by the clock of the database.
      until timestamptz(3) not null,
      primary key (organization_id, slot)
    );
  `,
}
