import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-insights-external-ids',
  sql: uniqueExternalIds(['insights.scenario', 'insights.triage_case']),
}
