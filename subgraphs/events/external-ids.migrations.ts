import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-events-external-ids',
  sql: uniqueExternalIds(['events.custom_event_type']),
}
