import type { Column } from '../column.ts'
import { customField, customFieldsName, type CustomFieldDefinition } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { blankSql } from '../formula-columns.ts'
import { compileRollup, sourcesOf } from './rollup.ts'
import type { RollupDefinition } from './rollup-definition.ts'

/** A custom field that is a rollup. */
export type RollupField = CustomFieldDefinition & { readonly rollup: RollupDefinition }

export const isRollupField = (field: CustomFieldDefinition): field is RollupField => field.rollup !== undefined

/** The column of a rollup of the record type `parent`. `child` is the type of the records that are aggregated, without rollups of its own. */
export function rollupColumn(field: RollupField, child: RecordShape | null, parent: string): Column {
  const rollup = child && compileRollup(field.rollup, child, parent)
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
