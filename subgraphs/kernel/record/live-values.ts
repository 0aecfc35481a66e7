import type { Formula } from '../formula/formula.ts'
import type { RequestContext } from '../request.ts'
import type { Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { valuesSql } from './computed-values.ts'
import type { FormulaScopes } from './formula-columns.ts'
import { placeFor } from './live-formulas.ts'
import { TenantPredicate } from './predicate.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Versions of a record that need not be stored, with the values of these rollups, and formulas over other records and the time, as the caller would read them: by
 * one statement for all of them. Rollups are those of the record that is stored, the same in each version.
 */
export async function withComputed(
  { db }: RequestContext,
  { columns, table }: RecordShape,
  derived: readonly Column[],
  records: readonly Fields[],
): Promise<Fields[]> {
  const written = columns.stored.filter(({ computed }) => !computed)
  const rows = records.map((record) => Object.fromEntries(written.map(({ name, column }) => [column, record[name]])))
  const read = await db.query<{ values: Fields }>(
    `select ${valuesSql(derived, 't')} as values from jsonb_array_elements($1::jsonb) with ordinality g(record, position)
     cross join lateral jsonb_populate_record(null::${table}, g.record) t order by g.position`,
    [JSON.stringify(rows)],
  )
  return records.map((record, index) => ({
    ...record,
    [customFieldsName]: { ...(record[customFieldsName] as Fields), ...read[index]!.values },
  }))
}

/** The value of a formula that is no field, for a record that the caller sees. */
export async function readLiveValue(
  ctx: RequestContext,
  shape: RecordShape,
  id: string,
  formula: Formula,
  scopes: FormulaScopes,
): Promise<unknown> {
  const predicate = new TenantPredicate(ctx.caller)
  const condition = `t.id = ${predicate.values.add(id)} and ${predicate.visible(shape, 't')}`
  const sql = formula.toSql(placeFor(ctx, shape.object, scopes)('t'))
  const isTime = formula.type === 'DATE' || formula.type === 'DATETIME'
  const [row] = await ctx.db.query<{ read: { readonly value: unknown } }>(
    `select jsonb_build_object('value', ${isTime ? `kernel.formula_text(${sql})` : sql}) as read from ${shape.table} t where ${condition}`,
    predicate.values.list,
  )
  return row?.read.value ?? null
}
