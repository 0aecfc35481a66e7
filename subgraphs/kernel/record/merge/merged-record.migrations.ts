import type { Migration } from '../../database/migrate.ts'
import { mergedTable } from './merged-records.ts'

/**
 * The records that were merged into others. A record that others were merged into can be merged itself: then their rows name the record that
 * stays, so one row leads to the end of every chain.
 */
export const mergedRecordTable: Migration = {
  name: '20261215-kernel-merged-record',
  sql: `
    create table ${mergedTable} (
      organization_id uuid not null,
      object text not null,
      record_id uuid not null,
      merged_into_id uuid not null,
      -- The id that it had in another system.
      external_id text,
      merged_at timestamptz(3) not null,
      primary key (organization_id, record_id)
    );
    create index merged_record_into on ${mergedTable} (organization_id, merged_into_id);
    create index merged_record_external on ${mergedTable} (organization_id, object, external_id, merged_at desc) where external_id is not null;
  `,
}
