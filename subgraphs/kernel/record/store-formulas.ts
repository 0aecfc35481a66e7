import type { RequestContext } from '../request.ts'
import type { Column } from './column.ts'
import { withFormulasSql } from './computed-values.ts'
import { customFieldsName } from './custom-field-column.ts'
import { columnOf, type RecordShape } from './definition.ts'

/** The formulas whose values records have: those over their own fields. */
export const storedFormulas = ({ columns }: RecordShape): readonly Column[] =>
  columns.formulas.filter(({ formula }) => formula?.isLocal)

/**
 * Gives records the values of formulas over their own fields, by one statement: without a new version and without an event, because only what is known of the
 * record changes its form. Writes compute the values themselves; this is for records that no write has computed them for: those from before the definition
 * of a formula, and those whose fields SQL has changed. The transaction must know the latest definitions.
 */
export async function storeFormulas(
  { db, caller }: RequestContext,
  shape: RecordShape,
  ids: readonly string[],
  formulas = storedFormulas(shape),
): Promise<void> {
  if (formulas.length === 0 || ids.length === 0) return
  const table = shape.storedIn ?? shape.table
  const { column } = columnOf(shape, customFieldsName)
  const valuesOf = (alias: string) => withFormulasSql(`${alias}.${column}`, formulas, alias)
  await db.query(
    `update ${table} t set ${column} = ${valuesOf('t')}
     where t.organization_id = $1 and t.id in (
       select r.id from ${table} r
       where r.organization_id = $1 and r.id = any($2::uuid[]) and r.${column} is distinct from ${valuesOf('r')}
       order by r.id for no key update)`,
    [caller.organizationId, ids],
    'WRITE',
  )
}
