import { withoutRowLimit } from '../../../kernel/database/row-bytes.ts'
import { isId } from '../../../kernel/ids.ts'
import { columnOf, hasColumn, type RecordShape, type StoredRow } from '../../../kernel/record/definition.ts'
import { requireReadable } from '../../../kernel/record/field-security.ts'
import { TenantPredicate } from '../../../kernel/record/predicate.ts'
import { allColumnNames } from '../../../kernel/record/read.ts'
import { selectList } from '../../../kernel/record/selection.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import { comparedInRow, comparedKeys, uniqueValuesOf, winnersByKey } from '../../../kernel/record/upsert/match-keys.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { isCustomKey, keyById, type BulkKey } from '../bulk-key.ts'

/** The records that the caller sees, by their keys in the form in which these are compared. Several records may have one external id. */
export type Found = Map<string, string[]>

/** The forms in which keys are compared, by the keys: of unique custom fields as these are unique. */
export async function comparedForms(
  { db }: RequestContext,
  by: BulkKey,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(keys)]
  if (!isCustomKey(by)) return new Map(distinct.map((key) => [key, by === keyById ? key.toLowerCase() : key]))
  const forms = await comparedKeys(db, by.field!, distinct)
  return new Map(distinct.map((key, index) => [key, forms[index] ?? key]))
}

/** The SQL of the keys, and of the rows that have them. Of deleted records no index has the values of custom fields: all deleted ones of the type are compared. */
function keysIn(
  shape: RecordShape,
  by: BulkKey,
  predicate: TenantPredicate,
  deleted: boolean,
): { readonly key: string; readonly from: string } {
  const rows = `${shape.table} t`
  if (!isCustomKey(by)) return { key: columnOf(shape, by.name).sql('t'), from: rows }
  if (deleted) return { key: comparedInRow(by.field!, 't'), from: rows }
  const from = `${uniqueValuesOf(shape, by.field!, predicate)} join ${rows} on t.id = v.record_id`
  return { key: 'v.unique_key', from }
}

/**
 * The live records, or the deleted ones, with these keys in the form in which they are compared. The external id of a record that was merged leads to
 * the live record that stays. 403 if the caller may not read the key: what is found would tell its values. */
export async function findRecords(
  ctx: RequestContext,
  definition: RecordShape,
  by: BulkKey,
  keys: readonly string[],
  { deleted = false } = {},
): Promise<Found> {
  const found: Found = new Map()
  const wanted = by === keyById ? keys.filter(isId) : keys
  if (wanted.length === 0) return found
  const shape = shapeFor(ctx, definition)
  requireReadable(ctx.caller, shape, by.name)
  const predicate = new TenantPredicate(ctx.caller)
  const state = deleted ? `${predicate.visible(shape, 't')} and t.deleted_at is not null` : predicate.live(shape, 't')
  const list = `${predicate.values.add([...new Set(wanted)])}::${by === keyById ? 'uuid[]' : 'text[]'}`
  const { key, from } = keysIn(shape, by, predicate, deleted)
  const rows = await withoutRowLimit(ctx.db).query<{ id: string; key: string }>(
    `select t.id, ${key} as key from ${from} where ${state} and ${key} = any(${list}) order by t.id`,
    predicate.values.list,
    'WRITE',
  )
  for (const { id, key } of rows) found.set(key, [...(found.get(key) ?? []), id])
  if (deleted || !by.field) return found
  const others = [...new Set(wanted)].filter((one) => !found.has(one))
  for (const [value, id] of await winnersByKey(ctx, shape, by.field, others)) found.set(value, [id])
  return found
}

export const canBeDeleted = (definition: RecordShape): boolean => hasColumn(definition, 'deletedAt')

/** Stored bytes of the records that are in memory at once. */
const recordBytesMax = 10_000_000

/** The live records with all of their columns, by their ids; null if they are too large to be read together. */
export async function wholeRecords(
  ctx: RequestContext,
  definition: RecordShape,
  ids: readonly string[],
): Promise<Map<string, StoredRow> | null> {
  if (ids.length === 0) return new Map()
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(definition, allColumnNames(definition), 't', null)
  const from = `${definition.table} t where ${predicate.live(definition, 't')} and t.id = any(${predicate.values.add(ids)}::uuid[])`
  const db = withoutRowLimit(ctx.db)
  const size = `select coalesce(sum(pg_column_size(t.*)), 0)::float8 as bytes from ${from}`
  const [row] = await db.query<{ bytes: number }>(size, predicate.values.list, 'WRITE')
  if (row!.bytes > recordBytesMax) return null
  const rows = await db.query<StoredRow & Record<string, unknown>>(
    `select ${columns} from ${from}`,
    predicate.values.list,
    'WRITE',
  )
  return new Map(rows.map((record) => [record.id, record]))
}
