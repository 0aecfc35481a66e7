import { sqlLiteral } from '../custom-field-column.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { rollupValueTable } from './rollup-tables.ts'

/** The table with the version of a record that a change writes, `rollup_sign` 1, and with the one that it replaces, -1. */
const versions = 'rollup_versions'

/** SQL of the columns of a row, of the child record with the alias. */
export function valueColumnsOf({ definition, kind, parentSql, valueSql }: CompiledRollup, alias: string): string {
  const value = valueSql(alias)
  const time = kind === 'date' ? `(${value})::timestamp at time zone 'UTC'` : value
  return `${alias}.organization_id, ${sqlLiteral(definition.id)}::uuid as rollup_id, ${alias}.id as child_id, ${parentSql(alias)} as parent_id,
    ${kind === 'money' ? value : 'null::numeric'} as number_value, ${kind === 'money' ? 'null::timestamptz' : time} as time_value`
}

/** SQL that writes the rows of a query with these columns. A row that exists is replaced. */
export const writeValues = (rows: string): string => `
  insert into ${rollupValueTable} (organization_id, rollup_id, child_id, parent_id, number_value, time_value) ${rows}
  on conflict (organization_id, rollup_id, child_id)
    do update set parent_id = excluded.parent_id, number_value = excluded.number_value, time_value = excluded.time_value`

const rowsOf = (rollup: CompiledRollup, sign: 1 | -1): string =>
  `select ${valueColumnsOf(rollup, 't')} from ${versions} t where t.rollup_sign = ${sign} and ${rollup.conditionSql('t')}`

const all = (rollups: readonly CompiledRollup[], sign: 1 | -1): string =>
  rollups.map((rollup) => rowsOf(rollup, sign)).join(' union all ')

const isSameRecord = (one: string, other: string): string =>
  `${one}.rollup_id = ${other}.rollup_id and ${one}.child_id = ${other}.child_id`

/**
 * The rows of child records follow the records in every write. While the rows are built, a record that ceases to count keeps a row without a parent: a deletion
 * would not see the row that was written for the record while it waited for the record.
 */
export function valueStatements(rollups: readonly CompiledRollup[]): Readonly<Record<string, string>> {
  if (rollups.length === 0) return {}
  const [before, after] = [all(rollups, -1), all(rollups, 1)]
  const building = rollups.filter(({ definition }) => !definition.isReady)
  const ready = rollups.filter(({ definition }) => definition.isReady)
  const left = (some: readonly CompiledRollup[]): string =>
    `from (${all(some, -1)}) b where not exists (select from (${after}) a where ${isSameRecord('a', 'b')})`
  const isSameValue = `(a.parent_id, a.number_value, a.time_value) is not distinct from (b.parent_id, b.number_value, b.time_value)`
  const written = [
    `select * from (${after}) a where not exists (select from (${before}) b where ${isSameRecord('a', 'b')} and ${isSameValue})`,
    ...(building.length > 0
      ? [
          `select b.organization_id, b.rollup_id, b.child_id, null::uuid, null::numeric, null::timestamptz ${left(building)}`,
        ]
      : []),
  ]
  return {
    rollup_values: writeValues(`select * from (${written.join(' union all ')}) w order by 2, 3`),
    ...(ready.length > 0 && {
      rollup_values_left: `delete from ${rollupValueTable} v using (select b.* ${left(ready)}) g
        where v.organization_id = g.organization_id and ${isSameRecord('v', 'g')}`,
    }),
  }
}
