import { Refusal } from '../../kernel/errors.ts'
import { concernsDefinitions } from '../../kernel/extension/current-extensions.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { RecordShape, SerializedRule } from '../../kernel/record/definition.ts'
import { customColumns } from '../../kernel/record/formula-columns.ts'
import { recordNamed, recordTypeNames } from '../../kernel/record/record-registry.ts'
import { compileRollup, relationsTo, rollupProblems, type Rollup } from '../../kernel/record/rollup/rollup.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { rollupsMax } from './bounds.ts'
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

/** The types of records that rollups of the record type can aggregate, as `entity` names them. */
const childrenOf = (parent: string): string[] =>
  recordTypeNames().flatMap((object) => {
    const shape = recordNamed(object)!
    return isRolledUpType(shape) && relationsTo(shape, parent).length > 0 ? [object.toUpperCase()] : []
  })

/** The record type of an entity with these custom fields, without rollups. */
function shapeWith(entity: string, fields: readonly StoredField[]): RecordShape {
  const shape = customObjectName(entity) === null ? recordNamed(objectOf(entity))! : builtInShapeOf(entity)
  const active = fields.filter(({ isActive }) => isActive).map(definitionOf)
  return { ...shape, columns: shape.columns.withCustomFields(customColumns(shape, active)) }
}

export const rollupsAreFew: Rule = {
  concerns: (_ctx, next, previous) =>
    next.rollupConfig !== null && next.deletedAt === null && previous?.deletedAt !== null,
  async enforce(ctx, { id, entity }) {
    const others = (await fieldsOfType(ctx, entity)).filter((field) => field.id !== id && field.rollupConfig)
    if (others.length < rollupsMax) return []
    const message = `A record type has at most ${rollupsMax} fields of the type ROLLUP_SUMMARY; delete one first.`
    throw new Refusal('LIMIT_REACHED', message, { limit: rollupsMax })
  },
}

/** What the rollup names exists: when it is added, and when it is in use again. */
export const rollupsAreValid: Rule = {
  concerns: (_ctx, { rollupConfig, isActive, deletedAt }, previous) =>
    rollupConfig !== null &&
    deletedAt === null &&
    isActive &&
    (previous === null || previous.deletedAt !== null || !previous.isActive),
  async enforce(ctx, next) {
    const rollupConfig = next.rollupConfig!
    const { childObject } = rollupConfig
    const children = childrenOf(objectOf(next.entity))
    if (!children.includes(childObject)) {
      const allowed =
        children.length > 0 ? `one of ${children.join(', ')}` : 'a record type that refers to it; there is none'
      const message = `rollupConfig.childObject of a field of ${next.entity} must be ${allowed}.`
      return [{ path: 'rollupConfig.childObject', code: 'NOT_ALLOWED', message }]
    }
    const fields = (await fieldsOfType(ctx, childObject)).filter(({ id }) => id !== next.id)
    const shape = shapeWith(childObject, fields)
    return rollupProblems(rollupOf({ ...next, rollupConfig }), shape, objectOf(next.entity), 'rollupConfig')
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
