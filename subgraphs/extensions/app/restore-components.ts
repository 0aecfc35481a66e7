import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import type { MetadataContext } from '../../kernel/metadata/component.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { restoreObject } from '../custom-object/custom-object.actions.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { ComponentKey } from '../metadata/package.ts'

const fields = recordsOf(customField)

const namesOf = (keys: readonly ComponentKey[], wanted: string): string[] =>
  keys.flatMap(({ type, name }) => (type === wanted ? [name] : []))

/**
 * Restores the custom objects and fields that an app brought before and brings again. While deleted ones can be restored, their names are not free; and
 * records keep their values when an app is removed and installed again.
 */
export async function restoreComponents(ctx: MetadataContext, app: string, wanted: readonly ComponentKey[]) {
  const { organizationId } = ctx.caller
  const deletedOf = (table: string, name: string, names: readonly string[]) =>
    ctx.db.query<{ id: string }>(
      `select id from extensions.${table} where organization_id = $1 and managed_by = $2 and deleted_at is not null
         and ${name} = any($3::text[]) order by created_at, id`,
      [organizationId, app, names],
    )
  for (const { id } of await deletedOf('custom_object', 'name', namesOf(wanted, 'CUSTOM_OBJECT')))
    await restoreObject(await withLatestExtensions(ctx), id, null)
  const latest = await withLatestExtensions(ctx)
  for (const { id } of await deletedOf('field_definition', `entity || '.' || name`, namesOf(wanted, 'CUSTOM_FIELD')))
    await fields.restore(latest, id)
}
