import type { Refusal } from '../../errors.ts'
import type { RequestContext } from '../../request.ts'
import { customFieldName, sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { uniqueViolation } from '../unique-violation.ts'
import { valueOf } from './value-rows.ts'
import { valueTable } from './value-column.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether a statement has failed because another record has a value of a unique custom field. */
export const isTaken = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'record_value_unique'
}

/** The refusal of records of which one has a value that another one has, after their statement was taken back. */
export async function takenValue(
  ctx: RequestContext,
  definition: RecordShape,
  records: readonly Fields[],
): Promise<Refusal> {
  const unique = [...definition.columns.customFields.values()].filter(({ valueIndex }) => valueIndex?.unique)
  const given = unique.flatMap((column) =>
    records.map((record) => ({
      record: record['id'],
      field: column.key!,
      form: column.valueIndex!.unique,
      value: valueOf(record, column),
    })),
  )
  const [taken] = await ctx.db.query<{ field: string; id: string }>(
    `select g.field, v.record_id as id
     from jsonb_to_recordset($2::jsonb) as g(record uuid, field text, form text, value jsonb)
     join ${valueTable} v on v.organization_id = $1 and v.object = ${sqlLiteral(definition.object)} and v.field = g.field
       and v.unique_key = kernel.unique_key(g.value, g.form) and v.record_id <> g.record
     order by g.field limit 1`,
    [ctx.caller.organizationId, JSON.stringify(given)],
  )
  // The other record may have been changed meanwhile.
  const name = customFieldName(taken?.field ?? unique[0]!.key!)
  return uniqueViolation(ctx, definition, name, (values) => (taken ? `t.id = ${values.add(taken.id)}` : 'false'))
}
