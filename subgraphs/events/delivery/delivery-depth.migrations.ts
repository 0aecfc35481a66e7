import type { Migration } from '../../kernel/database/migrate.ts'
import { described } from './delivery-table.ts'

export const depthOfDeliveries: Migration = {
  name: '20261202-events-delivery-depth',
  sql: `alter table ${described.table} add column depth integer not null default 0;`,
}
