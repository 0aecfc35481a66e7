import { unrestricted, type RequestContext } from '../../request.ts'
import { changeStateOfAll } from '../change-all.ts'
import { customFieldName } from '../custom-field-column.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { TenantPredicate } from '../predicate.ts'
import { valueTable } from '../value-index/value-column.ts'
import { clearLookups, detailsMax, withClearing } from './deleted-targets.ts'
import { detailFieldsOf, queueChange, type Budget, type DetailField } from './detail-fields.ts'

/** The details of these records, at most `limit`, in the order of their ids. */
async function detailsOf(
  { db, caller }: RequestContext,
  { detail, key }: DetailField,
  masters: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select v.record_id as id from ${valueTable} v
     where v.organization_id = $1 and v.object = $2 and v.field = $3 and v.kind = 'id' and v.id_value = any($4::uuid[])
     order by v.record_id limit ${limit}`,
    [caller.organizationId, detail.object, key, masters],
  )
  return rows.map(({ id }) => id)
}

/** Whether there are more details below these records, on all levels, than `limit`. */
async function isMoreThan(
  ctx: RequestContext,
  master: RecordShape,
  masters: readonly string[],
  limit: number,
): Promise<boolean> {
  let left = limit
  const count = async (shape: RecordShape, ids: readonly string[]): Promise<boolean> => {
    for (const field of detailFieldsOf(ctx, shape)) {
      const found = await detailsOf(ctx, field, ids, left + 1)
      left -= found.length
      if (left < 0 || (found.length > 0 && (await count(field.detail, found)))) return true
    }
    return false
  }
  return count(master, masters)
}

/** Locks those of the records that are still details of these masters: nobody becomes a detail of theirs, or changes them, until the transaction ends. */
async function lockDetails(
  ctx: RequestContext,
  { detail, key }: DetailField,
  ids: readonly string[],
  masters: readonly string[],
): Promise<string[]> {
  const predicate = new TenantPredicate(ctx.caller)
  const { values } = predicate
  const master = columnOf(detail, customFieldName(key)).sql('t')
  const rows = await ctx.db.query<{ id: string }>(
    `select t.id from ${detail.table} t where ${predicate.tenant(detail, 't')} and t.id = any(${values.add(ids)}::uuid[])
       and ${master} = any(${values.add(masters)}::uuid[]) order by t.id for update of t`,
    values.list,
    'WRITE',
  )
  return rows.map(({ id }) => id)
}

interface Deleted {
  readonly shape: RecordShape
  readonly ids: readonly string[]
}

/**
 * Deletes details below these records, which are locked: the details of a detail first, so that those which are left are still found from the record at
 * the top. False if there are more than the budget.
 */
async function deleteBelow(
  ctx: RequestContext,
  master: RecordShape,
  masters: readonly string[],
  rootId: string,
  budget: Budget,
  deleted: Deleted[],
): Promise<boolean> {
  for (const field of detailFieldsOf(ctx, master)) {
    const { detail } = field
    const room = budget.left
    const found = await detailsOf(ctx, field, masters, room + 1)
    const ids = room > 0 && found.length > 0 ? await lockDetails(ctx, field, found.slice(0, room), masters) : []
    if (ids.length > 0 && !(await deleteBelow(ctx, detail, ids, rootId, budget, deleted))) return false
    const own = ids.slice(0, budget.left)
    await changeStateOfAll(ctx, detail, 'DELETE', own, () => ({ deletedWithId: rootId }))
    deleted.push({ shape: detail, ids: own })
    budget.left -= own.length
    if (found.length > room || own.length < ids.length) return false
  }
  return true
}

/**
 * Deletes details of a record that is deleted and locked, at most `limit`, and clears what names them, as single deletions do. False if there are more.
 */
export async function deleteSome(
  ctx: RequestContext,
  master: RecordShape,
  id: string,
  limit = detailsMax,
): Promise<boolean> {
  const clearing = ctx.clearing ? ctx : withClearing(ctx)
  const deleted: Deleted[] = []
  const budget = { left: limit }
  const isWhole = await deleteBelow(unrestricted(clearing), master, [id], id, budget, deleted)
  clearing.clearing!.details -= limit - budget.left
  for (const { shape, ids } of deleted)
    for (const named of await namedAmong(clearing, shape, ids)) await clearLookups(clearing, shape, named)
  return isWhole
}

/** Those of the records that lookups name which are cleared. */
async function namedAmong(
  { db, caller }: RequestContext,
  { lookedUpBy = [] }: RecordShape,
  ids: readonly string[],
): Promise<string[]> {
  const lookups = lookedUpBy.filter(({ onDelete }) => onDelete === 'CLEAR')
  if (lookups.length === 0 || ids.length === 0) return []
  const rows = await db.query<{ id: string }>(
    `select n.id from unnest($2::uuid[]) n(id) where exists (
       select from jsonb_to_recordset($3::jsonb) f(object text, field text) join ${valueTable} v
         on v.organization_id = $1 and v.object = f.object and v.field = f.field and v.kind = 'id' and v.id_value = n.id)
     order by n.id`,
    [caller.organizationId, ids, JSON.stringify(lookups.map(({ object, key }) => ({ object, field: key })))],
  )
  return rows.map(({ id }) => id)
}

/**
 * Deletes the details of a record that the transaction has deleted: few at once, many in the background. Nobody sees them in the meantime, because they are
 * visible through the record.
 */
export async function deleteDetails(ctx: RequestContext, master: RecordShape, id: string): Promise<void> {
  const limit = ctx.clearing?.details ?? detailsMax
  const isQueued = (await isMoreThan(ctx, master, [id], limit)) || !(await deleteSome(ctx, master, id, limit))
  if (isQueued) await queueChange(ctx, master, id, 'DELETE')
}
