import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-crm-external-ids',
  sql: uniqueExternalIds([
    'crm.account',
    'crm.contact',
    'crm.lead',
    'crm.opportunity',
    'crm.pipeline',
    'crm.task',
    'crm.activity',
    'crm.file',
  ]),
}
