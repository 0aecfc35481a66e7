import { inNameOf } from '../../kernel/record/in-name-of.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import type { RecordDefinition, StoredRow } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { storeFormulas } from '../../kernel/record/store-formulas.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { FieldBatch } from './field-change.ts'

export interface ValueOfRecord extends Record<string, unknown> {
  readonly id: string
  readonly value: unknown
  readonly isDeleted: boolean
}

/** The records of a batch that have a value in the field. */
export const valuesIn = (
  { db, caller }: RequestContext,
  { field, shape, ids }: FieldBatch,
  lock: '' | 'for update of t' = '',
): Promise<ValueOfRecord[]> =>
  db.query<ValueOfRecord>(
    `select t.id, t.custom_fields -> $3::text as value, t.deleted_at is not null as "isDeleted" from ${shape.table} t
     where t.organization_id = $1 and t.id = any($2::uuid[]) and t.custom_fields ? $3::text order by t.id ${lock}`,
    [caller.organizationId, ids, field.name],
  )

/**
 * Rewrites the values of a batch: each record gets a new version and its event, as with any other change. A deleted record has no event, but a new
 * version, so that a restoration which has read it before is decided again. `valueOf` returns null for no value.
 */
export async function rewriteValues(
  ctx: RequestContext,
  batch: FieldBatch,
  valueOf: (value: unknown) => unknown,
): Promise<void> {
  const { field, shape, requestedById } = batch
  const changed = (await valuesIn(ctx, batch, 'for update of t')).flatMap(({ id, value, isDeleted }) => {
    const next = valueOf(value)
    return isSameValue(next, value) ? [] : [{ id, value: next, isDeleted }]
  })
  const live = new Map(changed.flatMap(({ id, value, isDeleted }) => (isDeleted ? [] : [[id, value] as const])))
  const definition = shape as RecordDefinition<StoredRow & { customFields: unknown }>
  await changeAll(inNameOf(ctx, requestedById), definition, [...live.keys()], ({ id }) => ({
    customFields: { [field.name]: live.get(id) },
  }))
  const deleted = changed.filter(({ isDeleted }) => isDeleted)
  if (deleted.length === 0) return
  await ctx.db.query(
    `update ${shape.storedIn ?? shape.table} t set version = t.version + 1,
       custom_fields = case when jsonb_typeof(g.value) = 'null' then t.custom_fields - $2::text
         else jsonb_set(t.custom_fields, array[$2::text], g.value) end
     from jsonb_to_recordset($3::jsonb) as g(id uuid, value jsonb) where t.organization_id = $1 and t.id = g.id`,
    [ctx.caller.organizationId, field.name, JSON.stringify(deleted.map(({ id, value }) => ({ id, value })))],
    'WRITE',
  )
  const ids = deleted.map(({ id }) => id)
  await storeFormulas(ctx, shape, ids)
}
