import { tenantView } from '../database/tenant-view.ts'
import type { RecordShape } from './definition.ts'

/**
 * What lists, counts and aggregates read: the tenant's view of the table. PostgreSQL evaluates the policies of row-level security
 * before operators that are not leakproof (`like`, `@>`, comparisons of numerics), so it could use no index for these on the table.
 */
export const readSource = ({ table, storedIn }: RecordShape): string =>
  storedIn === undefined ? tenantView(table) : table
