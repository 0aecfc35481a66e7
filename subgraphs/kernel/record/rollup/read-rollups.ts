import type { RequestContext } from '../../request.ts'
import { rollupValuesSql } from '../computed-values.ts'
import type { RecordShape } from '../definition.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record that was written with the values of its rollups, for the answer; the same object when its record type has none. */
export async function withRollups<T extends { readonly id: string }>(
  { db, caller }: RequestContext,
  { table, columns }: RecordShape,
  record: T,
): Promise<T> {
  if (columns.rollups.length === 0) return record
  const [row] = await db.query<{ values: Fields }>(
    `select ${rollupValuesSql(columns, 't')} as values from ${table} t where t.organization_id = $1 and t.id = $2`,
    [caller.organizationId, record.id],
  )
  const { customFields } = record as { customFields?: Fields }
  return { ...record, customFields: { ...customFields, ...row?.values } }
}
