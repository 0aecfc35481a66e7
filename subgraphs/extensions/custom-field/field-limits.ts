import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { isInIndex } from '../field-index/index-state.ts'
import {
  allCharactersMax,
  allFieldsMax,
  fieldsMax,
  formulasMax,
  indexedFieldsMax,
  lookupsMax,
  mastersMax,
  rollupsMax,
  trackedMax,
  valuesCharactersMax,
} from './bounds.ts'
import type { PicklistValue } from './custom-field.parts.ts'
import type { CustomField } from './custom-field.ts'
import { recordsOfEntity } from './field-entity.ts'
import { targetOf } from './type-change.ts'
import { picklists, references } from './types-of.ts'

type Rule = SerializedRule<CustomField>

const appears = (next: CustomField, previous: CustomField | null): boolean =>
  next.deletedAt === null && previous?.deletedAt !== null

/** A deleted field keeps its name, because records keep its values. */
export const nameIsFree: Rule = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }, { entity, name }) {
    const [other] = await db.query<{ id: string; name: string; isDeleted: boolean }>(
      `select id, name, deleted_at is not null as "isDeleted" from extensions.field_definition
       where organization_id = $1 and entity = $2 and lower(name) = lower($3)`,
      [caller.organizationId, entity, name],
    )
    if (!other) return []
    const what = other.isDeleted ? 'A deleted custom field, which can be restored,' : 'Another custom field'
    const message = `${what} of this record type has the name ${other.name}.`
    const errors = [{ path: 'name', code: 'NOT_UNIQUE', message, conflictingId: other.id }]
    throw new Refusal('UNIQUE_VIOLATION', message, { errors })
  },
}

const limitReached = (message: string, limit: number): Refusal => new Refusal('LIMIT_REACHED', message, { limit })

export const fewFields: Rule = {
  concerns: (_ctx, next, previous) => appears(next, previous),
  async enforce({ db, caller }, { entity }) {
    const [row] = await db.query<{ count: number; all: number }>(
      `select count(*) filter (where entity = $2)::int as count, count(*)::int as "all" from extensions.field_definition
       where organization_id = $1 and deleted_at is null`,
      [caller.organizationId, entity],
    )
    if (row!.count >= fieldsMax)
      throw limitReached(`A record type has at most ${fieldsMax} custom fields; delete one first.`, fieldsMax)
    if (row!.all < allFieldsMax) return []
    throw limitReached(`An organization has at most ${allFieldsMax} custom fields; delete one first.`, allFieldsMax)
  },
}

/** The fields of a type that a record type can have, of the types whose values cost more than the place in the record. */
const typeMax: Partial<Record<CustomField['fieldType'], number>> = {
  FORMULA: formulasMax,
  LOOKUP: lookupsMax,
  MASTER_DETAIL: mastersMax,
  ROLLUP_SUMMARY: rollupsMax,
}

export const fewOfType: Rule = {
  concerns: (_ctx, next, previous) => typeMax[next.fieldType] !== undefined && appears(next, previous),
  async enforce({ db, caller }, { entity, id, fieldType }) {
    const max = typeMax[fieldType]!
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.field_definition
       where organization_id = $1 and entity = $2 and id <> $3 and field_type = $4 and deleted_at is null`,
      [caller.organizationId, entity, id, fieldType],
    )
    if (row!.count < max) return []
    throw limitReached(`A record type has at most ${max} fields of the type ${fieldType}; delete one first.`, max)
  },
}

export const fewTracked: Rule = {
  concerns: (_ctx, next, previous) =>
    next.trackHistory && next.deletedAt === null && (appears(next, previous) || !previous!.trackHistory),
  async enforce({ db, caller }, { entity }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.field_definition
       where organization_id = $1 and entity = $2 and track_history and deleted_at is null`,
      [caller.organizationId, entity],
    )
    if (row!.count < trackedMax) return []
    throw limitReached(`At most ${trackedMax} custom fields of a record type keep their history.`, trackedMax)
  },
}

export const fewIndexedFields: Rule = {
  concerns: (_ctx, next, previous) =>
    !references.includes(next.fieldType) && isInIndex(next) && !(previous && isInIndex(previous)),
  async enforce({ db, caller }, { entity, id }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.field_definition
       where organization_id = $1 and entity = $2 and id <> $3 and (is_indexed or is_unique) and is_active and field_type <> all($4) and deleted_at is null`,
      [caller.organizationId, entity, id, references],
    )
    if (row!.count < indexedFieldsMax) return []
    const message = `A record type has at most ${indexedFieldsMax} indexed or unique custom fields; change another one first.`
    throw limitReached(message, indexedFieldsMax)
  },
}

const charactersOf = ({ picklistValues, dependentValues }: CustomField): number =>
  JSON.stringify([picklistValues, dependentValues]).length

export const valuesAreFew: Rule = {
  concerns: (_ctx, next, previous) =>
    next.deletedAt === null && (appears(next, previous) || charactersOf(next) > charactersOf(previous!)),
  async enforce({ db, caller }, next) {
    const [row] = await db.query<{ characters: number; all: number }>(
      `select coalesce(sum(n) filter (where entity = $2), 0)::float8 as characters, coalesce(sum(n), 0)::float8 as "all"
       from (select entity, length(picklist_values::text) + coalesce(length(dependent_values::text), 0) as n
         from extensions.field_definition where organization_id = $1 and id <> $3 and deleted_at is null) f`,
      [caller.organizationId, next.entity, next.id],
    )
    const what = 'picklistValues and dependentValues of the fields of'
    if (row!.characters + charactersOf(next) > valuesCharactersMax) {
      const message = `${what} a record type have at most ${valuesCharactersMax} characters together, as JSON.`
      throw limitReached(message, valuesCharactersMax)
    }
    if (row!.all + charactersOf(next) <= allCharactersMax) return []
    const message = `${what} an organization have at most ${allCharactersMax} characters together, as JSON.`
    throw limitReached(message, allCharactersMax)
  },
}

interface Controlling extends Record<string, unknown> {
  readonly name: string
  readonly controllingField: string | null
  readonly values: readonly PicklistValue[]
}

/** The controlling field is another PICKLIST of the record type, and no field controls itself through others. */
export const controllingFieldExists: Rule = {
  concerns: (_ctx, next, previous) =>
    next.deletedAt === null &&
    next.controllingField !== null &&
    (appears(next, previous) ||
      next.controllingField !== previous!.controllingField ||
      !isSameValue(next.dependentValues, previous!.dependentValues)),
  async enforce({ db, caller }, { entity, name, controllingField, dependentValues }) {
    const rows = await db.query<Controlling>(
      `select name, controlling_field as "controllingField", picklist_values as values from extensions.field_definition
       where organization_id = $1 and entity = $2 and field_type = 'PICKLIST' and deleted_at is null`,
      [caller.organizationId, entity],
    )
    const byName = new Map(rows.map((row) => [row.name, row]))
    const controlling = byName.get(controllingField!)
    const refused = (path: string, code: string, message: string): FieldProblem[] => [{ path, code, message }]
    if (!controlling) {
      const message = 'controllingField must be the name of a PICKLIST of the same record type.'
      return refused('controllingField', 'UNKNOWN_REFERENCE', message)
    }
    for (
      let above: string | null = controllingField;
      above !== null;
      above = byName.get(above)?.controllingField ?? null
    )
      if (above === name)
        return refused('controllingField', 'CIRCULAR', 'A field must not control itself through others.')
    const known = new Set(controlling.values.map(({ value }) => value))
    const unknown = Object.keys(dependentValues!).find((value) => !known.has(value))
    if (unknown === undefined) return []
    const path = `dependentValues.${unknown}`
    return refused(path, 'NOT_ALLOWED', `${path} must be named by a value of ${controllingField!}.`)
  },
}

/** The rule for what the definition will be when the values of records have been checked. */
export const onTarget = ({ concerns, enforce }: Rule): Rule => ({
  concerns: (ctx, next, previous) => concerns(ctx, targetOf(next), previous),
  enforce: (ctx, next, previous) => enforce(ctx, targetOf(next), previous),
})

const shownMax = 20

/** The values that the change removes. */
const removedOf = (next: CustomField, previous: CustomField): string[] => {
  const kept = new Set(next.picklistValues.map(({ value }) => value))
  return previous.picklistValues.map(({ value }) => value).filter((value) => !kept.has(value))
}

/** A value that allows values of another field is not removed under it: what it allows would be found again when that field changes, and refused. */
export const removedValuesAreUncontrolling: Rule = {
  concerns: (_ctx, next, previous) =>
    previous !== null && next.deletedAt === null && removedOf(next, previous).length > 0,
  async enforce({ db, caller }, next, previous) {
    const usedBy = await db.query<{ object: string; id: string; name: string }>(
      `select 'custom_field' as object, id, name from extensions.field_definition
       where organization_id = $1 and entity = $2 and deleted_at is null
         and ((controlling_field = $3 and dependent_values ?| $4::text[])
           or (pending ->> 'controllingField' = $3 and pending -> 'dependentValues' ?| $4::text[]))
       order by created_at, id limit ${shownMax}`,
      [caller.organizationId, next.entity, next.name, removedOf(next, previous!)],
    )
    if (usedBy.length === 0) return []
    const message = 'Values that dependentValues of other fields name are not removed; change those fields first.'
    throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
  },
}

export const removedValuesAreUnused: Rule = {
  concerns: (_ctx, next, previous) =>
    previous !== null &&
    next.deletedAt === null &&
    picklists.includes(next.fieldType) &&
    removedOf(next, previous).length > 0,
  async enforce({ db, caller }, next, previous) {
    const { entity, name } = next
    // A field that becomes a MULTI_PICKLIST has single values in its records.
    const held = previous!.fieldType === 'PICKLIST' ? 'to_jsonb(value)' : 'jsonb_build_array(value)'
    const values = new Values()
    const { table, condition } = recordsOfEntity(entity, values)
    const rows = await db.query<{ value: string }>(
      `select value from unnest(${values.add(removedOf(next, previous!))}::text[]) as value
       where exists (select from ${table} t where t.organization_id = ${values.add(caller.organizationId)} and t.deleted_at is null
         and ${condition} and t.custom_fields @> jsonb_build_object(${values.add(name)}::text, ${held})) limit ${shownMax}`,
      values.list,
    )
    if (rows.length === 0) return []
    const kept = rows.map(({ value }) => value)
    const message = `Records have ${kept.join(', ')}; make these values inactive instead of removing them.`
    throw new Refusal('HAS_DEPENDENTS', message, { values: kept })
  },
}
