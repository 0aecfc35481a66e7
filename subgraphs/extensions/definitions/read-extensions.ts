import type {
  ExtendedShape,
  ExtensionReader,
  Extensions,
  RecordHooks,
  RecordRules,
} from '../../kernel/extension/extension.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isMaster } from '../../kernel/record/lookup/lookup.ts'
import type { DuplicateRuleDefinition } from '../../kernel/record/duplicates/duplicate-rules.ts'
import type { OrganizationDefinitions } from '../../kernel/record/organization-definitions.ts'
import { bytesOfShapes, DefinedShapes } from '../../kernel/record/organization-shapes.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { definitionOf, type StoredField } from '../custom-field/field-definition.ts'
import { customObject, customObjectName } from '../../kernel/record/custom-object.ts'
import { customRecordOf, type StoredObject } from '../custom-record/custom-record.record.ts'
import { CompiledHooks } from '../hook/compiled-hooks.ts'
import type { StoredHook } from '../hook/stored-hook.ts'
import { CompiledRules, type StoredRule } from '../validation-rule/compiled-rules.ts'

type Typed<T> = T & { readonly objectType: string }

/** Measured: the functions and parsed parts of one compiled rule of three conditions. */
const ruleBytes = 4_000

/** The definitions of each record type, compiled when it is first written. */
class ByShape<T, Compiled> {
  readonly #stored = new Map<string, readonly T[]>()
  readonly #compiled = new WeakMap<ExtendedShape, Compiled>()

  constructor(
    stored: readonly Typed<T>[],
    private readonly compile: (shape: RecordShape, stored: readonly T[]) => Compiled,
  ) {
    for (const [type, each] of Map.groupBy(stored, ({ objectType }) => objectType))
      this.#stored.set(type.toLowerCase(), each)
  }

  of(shape: ExtendedShape): Compiled | null {
    const stored = this.#stored.get(shape.object)
    if (!stored) return null
    let compiled = this.#compiled.get(shape)
    if (!compiled) this.#compiled.set(shape, (compiled = this.compile(shape as RecordShape, stored)))
    return compiled
  }
}

/** One version of what an organization has defined. */
class OrganizationExtensions implements Extensions {
  readonly version: number
  readonly bytes: number
  readonly shapes: OrganizationShapes | null
  readonly hasHooks: boolean
  readonly #rules: ByShape<StoredRule, RecordRules>
  readonly #hooks: ByShape<StoredHook, RecordHooks>

  constructor(row: Row) {
    const { version, fields, hasObjects, rules, hooks, duplicateRules } = row
    this.version = version
    const isDefined = fields.length > 0 || hasObjects || duplicateRules.length > 0
    const definitions = isDefined ? definitionsOf(row) : null
    this.shapes = definitions && new DefinedShapes(definitions)
    this.bytes = 1_000 + rules.length * ruleBytes + 2 * JSON.stringify([rules, hooks]).length
    if (definitions) this.bytes += bytesOfShapes(definitions)
    this.hasHooks = hooks.length > 0
    this.#rules = new ByShape(rules, (shape, stored) => new CompiledRules(shape, stored))
    this.#hooks = new ByShape(hooks, (shape, stored) => new CompiledHooks(shape, stored))
  }

  rulesFor(shape: ExtendedShape): RecordRules | null {
    return this.#rules.of(shape)
  }

  hooksFor(shape: ExtendedShape): RecordHooks | null {
    return this.#hooks.of(shape)
  }
}

type ReadField = StoredField & { readonly isDeleted: boolean }

const objectOf = ({ entity }: StoredField): string => entity.toLowerCase()

/**
 * The active fields by record type, and the custom objects. A record type whose fields are all inactive is named, too: its keys are not free, as are those
 * of a custom object without fields.
 */
function definitionsOf({ version, fields, objects, duplicateRules }: Row): OrganizationDefinitions {
  const byEntity = Map.groupBy(
    fields.filter(({ isDeleted }) => !isDeleted),
    objectOf,
  )
  const unused = fields.filter((field) => field.fieldType === 'FORMULA' && (field.isDeleted || !field.isActive))
  const named = new Map(objects.map((object) => [customObject(object.name), object]))
  const entities = [...byEntity.keys()].filter((entity) => customObjectName(entity) === null)
  const customFields = Object.fromEntries(
    [...entities, ...named.keys()].map((entity) => [
      entity,
      (byEntity.get(entity) ?? []).filter(({ isActive }) => isActive).map(definitionOf),
    ]),
  )
  const unusedFormulas = Object.fromEntries(
    [...Map.groupBy(unused, objectOf)].map(([object, own]) => [object, own.map(({ name }) => name)]),
  )
  const shapes = [...named].map(([object, stored]) => {
    const isDetail = customFields[object]!.some(isMaster)
    return [object, customRecordOf({ ...stored, isDetail })] as const
  })
  return {
    version,
    customFields,
    unusedFormulas,
    objects: Object.fromEntries(shapes),
    duplicateRules: Object.fromEntries(Map.groupBy(duplicateRules, ({ objectType }) => objectType)),
  }
}

interface Row {
  readonly version: number
  readonly fields: readonly ReadField[]
  readonly objects: readonly StoredObject[]
  /** Also deleted ones: whoever still knows one must learn that it is gone. */
  readonly hasObjects: boolean
  readonly rules: readonly Typed<StoredRule>[]
  readonly hooks: readonly Typed<StoredHook>[]
  readonly duplicateRules: readonly Typed<DuplicateRuleDefinition>[]
}

/** The version, the fields in their order and deleted formulas, whose values records keep, the custom objects, the active rules in the order of their creation, and the active hooks by their position. */
export const readOrganizationExtensions: ExtensionReader = async (sql, organizationId) => {
  const [row] = await sql.query<Row & Record<string, unknown>>(
    `select v.version::float8 as version, coalesce((
       select jsonb_agg(jsonb_build_object('id', f.id, 'entity', f.entity, 'name', f.name, 'label', f.label, 'fieldType', f.field_type,
         'description', f.description, 'isRequired', f.is_required, 'isActive', f.is_active, 'isSearchable', f.is_searchable,
         'isIndexed', f.is_indexed, 'isUnique', f.is_unique, 'hasIndex', f.has_index, 'hasValues', f.has_values,
         'defaultValue', f.default_value, 'picklistValues', f.picklist_values, 'controllingField', f.controlling_field,
         'dependentValues', f.dependent_values, 'pattern', f.pattern, 'precision', f.precision, 'maxLength', f.max_length,
         'minValue', f.min_value, 'maxValue', f.max_value, 'trackHistory', f.track_history, 'pending', f.pending, 'aliases', f.aliases,
         'formulaConfig', f.formula_config, 'rollupConfig', f.rollup_config, 'hasTotals', f.has_totals,
         'lookupEntity', f.lookup_entity, 'lookupObject', f.lookup_object, 'lookupDeleteBehavior', f.lookup_delete_behavior,
         'isReparentable', f.is_reparentable, 'isDeleted', f.deleted_at is not null) order by f.sort_order, f.created_at, f.id)
       from extensions.field_definition f
       where f.organization_id = v.organization_id and (f.deleted_at is null or f.field_type = 'FORMULA')), '[]') as fields, coalesce((
       select jsonb_agg(jsonb_build_object('name', o.name, 'label', o.label, 'nameField', o.name_field,
         'formerNameFields', o.former_name_fields) order by o.name)
       from extensions.custom_object o
       where o.organization_id = v.organization_id and o.deleted_at is null), '[]') as objects,
       exists (select from extensions.custom_object o where o.organization_id = v.organization_id) as "hasObjects", coalesce((
       select jsonb_agg(jsonb_build_object('objectType', r.entity_type, 'name', r.name, 'appliesTo', r.applies_to,
         'conditions', r.conditions, 'logic', r.logic, 'errorMessage', r.error_message, 'errorField', r.error_field)
         order by r.created_at, r.id)
       from extensions.validation_rule r
       where r.organization_id = v.organization_id and r.is_active and r.deleted_at is null), '[]') as rules, coalesce((
       select jsonb_agg(jsonb_build_object('objectType', h.object_type, 'id', h.id, 'name', h.name,
         'operations', h.operations, 'url', h.url, 'function', h.function, 'timeoutMs', h.timeout_ms,
         'failureMode', h.failure_mode, 'sealedSecret', h.sealed_secret,
         'sealedPreviousSecret', h.sealed_previous_secret, 'previousSecretExpiresAt', h.previous_secret_expires_at,
         'managedBy', h.managed_by)
         order by h.position, h.created_at, h.id)
       from extensions.before_save_hook h
       where h.organization_id = v.organization_id and h.is_active and h.deleted_at is null), '[]') as hooks, coalesce((
       select jsonb_agg(jsonb_build_object('objectType', d.object, 'name', d.name, 'matchers', d.matchers, 'logic', d.logic,
         'action', d.action) order by d.created_at, d.id)
       from extensions.duplicate_rule d
       where d.organization_id = v.organization_id and d.is_active and d.deleted_at is null), '[]') as "duplicateRules"
     from kernel.definition_version v where v.organization_id = $1`,
    [organizationId],
  )
  return row ? new OrganizationExtensions(row) : null
}
