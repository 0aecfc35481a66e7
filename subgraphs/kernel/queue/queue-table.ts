import type { Migration } from '../database/migrate.ts'
import type { Queue } from './queue.ts'

/** The NOTIFY channel for new items. The payload is the name of the queue. */
export const queueChannel = 'queue'

export const queueNotification: Migration = {
  name: '20261122-kernel-queue',
  sql: `
    create function kernel.notify_queue() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${queueChannel}', tg_argv[0]);
      return null;
    end $$;
  `,
}

/** The columns of every queue table, in addition to `id` and the columns of its kind of work. Their defaults queue the item. */
export const queueColumns = `
      -- QUEUED until the item has ended.
      state text not null default 'QUEUED',
      attempts int not null default 0,
      -- By the clock of the database, not rounded up, so that a new item is due at once. During an attempt: the end of its lease.
      next_attempt_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      -- Fencing token of the running attempt: only this attempt may record an outcome.
      lease_token uuid,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      last_error text`

/** The columns of a queue table with `shares`. */
export const sharedQueueColumns = `${queueColumns},
      -- False during an attempt and until the time of a retry or a delayed item has come, so that the search for due items meets no others.
      is_due boolean not null default true`

type Described = Pick<Queue, 'name' | 'table' | 'shares'>

/** Indexes of a queue table, and the trigger that wakes its workers: one notification per insert statement. */
export function queueIndexes(described: Described): string {
  const { name, table } = described
  return `
    ${described.shares ? sharedIndexes(described, described.shares) : plainIndexes(described)}
    create index ${name}_created on ${table} (created_at);
    create trigger ${name}_notifies after insert on ${table}
      for each statement execute function kernel.notify_queue('${name}');`
}

const plainIndexes = ({ name, table }: Described): string => `
    create index ${name}_fresh on ${table} (next_attempt_at) where state = 'QUEUED' and attempts = 0;
    create index ${name}_retry on ${table} (next_attempt_at) where state = 'QUEUED' and attempts > 0;`

const sharedIndexes = ({ name, table }: Described, { organization, key }: NonNullable<Described['shares']>): string => `
    create index ${name}_fresh on ${table} (${organization}, ${key}, next_attempt_at) where is_due and attempts = 0;
    create index ${name}_retry on ${table} (${organization}, ${key}, next_attempt_at) where is_due and attempts > 0;
    create index ${name}_not_due on ${table} (next_attempt_at) where state = 'QUEUED' and not is_due;
    create index ${name}_leased on ${table} (${organization}, ${key}) where lease_token is not null;`
