import type { Column } from '../column.ts'
import { blankSql } from '../blank-sql.ts'
import { customField, customFieldsName } from '../custom-field-column.ts'
import type { RollupField } from '../formula-columns.ts'
import { sourcesOf, type Rollup } from './rollup.ts'

/** The column of a field whose value is that of the rollup; blank for one that can no longer be evaluated. */
export function rollupColumn(field: RollupField, rollup: Rollup | null): Column {
  const column = customField({ ...field, kind: rollup?.kind ?? field.kind })
  return {
    ...column,
    writable: 'NEVER',
    derivedFrom: [customFieldsName],
    ...(rollup && { hiddenWith: sourcesOf(rollup) }),
    rollup,
    sql: rollup ? rollup.sql : () => blankSql(column),
  }
}
