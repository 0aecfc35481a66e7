import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-support-external-ids',
  sql: uniqueExternalIds(['support."case"']),
}
