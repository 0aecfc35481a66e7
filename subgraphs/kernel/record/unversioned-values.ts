import { transientError } from '../database/transient-error.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { valuesSql } from './computed-values.ts'
import type { Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'
import type { RecordShape, StoredRow } from './definition.ts'
import type { Operation } from './event-types.ts'
import { isLive } from './live-formulas.ts'
import { TenantPredicate } from './predicate.ts'

type Fields = Readonly<Record<string, unknown>>

interface Unversioned {
  /** Formulas over other records and the time: their values are those of a reader who sees the record. */
  readonly formulas: readonly Column[]
  readonly rollups: readonly Column[]
}

/** The record with these values as they are in the database, by one statement; the same object where there are none. `definition` is that of the caller. */
export async function withUnversionedOf<T extends { readonly id: string }>(
  { db, caller }: RequestContext,
  definition: RecordShape,
  { formulas, rollups }: Unversioned,
  record: T,
): Promise<T> {
  if (formulas.length + rollups.length === 0) return record
  const predicate = new TenantPredicate(caller)
  const { values } = predicate
  const found = [
    ...(rollups.length > 0 ? [valuesSql(rollups, 't')] : []),
    ...(formulas.length > 0
      ? [`case when ${predicate.visible(definition, 't')} then ${valuesSql(formulas, 't')} else '{}' end`]
      : []),
  ]
  const [row] = await db.query<{ values: Fields }>(
    `select ${found.join(' || ')} as values from ${definition.table} t
     where t.organization_id = ${predicate.organization()} and t.id = ${values.add(record.id)}`,
    values.list,
  )
  return { ...record, [customFieldsName]: { ...((record as Fields)[customFieldsName] as Fields), ...row?.values } }
}

/**
 * The record that was written with the values that follow from other records. The write has happened, or is about to: it is not refused because these
 * take too long to read, and the answer has null in their places.
 */
export async function withUnversioned<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  written: T,
): Promise<T> {
  const { formulas, rollups } = definition.columns
  const unversioned = { formulas: operation === 'DELETE' ? [] : formulas.filter(isLive), rollups }
  const columns = [...unversioned.formulas, ...rollups]
  if (columns.length === 0) return written
  const read = (current: RequestContext): Promise<T> => withUnversionedOf(current, definition, unversioned, written)
  try {
    return await (ctx.db.open ? inTransaction(ctx, read) : read(ctx))
  } catch (error) {
    if (!transientError(error)) throw error
    const unread = columns.map(({ key }) => [key!, null])
    const { customFields } = written as { readonly customFields?: object }
    return { ...written, customFields: { ...customFields, ...Object.fromEntries(unread) } }
  }
}
