import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { customObject as typeOf, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { queueChanges } from '../../kernel/record/lookup/detail-fields.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { refuse } from '../../kernel/record/prepare-change.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { valueTable } from '../../kernel/record/value-index/value-column.ts'
import { inTransaction, unrestricted, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { createField } from '../custom-field/custom-field.actions.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import type { CustomRecord } from '../custom-record/custom-record.ts'
import { createdFieldsMax, renamedRecordsMax } from './bounds.ts'
import { customObject } from './custom-object.record.ts'
import { newNameFieldProblems } from './custom-object.rules.ts'
import type { CustomObject } from './custom-object.ts'

const objects = recordsOf(customObject)

/** A new object, and the fields that it is created with. */
export type ObjectInput = Partial<CustomObject> & { readonly fields?: readonly Partial<CustomField>[] | null }

/** Creates an object with its fields, or nothing. A problem of a field has its place in the list: `fields.0.name`. */
export async function createObject(ctx: RequestContext, { fields, ...input }: ObjectInput): Promise<CustomObject> {
  requireAdministrator(ctx)
  const given = fields ?? []
  if (given.length > createdFieldsMax) {
    const message = `fields must have at most ${createdFieldsMax} items.`
    throw invalid({ path: 'fields', code: 'TOO_MANY', message })
  }
  refuse(newNameFieldProblems(input.nameField ?? null, given))
  if (given.length === 0) return objects.create(ctx, input)
  return inTransaction(ctx, async (inner) => {
    const created = await objects.create(inner, input)
    for (const [index, field] of given.entries())
      await inField(index, () => createField(inner, { sortOrder: index, ...field, entity: typeOf(created.name) }))
    return created
  })
}

async function inField<T>(index: number, create: () => Promise<T>): Promise<T> {
  try {
    return await create()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { errors, ...extensions } = error.extensions
    if (!errors) throw error
    const placed = (errors as FieldProblem[]).map((one) => ({ ...one, path: `fields.${index}.${one.path}` }))
    throw new Refusal(error.code, error.message, { ...extensions, errors: placed })
  }
}

/** Changes an object. Records have the value of its name field as their name, so another one changes them all. */
export function updateObject(
  ctx: RequestContext,
  id: string,
  input: Partial<CustomObject>,
  expectedVersion: number | null,
): Promise<CustomObject> {
  requireAdministrator(ctx)
  if (input.nameField === undefined) return objects.update(ctx, id, input, expectedVersion)
  return inTransaction(ctx, async (inner) => {
    const { nameField } = await objects.require(inner, id)
    const updated = await objects.update(inner, id, input, expectedVersion)
    if (updated.nameField !== nameField) await renameRecords(inner, updated.name)
    return updated
  })
}

/**
 * Restores an object. While it was deleted, nobody cleared what its records name of other records, so the indexes of its lookups are built again, which
 * clears what has been lost. Nor did anybody delete records with their masters, which is done in the background, too.
 */
export function restoreObject(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<CustomObject> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const restored = await objects.restore(inner, id, expectedVersion)
    if (ctx.managedBy === undefined) await releaseFields(inner, restored.name)
    const lookups = await inner.db.query<{ id: string }>(
      `select id from extensions.field_definition
       where organization_id = $1 and entity = $2 and field_type = 'LOOKUP' and is_active and has_index and deleted_at is null order by id`,
      [ctx.caller.organizationId, typeOf(restored.name)],
    )
    for (const field of lookups)
      await change(inner, customField, field.id, () => ({
        operation: 'UPDATE',
        values: {},
        implied: { hasIndex: false },
      }))
    await deleteWithoutMasters(inner, restored.name)
    return restored
  })
}

/** The fields that an app brought with an object belong, as the object, to the organization that restores it. */
async function releaseFields(ctx: RequestContext, name: string): Promise<void> {
  const fields = await ctx.db.query<{ id: string; app: string }>(
    `select id, managed_by as app from extensions.field_definition
     where organization_id = $1 and entity = $2 and managed_by is not null and deleted_at is null order by id`,
    [ctx.caller.organizationId, typeOf(name)],
  )
  for (const { id, app } of fields)
    await change({ ...ctx, managedBy: app }, customField, id, () => ({
      operation: 'UPDATE',
      values: {},
      implied: { managedBy: null },
    }))
}

/** Has the records of a restored object deleted whose masters were deleted while it was deleted. */
async function deleteWithoutMasters(ctx: RequestContext, name: string): Promise<void> {
  const masters = await ctx.db.query<{ field: string; object: string }>(
    `select name as field, coalesce(lookup_object, lower(lookup_entity)) as object from extensions.field_definition
     where organization_id = $1 and entity = $2 and field_type = 'MASTER_DETAIL' and deleted_at is null order by id`,
    [ctx.caller.organizationId, typeOf(name)],
  )
  for (const { field, object } of masters) {
    const master = recordTypeIn(ctx, object)
    if (!master) continue
    const predicate = new TenantPredicate(ctx.caller)
    const { values } = predicate
    const lost = `select t.id from ${master.table} t where ${predicate.all(master, 't')} and t.deleted_at is not null and exists (
         select from ${valueTable} v where v.organization_id = t.organization_id and v.object = ${values.add(typeOf(name))}
           and v.field = ${values.add(field)} and v.kind = 'id' and v.id_value = t.id)`
    await queueChanges(ctx, master, values, lost, 'DELETE')
  }
}

async function renameRecords(ctx: RequestContext, name: string): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from extensions.custom_record
     where organization_id = $1 and object = $2 and deleted_at is null limit ${renamedRecordsMax + 1}`,
    [ctx.caller.organizationId, name],
  )
  if (rows.length > renamedRecordsMax) {
    const message = `nameField can be changed while the object has at most ${renamedRecordsMax} records.`
    throw new Refusal('LIMIT_REACHED', message, { limit: renamedRecordsMax })
  }
  // With the name field that this transaction has set.
  const current = unrestricted(await withLatestExtensions(ctx))
  const definition = recordTypeIn(current, typeOf(name)) as RecordDefinition<CustomRecord>
  await changeAll(
    current,
    definition,
    rows.map((row) => row.id),
    () => ({}),
  )
}
