import type { Migration } from '../database/migrate.ts'

/** Must run after the steps that drop the triggers which call these functions. */
export const dropRecordTotal: Migration = {
  name: '20261122-kernel-drop-record-total',
  sql: `
    drop function kernel.keep_total_of_inserted();
    drop function kernel.keep_total_of_updated();
    drop function kernel.keep_total_of_deleted();
    drop table kernel.record_total;
  `,
}
