import type { Column } from '../column.ts'
import { customFieldKey, customFieldsName } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import type { Contributor } from '../derived/contributor.ts'
import type { DerivedRows, RecordChange } from '../derived/derived-rows.ts'
import type { OrganizationDefinitions } from '../organization-definitions.ts'
import { isSameValue } from '../same-value.ts'
import { compileRollup, type Rollup } from './rollup.ts'
import { deltaStatements } from './rollup-deltas.ts'
import { hasTotals } from './rollup-result.ts'
import { valueStatements } from './rollup-values.ts'

type Fields = Readonly<Record<string, unknown>>

/** The rollups over records of this type, which has the custom fields of the organization. */
const rollupsOver = (shape: RecordShape, { customFields }: OrganizationDefinitions): Rollup[] =>
  Object.entries(customFields).flatMap(([parent, fields]) =>
    fields.flatMap(({ rollup }) => {
      if (!rollup || rollup.child !== shape.object) return []
      return compileRollup(rollup, shape, parent) ?? []
    }),
  )

/** The part of a record that the rollups read: columns of the table by name, and keys of custom fields. */
class Inputs {
  readonly #columns = new Set<Column>()
  readonly #keys = new Set<string>()

  constructor(
    private readonly shape: RecordShape,
    rollups: readonly Rollup[],
  ) {
    const { objectColumn } = shape
    for (const name of ['id', 'organizationId', 'deletedAt', ...(objectColumn === undefined ? [] : [objectColumn])])
      this.#add(name)
    for (const { columns } of rollups) for (const { name } of columns) this.#add(name)
  }

  #add(name: string): void {
    const column = this.shape.columns.byName.get(name)
    if (!column) return
    if (column.formula) for (const source of column.derivedFrom ?? []) this.#add(source)
    const key = customFieldKey(name)
    if (key !== null) this.#keys.add(key)
    else if (name !== customFieldsName) this.#columns.add(column)
  }

  /** The row of the record, by the names of the columns of the table. */
  rowOf(record: Fields): Fields {
    const values = (record[customFieldsName] ?? {}) as Fields
    const keys = [...this.#keys].filter((key) => Object.hasOwn(values, key))
    const row: Record<string, unknown> = {}
    for (const { name, column } of this.#columns) row[column] = record[name]
    if (this.#keys.size > 0) row['custom_fields'] = Object.fromEntries(keys.map((key) => [key, values[key]]))
    return row
  }
}

const isLive = (record: Fields | null): record is Fields => record !== null && !record['deletedAt']

/** The record before and after the change as far as it counts. */
function rowsOf(
  inputs: Inputs,
  { hasDeletedAt }: { readonly hasDeletedAt: boolean },
  { operation, previous, next }: RecordChange,
): { readonly sign: number; readonly record: Fields }[] {
  const before = isLive(previous) ? inputs.rowOf(previous) : null
  const isThere = isLive(next) && (operation !== 'DELETE' || hasDeletedAt)
  const after = isThere ? inputs.rowOf(next) : null
  if (isSameValue(before, after)) return []
  return [...(before ? [{ sign: -1, record: before }] : []), ...(after ? [{ sign: 1, record: after }] : [])]
}

/** What rollups need of the child records that a statement writes: differences of totals, and the values of which the least or greatest is read. */
export const rollupRows: Contributor = (shape, definitions): DerivedRows | null => {
  const rollups = rollupsOver(shape, definitions)
  if (rollups.length === 0) return null
  const inputs = new Inputs(shape, rollups)
  const hasDeletedAt = shape.columns.byName.has('deletedAt')
  const [added, compared] = [true, false].map((has) =>
    rollups.filter(({ definition }) => hasTotals(definition) === has),
  )
  const statements = { ...deltaStatements(added!), ...valueStatements(compared!) }
  return ({ values, isWritten }, changes): Readonly<Record<string, string>> => {
    const rows = changes.flatMap((change) => rowsOf(inputs, { hasDeletedAt }, change))
    if (rows.length === 0) return {}
    return {
      rollup_versions: `
        select t.*, g.sign as rollup_sign
        from jsonb_to_recordset(${values.add(JSON.stringify(rows))}::jsonb) as g(sign int, record jsonb)
        cross join lateral jsonb_populate_record(null::${shape.table}, g.record) t where ${isWritten('t.id')}`,
      ...statements,
    }
  }
}
