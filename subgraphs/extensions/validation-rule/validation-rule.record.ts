import { activeUsers, auditRecord } from '../../identity/public.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { uniqueViolation } from '../../kernel/record/unique-violation.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { extendedTypeProblems, isExtendedType, latestShapeOfType, unknownObject } from '../extended-type.ts'
import { published } from '../few-per-type.ts'
import { registerUse } from '../used-by.ts'
import { ruleFields } from './rule-fields.ts'
import { validationRuleEvents } from './validation-rule.events.ts'
import { ValidationRule } from './validation-rule.ts'

export const rulesMax = 100

const fewRules: SerializedRule<ValidationRule> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }, { entityType }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.validation_rule
       where organization_id = $1 and entity_type = $2 and deleted_at is null`,
      [caller.organizationId, entityType],
    )
    if (row!.count < rulesMax) return []
    const message = `A record type must have at most ${rulesMax} validation rules; delete one first.`
    return [{ path: 'entityType', code: 'TOO_MANY', message }]
  },
}

/** The index refuses it too, but the refusal of the index would name a rule of any record type with this name. */
const uniqueName: SerializedRule<ValidationRule> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && next.name !== previous?.name,
  async enforce(ctx, { id, organizationId, entityType, name }) {
    const [other] = await ctx.db.query(
      `select from extensions.validation_rule
       where organization_id = $1 and entity_type = $2 and name = $3 and id <> $4 and deleted_at is null`,
      [organizationId, entityType, name, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      validationRule,
      'name',
      (values) => `t.entity_type = ${values.add(entityType)} and t.name = ${values.add(name)}`,
    )
  },
}

/** The conditions and the field must fit the record type. */
async function ruleProblems(
  ctx: RequestContext,
  next: ValidationRule,
  previous: ValidationRule | null,
): Promise<FieldProblem[]> {
  const { entityType, conditions, logic, errorField, isActive } = next
  if (!isExtendedType(entityType)) return extendedTypeProblems('entityType', entityType)
  const shape = await latestShapeOfType(ctx, entityType)
  if (!shape) return [unknownObject('entityType')]
  // A rule that is turned off refuses nothing, so whoever must turn it off may.
  const fields = ruleFields(shape, isActive ? ctx.caller : null)
  const problems = conditionProblems({ conditions, logic }, fields)
  if (conditions.length === 0)
    problems.push({ path: 'conditions', code: 'EMPTY', message: 'conditions must have at least one condition.' })
  if (errorField !== null && errorField !== previous?.errorField && !fields.field(errorField)) {
    const message = `errorField must be the name of a field of the ${fields.of}.`
    problems.push({ path: 'errorField', code: 'UNKNOWN_FIELD', message })
  }
  return problems
}

export const validationRule: RecordDefinition<ValidationRule> = defineRecord(ValidationRule, {
  object: 'validation_rule',
  table: 'extensions.validation_rule',
  visibleBy: [],
  searchable: ['name', 'description'],
  references: { ownerId: activeUsers },
  unique: { validation_rule_name: 'name' },
  events: validationRuleEvents,
  isAdministrative: true,
  audit: auditRecord(
    'validation_rule',
    ({ entityType, name, description, isActive, appliesTo, conditions, logic, errorMessage, errorField }) => ({
      entityType,
      name,
      description,
      isActive,
      appliesTo,
      conditions,
      logic,
      errorMessage,
      errorField,
    }),
  ),
  checks: (ctx, next, previous) => (next.deletedAt ? Promise.resolve([]) : ruleProblems(ctx, next, previous)),
  serializedRules: [
    published,
    namedObjectsExist(({ entityType }) => [['entityType', entityType]]),
    uniqueName,
    fewRules,
  ],
})

registerUse({
  used: 'custom_object',
  user: 'validation_rule',
  sql: `select r.id, r.name from extensions.validation_rule r
    join extensions.custom_object o on o.organization_id = r.organization_id and 'custom:' || o.name = r.entity_type
    where o.organization_id = $1 and o.id = $2 and r.deleted_at is null order by r.created_at, r.id`,
})
