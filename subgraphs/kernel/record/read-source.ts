import { tenantView } from '../database/tenant-view.ts'
import { customFieldsName } from './custom-field-column.ts'
import { hasColumn, type RecordShape } from './definition.ts'

/**
 * What lists, counts and aggregates read: the tenant's view of the table. PostgreSQL evaluates the policies of row-level security
 * before operators that are not leakproof (`like`, `@>`, comparisons of numerics), so it could use no index for these on the table. Only records
 * with custom fields have such a view; the lists of other record types, and of those
 * that are read from a view of their own, are small.
 */
export const readSource = (definition: RecordShape): string =>
  hasColumn(definition, customFieldsName) && !definition.storedIn ? tenantView(definition.table) : definition.table
