import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-commerce-external-ids',
  sql: uniqueExternalIds([
    'commerce.product',
    'commerce.quote',
    'commerce."order"',
    'commerce.invoice',
    'commerce.credit_note',
  ]),
}
