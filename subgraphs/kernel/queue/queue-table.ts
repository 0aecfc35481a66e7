import type { Migration } from '../database/migrate.ts'
import type { Queue } from './queue.ts'

/** The channel of notifications that a transaction has put items into a queue. The payload is the name of the queue. */
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

/** The columns that every table of a queue has, beside `id` and those of the kind of work. An insert that names none of them queues the item. */
export const queueColumns = `
      -- QUEUED until it has ended.
      state text not null default 'QUEUED',
      attempts int not null default 0,
      -- By the clock of the database, never rounded up: an item is due as soon as it is there. While an attempt runs: when its lease ends.
      next_attempt_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
      -- Fencing token of the attempt that runs: only that one may say how it ended.
      lease_token uuid,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      last_error text`

type Described = Pick<Queue, 'name' | 'table' | 'shares'>

/** Indexes of a queue's table, and the trigger that wakes its workers. The insert of many items is one message. */
export function queueIndexes({ name, table, shares }: Described): string {
  const share = shares ? `${shares.organization}, ${shares.key}, ` : ''
  return `
    create index ${name}_fresh on ${table} (${share}next_attempt_at) where state = 'QUEUED' and attempts = 0;
    create index ${name}_retry on ${table} (${share}next_attempt_at) where state = 'QUEUED' and attempts > 0;
    ${shares ? `create index ${name}_leased on ${table} (${share}next_attempt_at) where lease_token is not null;` : ''}
    create index ${name}_created on ${table} (created_at);
    create trigger ${name}_notifies after insert on ${table}
      for each statement execute function kernel.notify_queue('${name}');`
}
