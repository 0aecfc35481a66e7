import type { Migration } from '../database/migrate.ts'

/** The past states of the records of a type are read from the events since a time. The relay writes the index, not the statement of a change. */
export const eventLogByTime: Migration = {
  name: '20261130-kernel-event-log-time',
  sql: `
    create index event_log_time on kernel.event_log (organization_id, object, occurred_at);
  `,
}
