import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** What `eventRecoveryQueue` says of its table. */
export const eventRecovery = {
  name: 'webhook_recovery',
  table: 'events.webhook_recovery',
  shares: { organization: 'organization_id', key: 'webhook_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

export const eventRecoveryTable: Migration = {
  name: '20261214-events-webhook-recovery',
  sql: `
    -- One row for each time whose events a webhook gets again.
    create table ${eventRecovery.table} (
      organization_id uuid not null,
      id uuid not null,
      webhook_id uuid not null,
      from_time timestamptz(3) not null,
      to_time timestamptz(3) not null,
      -- The deliveries of the events up to this position are queued, and the position after which there are no further ones; null before the beginning.
      position bigint,
      through bigint,
      queued bigint not null default 0,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(eventRecovery)}
    -- One at a time for each webhook.
    create unique index webhook_recovery_unfinished on ${eventRecovery.table} (organization_id, webhook_id) where state = 'QUEUED';
  `,
}
