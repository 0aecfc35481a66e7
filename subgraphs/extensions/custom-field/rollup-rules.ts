import { Refusal } from '../../kernel/errors.ts'
import { concernsDefinitions } from '../../kernel/extension/current-extensions.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { RecordShape, SerializedRule } from '../../kernel/record/definition.ts'
import { customColumns } from '../../kernel/record/formula-columns.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { recordNamed, recordTypeNames } from '../../kernel/record/record-registry.ts'
import { compileRollup, relationsTo, rollupProblems, type Rollup } from '../../kernel/record/rollup/rollup.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectProblems } from '../custom-object/named-objects.ts'
import { registerUse } from '../used-by.ts'
import type { RollupConfig } from './custom-field.parts.ts'
import type { CustomField } from './custom-field.ts'
import { builtInShapeOf } from './field-entity.ts'
import { definitionOf, objectOf, rollupOf, type StoredField } from './field-definition.ts'
import { fieldsOfType } from './formula-rules.ts'
import { targetOf } from './type-change.ts'

type Rule = SerializedRule<CustomField>
type RollupField = StoredField & { readonly rollupConfig: RollupConfig }

/** Every write of these records is decided with the latest definitions, so none misses a rollup. */
const isRolledUpType = (shape: RecordShape): boolean =>
  concernsDefinitions(shape) && shape.privateUnless === undefined && shape.objectColumn === undefined

/** The record types of the platform that refer to the record type, as `entity` names them. */
const childrenOf = (parent: string): string[] =>
  recordTypeNames().flatMap((object) => {
    const shape = recordNamed(object)!
    return isRolledUpType(shape) && relationsTo(shape, parent).length > 0 ? [object.toUpperCase()] : []
  })

/** The record type whose records a rollup can aggregate, without rollups of its own; null for none. */
async function childShape(ctx: RequestContext, entity: string, rollupId: string): Promise<RecordShape | null> {
  const isKnown =
    customObjectName(entity) === null
      ? entity === entity.toUpperCase() && recordTypeNames().some((object) => object === objectOf(entity))
      : (await namedObjectProblems(ctx, [['rollupConfig.childObject', entity]])).length === 0
  if (!isKnown) return null
  const fields = (await fieldsOfType(ctx, entity)).filter(({ id }) => id !== rollupId)
  const shape = shapeWith(entity, fields)
  return customObjectName(entity) !== null || isRolledUpType(shape) ? shape : null
}

/** The record type of an entity with these custom fields, without rollups. */
function shapeWith(entity: string, fields: readonly StoredField[]): RecordShape {
  const shape = customObjectName(entity) === null ? recordNamed(objectOf(entity))! : builtInShapeOf(entity)
  const active = fields.filter(({ isActive }) => isActive).map(definitionOf)
  return { ...shape, columns: shape.columns.withCustomFields(customColumns(shape, active)) }
}

/** Rollups of the fields of an object itself are deleted with it. */
registerUse({
  used: 'custom_object',
  user: 'custom_field',
  sql: `select f.id, f.name, f.entity from extensions.field_definition f
    join extensions.custom_object o on o.organization_id = f.organization_id and o.id = $2
    where f.organization_id = $1 and f.rollup_config is not null and f.rollup_config ->> 'childObject' = 'custom:' || o.name
      and f.entity <> 'custom:' || o.name and f.deleted_at is null
      and (f.entity not like 'custom:%' or exists (select from extensions.custom_object p
        where p.organization_id = $1 and 'custom:' || p.name = f.entity and p.deleted_at is null))`,
})

/** What the rollup names exists: when it is added, and when it is in use again. */
export const rollupsAreValid: Rule = {
  concerns: (_ctx, { rollupConfig, isActive, deletedAt }, previous) =>
    rollupConfig !== null &&
    deletedAt === null &&
    isActive &&
    (previous === null ||
      previous.deletedAt !== null ||
      !previous.isActive ||
      !isSameValue(rollupConfig, previous.rollupConfig)),
  async enforce(ctx, next, previous) {
    const rollupConfig = next.rollupConfig!
    const parent = objectOf(next.entity)
    const { childObject } = rollupConfig
    const shape = await childShape(ctx, childObject, next.id)
    if (!shape || relationsTo(shape, parent).length === 0) {
      const lookup = `a record type with a LOOKUP to ${next.entity}`
      const children = childrenOf(parent)
      const allowed = children.length > 0 ? `one of ${children.join(', ')}, or ${lookup}` : lookup
      const message = `rollupConfig.childObject of a field of ${next.entity} must be ${allowed}.`
      return [{ path: 'rollupConfig.childObject', code: 'NOT_ALLOWED', message }]
    }
    const problems = rollupProblems(rollupOf({ ...next, rollupConfig }), shape, parent, 'rollupConfig')
    if (problems.length === 0 && previous?.rollupConfig) {
      const before = compileRollup(rollupOf({ ...previous, rollupConfig: previous.rollupConfig }), shape, parent)
      const after = compileRollup(rollupOf({ ...next, rollupConfig }), shape, parent)
      if (before && before.kind !== after!.kind) {
        const message = 'rollupConfig must not make a number of a date, nor a date of a number; add another field.'
        return [{ path: 'rollupConfig.field', code: 'NOT_ALLOWED', message }]
      }
    }
    const relation = shape.columns.byName.get(rollupConfig.relationField)
    if (problems.length > 0 || relation?.key === undefined || relation.valueIndex?.isReady) return problems
    // Until then, the records of each parent would be looked for among all.
    const message = `The index of ${relation.name} is being built; add the rollup when the state of that field is READY.`
    throw refusalInSituation(message, { state: 'BUILDING' })
  },
}

/** The live rollups over records of the entity. */
function rollupsOver({ db, caller }: RequestContext, entity: string): Promise<RollupField[]> {
  return db.query<RollupField & Record<string, unknown>>(
    `select id, entity, name, rollup_config as "rollupConfig", has_totals as "hasTotals" from extensions.field_definition
     where organization_id = $1 and rollup_config ->> 'childObject' = $2 and rollup_config is not null and is_active and deleted_at is null
     order by created_at, id`,
    [caller.organizationId, entity],
  )
}

const compiled = (field: RollupField, shape: RecordShape): Rollup | null =>
  compileRollup(rollupOf(field), shape, objectOf(field.entity))

const reads = ({ columns }: Rollup, name: string): boolean =>
  columns.some((column) => column.name === name || column.derivedFrom?.includes(name))

/** The active rollups that read the custom field of the entity, also through formulas. */
export async function rollupsWith(ctx: RequestContext, entity: string, name: string): Promise<RollupField[]> {
  const rollups = await rollupsOver(ctx, entity)
  if (rollups.length === 0) return []
  const shape = shapeWith(entity, await fieldsOfType(ctx, entity))
  return rollups.filter((field) => {
    const rollup = compiled(field, shape)
    return rollup !== null && reads(rollup, customFieldName(name))
  })
}

/** What the value of a field is for records that are not written, and how conditions compare it. What a change of its type will make of it counts. */
function meaningOf(field: CustomField): string {
  const { fieldType, formulaConfig, isActive, deletedAt, defaultValue } = targetOf(field)
  const { kind, format } = definitionOf(targetOf(field))
  const absent = fieldType === 'CHECKBOX' ? defaultValue : null
  return JSON.stringify([kind, format === 'EMAIL', formulaConfig, isActive, deletedAt !== null, absent])
}

/**
 * The fields that rollups read stay what they are: a change of what they mean for records, without a write of these, would make totals wrong. A rollup
 * that could no longer be evaluated with the change is named, too.
 */
export const rollupsKeepTheirFields: Rule = {
  concerns: (_ctx, next, previous) => previous !== null && previous.deletedAt === null && next.rollupConfig === null,
  async enforce(ctx, next, previous) {
    const rollups = await rollupsOver(ctx, next.entity)
    if (rollups.length === 0) return []
    const fields = await fieldsOfType(ctx, next.entity)
    const others = fields.filter(({ id }) => id !== next.id)
    const [before, after] = [
      shapeWith(next.entity, [...others, previous!]),
      shapeWith(next.entity, next.deletedAt === null ? [...others, next] : others),
    ]
    const isChanged = meaningOf(next) !== meaningOf(previous!)
    const broken = rollups.filter((field) => {
      const rollup = compiled(field, before)
      if (!rollup) return false
      return (isChanged && reads(rollup, customFieldName(next.name))) || !compiled(field, after)
    })
    if (broken.length === 0) return []
    const message = 'Rollups read the field, and its values for records that exist would change; delete them first.'
    const usedBy = broken.map(({ id, name }) => ({ object: 'custom_field', id, name }))
    throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
  },
}
