import { unrestricted, type RequestContext } from '../../request.ts'
import { changeStateOfAll } from '../change-all.ts'
import type { RecordDefinition, RecordShape } from '../definition.ts'
import { TenantPredicate } from '../predicate.ts'
import { lostOf } from './check-lookups.ts'
import { detailsMax } from './deleted-targets.ts'
import { detailFieldsOf, queueChange, type Budget, type Detail } from './detail-fields.ts'
import { isMaster } from './lookup.ts'

/** Details of a restored master that are restored together, or one by one if another record has a unique value. */
const restoredTogether = 25

/** The records of the type that were deleted with the record and whose masters are all live, at most `limit`. They are locked. */
async function deletedWith(
  ctx: RequestContext,
  detail: RecordDefinition<Detail>,
  rootId: string,
  limit: number,
): Promise<string[]> {
  const predicate = new TenantPredicate(ctx.caller)
  const { values } = predicate
  const rows = await ctx.db.query<{ id: string }>(
    `select t.id from ${detail.table} t where ${predicate.visible(detail, 't')} and t.deleted_with_id = ${values.add(rootId)}
       and t.deleted_at is not null order by t.id limit ${limit} for update of t`,
    values.list,
    'WRITE',
  )
  return rows.map(({ id }) => id)
}

/** Whether another record has a value of a unique custom field, or the external id. */
const isOfTakenValue = (error: unknown): boolean =>
  ['UNIQUE_VIOLATION', '23505'].includes(String((error as { readonly code?: unknown } | null)?.code))

/**
 * Restores records without what they name of records that were deleted meanwhile, as a single restoration does. A record with a unique value that another
 * one has by now stays deleted, on its own from then on.
 */
async function restoreTogether(
  ctx: RequestContext,
  detail: RecordDefinition<Detail>,
  rootId: string,
  ids: readonly string[],
): Promise<void> {
  const { organizationId } = ctx.caller
  const rows = await ctx.db.query<{ id: string; customFields: unknown }>(
    `select id, custom_fields as "customFields" from ${detail.table} where organization_id = $1 and id = any($2::uuid[])`,
    [organizationId, ids],
  )
  const lost = await lostOf(ctx, detail, rows)
  const following = await ctx.db.query<{ id: string }>(
    `select id from ${detail.table} where organization_id = $1 and deleted_with_id = $2 and id = any($3::uuid[])`,
    [organizationId, rootId, [...lost.values()].flat().map(({ id }) => id)],
  )
  const isFollowing = new Set(following.map(({ id }) => id))
  const restorable = ids.filter((id) => !lost.get(id)?.some(({ column }) => isMaster(column)))
  try {
    await changeStateOfAll(ctx, detail, 'RESTORE', restorable, ({ id }) => {
      const cleared = lost.get(id)!.filter((one) => !isFollowing.has(one.id))
      return { customFields: Object.fromEntries(cleared.map(({ column }) => [column.key!, null])), deletedWithId: null }
    })
  } catch (error) {
    if (!isOfTakenValue(error)) throw error
    if (restorable.length > 1) for (const id of restorable) await restoreTogether(ctx, detail, rootId, [id])
    else
      await ctx.db.query(
        `update ${detail.table} set deleted_with_id = null where organization_id = $1 and id = any($2::uuid[])`,
        [organizationId, restorable],
        'WRITE',
      )
  }
}

/** Restores details below records of a type that were deleted with the record, those of a master before their own details. */
async function restoreBelow(
  ctx: RequestContext,
  master: RecordShape,
  rootId: string,
  budget: Budget,
): Promise<boolean> {
  for (const { detail } of detailFieldsOf(ctx, master)) {
    const found = await deletedWith(ctx, detail, rootId, budget.left + 1)
    const ids = found.slice(0, budget.left)
    for (let at = 0; at < ids.length; at += restoredTogether)
      await restoreTogether(ctx, detail, rootId, ids.slice(at, at + restoredTogether))
    budget.left -= ids.length
    if (ids.length < found.length || !(await restoreBelow(ctx, detail, rootId, budget))) return false
  }
  return true
}

/** Restores details that were deleted with a record which is live and locked, at most `limit`. False if there are more. */
export const restoreSome = (
  ctx: RequestContext,
  master: RecordShape,
  id: string,
  limit = detailsMax,
): Promise<boolean> => restoreBelow(unrestricted(ctx), master, id, { left: limit })

/** Restores the details that were deleted with a record, in the transaction that restores it, or many in the background. */
export async function restoreDetails(ctx: RequestContext, master: RecordShape, id: string): Promise<void> {
  const [field] = detailFieldsOf(ctx, master)
  const rows = await ctx.db.query(
    `select from ${field!.detail.table} where organization_id = $1 and deleted_with_id = $2 limit ${detailsMax + 1}`,
    [ctx.caller.organizationId, id],
  )
  if (rows.length > detailsMax || !(await restoreSome(ctx, master, id))) await queueChange(ctx, master, id, 'RESTORE')
}
