import type { Migration } from '../database/migrate.ts'

/** Constant defaults, so that no partition is rewritten. */
export const eventOrigin: Migration = {
  name: '20261128-kernel-event-origin',
  sql: `
    alter table kernel.event
      -- The request, or the run of a job, that made the change.
      add column operation_id text,
      -- The automation that made the change: kind, id and runId; null for what a client did itself.
      add column origin jsonb,
      -- How many automations have started one another up to the change.
      add column depth integer not null default 0;
  `,
}
