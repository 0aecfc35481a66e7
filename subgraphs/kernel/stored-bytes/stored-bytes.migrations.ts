import type { Migration } from '../database/migrate.ts'

export const storedBytesTable: Migration = {
  name: '20261128-kernel-stored-bytes',
  sql: `
    -- What each organization keeps: the bytes when they were last measured, and those written since.
    create table kernel.stored_bytes (
      organization_id uuid primary key,
      measured bigint not null default 0,
      measured_at timestamptz(3),
      written bigint not null default 0
    );
  `,
}
