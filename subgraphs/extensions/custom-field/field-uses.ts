import { Refusal } from '../../kernel/errors.ts'
import { fieldUseSources } from '../../kernel/extension/field-uses.ts'
import { customObjectEvents, customObjectName } from '../../kernel/record/custom-object.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { nameTypes } from '../custom-object/custom-object.rules.ts'
import type { CustomField } from './custom-field.ts'
import { fieldsOfOrganization, formulasWith, liveFormulas, storedUsesOf } from './formula-rules.ts'
import { rollupsWith } from './rollup-rules.ts'
import { changesForm, targetOf } from './type-change.ts'

export const usesMax = 20

/** `select object, id, name` of what names the field `$3` of the record type `$2`, or the whole path `$4`, a regular expression; with `$5` also where live formulas may be: in validation rules, layouts, pages and texts of flows. */
const usesSql = `
  select 'custom_field' as object, f.id, f.name from extensions.field_definition f
    where f.organization_id = $1 and f.entity = $2 and f.deleted_at is null
      and $3 in (f.controlling_field, f.pending ->> 'controllingField')
  union all
  select 'custom_object', o.id, o.name from extensions.custom_object o
    where o.organization_id = $1 and 'custom:' || o.name = $2 and o.name_field = $3
  union all
  select 'validation_rule', r.id, r.name from extensions.validation_rule r
    where r.organization_id = $1 and r.entity_type = $2 and r.deleted_at is null and $5
      and concat(r.conditions, ' ', r.error_field) ~ $4
  union all
  select 'duplicate_rule', d.id, d.name from extensions.duplicate_rule d
    where d.organization_id = $1 and d.object = $6 and d.deleted_at is null and d.matchers::text ~ $4
  union all
  select 'layout', l.id, l.name from extensions.layout l
    where l.organization_id = $1 and l.object_type = $2 and l.deleted_at is null and $5 and l.config::text ~ $4
  union all
  select 'page', p.id, p.label from extensions.page p
    where p.organization_id = $1 and p.deleted_at is null and $5 and $2 || ' customFields.' || $3 = any(p.names)
  union all
  select 'after_save_trigger', t.id, t.name from extensions.after_save_trigger t
    where t.organization_id = $1 and t.object_type = $2 and t.deleted_at is null and t.conditions::text ~ $4
  union all
  select 'workflow', w.id, w.name from extensions.workflow w
    where w.organization_id = $1 and w.deleted_at is null
      and (w.trigger_entity = $2 and concat(w.trigger_config, ' ', w.conditions, ' ', w.steps) ~ $4 or exists (
        select from jsonb_array_elements(w.steps) s where coalesce(s->'config'->>'object', w.trigger_entity) = $2
          and jsonb_exists(s->'config'->'values'->'customFields', $3)))
  union all
  select 'flow', fl.id, fl.label from extensions.flow fl
    where fl.organization_id = $1 and fl.deleted_at is null and exists (
      select from jsonb_array_elements(fl.elements) e where e->'config'->>'object' = $2
        and (jsonb_exists(e->'config'->'values'->'customFields', $3) or jsonb_exists(e->'config'->'filter'->'customFields', $3)
          or $5 and fl.elements::text ~ $4))
  limit ${usesMax}`

interface Use extends Record<string, unknown> {
  readonly object: string
  readonly id: string
  readonly name: string
}

/** The record type of the entity of a field: `account`, `custom:site_visit`. */
export const recordTypeOf = (entity: string): string =>
  customObjectName(entity) === null ? entity.toLowerCase() : entity

/** What names a custom field: at most 20. Without `mayBeLive` only what cannot have the values of live formulas. */
export async function usesOf(ctx: RequestContext, entity: string, name: string, mayBeLive = true): Promise<Use[]> {
  const { db, caller } = ctx
  // A name has letters, digits and underscores only.
  const path = String.raw`customFields\.${name}($|[^A-Za-z0-9_])`
  const { organizationId } = caller
  const formulas = formulasWith(await fieldsOfOrganization(ctx), { entity, name })
  const uses: Use[] = formulas.map((field) => ({ object: 'custom_field', id: field.id, name: field.name }))
  const rollups = await rollupsWith(ctx, entity, name)
  uses.push(...rollups.map((field) => ({ object: 'custom_field', id: field.id, name: field.name })))
  uses.push(...(await db.query<Use>(usesSql, [organizationId, entity, name, path, mayBeLive, recordTypeOf(entity)])))
  const objectName = customObjectName(entity)
  const prefix = objectName === null ? recordTypeOf(entity) : customObjectEvents(objectName)
  for (const { user, sql } of fieldUseSources()) {
    if (uses.length >= usesMax) break
    const rows = await db.query<{ id: string; name: string }>(`${sql} limit ${usesMax}`, [organizationId, prefix, path])
    uses.push(...rows.map(({ id, name: shown }) => ({ object: user, id, name: shown })))
  }
  return uses.slice(0, usesMax)
}

/** The name field of an object keeps a type that names of records can have. A deleted object can be restored. */
export const keepsNameType: SerializedRule<CustomField> = {
  concerns: (_ctx, next, previous) => {
    const { entity, deletedAt, fieldType } = targetOf(next)
    const isChanged = previous !== null && deletedAt === null && fieldType !== targetOf(previous).fieldType
    return isChanged && customObjectName(entity) !== null && !nameTypes.includes(fieldType)
  },
  async enforce({ db, caller }, { entity, name }) {
    const found = await db.query(
      `select from extensions.custom_object where organization_id = $1 and name = $2 and name_field = $3`,
      [caller.organizationId, customObjectName(entity), name],
    )
    if (found.length === 0) return []
    const message = `The name field of an object must be a ${nameTypes.join(', ')}; give the object another nameField first.`
    return [{ path: 'fieldType', code: 'NOT_ALLOWED', message }]
  },
}

/** A field that something of the organization names is neither deleted under it nor gets values of another form. */
export const isUnused: SerializedRule<CustomField> = {
  concerns: (_ctx, next, previous) => previous !== null && (next.deletedAt !== null || changesForm(next, previous)),
  async enforce(ctx, { entity, name }) {
    const usedBy = await usesOf(ctx, entity, name)
    if (usedBy.length === 0) return []
    const message = 'The field is still used; change or delete first what uses it.'
    throw new Refusal('HAS_DEPENDENTS', message, { usedBy: usedBy.slice(0, usesMax) })
  },
}

/**
 * Conditions other than those of validation rules have no values that follow from other records or the time, so a formula that something names does not begin to read them: by its own
 * expression, by that of a formula that it reads, or because it comes into use.
 */
export const liveIsUnused: SerializedRule<CustomField> = {
  concerns: (_ctx, next, previous) =>
    next.fieldType === 'FORMULA' &&
    next.isActive &&
    next.deletedAt === null &&
    (previous === null ||
      previous.deletedAt !== null ||
      !previous.isActive ||
      next.formulaConfig?.expression !== previous.formulaConfig?.expression),
  async enforce(ctx, next) {
    const stored = await fieldsOfOrganization(ctx)
    const after = liveFormulas([...stored.filter(({ id }) => id !== next.id), next])
    // Others become such formulas only by reading this one.
    if (!after.some(({ id }) => id === next.id)) return []
    const before = new Set(liveFormulas(stored).map(({ id }) => id))
    const usedBy: Use[] = []
    for (const field of after) {
      const { id, entity, name } = field
      if (usedBy.length >= usesMax) break
      if (before.has(id)) continue
      if (storedUsesOf(field).length > 0 && id !== next.id) usedBy.push({ object: 'custom_field', id, name })
      usedBy.push(...(await usesOf(ctx, entity, name, false)).filter(({ object }) => object !== 'custom_field'))
    }
    if (usedBy.length === 0) return []
    const message =
      'The formula, or one that reads it, is used where the fields of the record itself are known only; change first what uses it.'
    throw new Refusal('HAS_DEPENDENTS', message, { usedBy: usedBy.slice(0, usesMax) })
  },
}
