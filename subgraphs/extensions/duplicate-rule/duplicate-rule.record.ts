import { activeUsers, auditRecord } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { isDerived, type Column } from '../../kernel/record/column.ts'
import type { ColumnKind } from '../../kernel/record/column-kind.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import {
  defineRecord,
  type RecordDefinition,
  type RecordShape,
  type SerializedRule,
} from '../../kernel/record/definition.ts'
import { keyField } from '../../kernel/record/duplicates/duplicate-rules.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { uniqueViolation } from '../../kernel/record/unique-violation.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { latestShapeOfType, type ExtendedType } from '../extended-type.ts'
import { published } from '../few-per-type.ts'
import { registerUse } from '../used-by.ts'
import { duplicateRuleEvents } from './duplicate-rule.events.ts'
import { duplicateKeys } from './duplicate-rule.migrations.ts'
import { builtInObjects, DuplicateRule, type DuplicateMatcher } from './duplicate-rule.ts'

export const duplicateRulesMax = 10

const keysOf = (rule: DuplicateRule | null): string[] =>
  rule?.isActive && rule.deletedAt === null ? [...new Set(rule.matchers.map(keyField))].toSorted() : []

const changesKeys = (next: DuplicateRule, previous: DuplicateRule | null): boolean =>
  JSON.stringify(keysOf(next)) !== JSON.stringify(keysOf(previous))

const fewRules: SerializedRule<DuplicateRule> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }, { object }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.duplicate_rule
       where organization_id = $1 and object = $2 and deleted_at is null`,
      [caller.organizationId, object],
    )
    if (row!.count < duplicateRulesMax) return []
    const message = `A record type must have at most ${duplicateRulesMax} rules of duplicates; delete one first.`
    return [{ path: 'object', code: 'TOO_MANY', message }]
  },
}

/** The index refuses it too, but the refusal of the index would name a rule of any record type with this name. */
const uniqueName: SerializedRule<DuplicateRule> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && next.name !== previous?.name,
  async enforce(ctx, { id, organizationId, object, name }) {
    const [other] = await ctx.db.query(
      `select from extensions.duplicate_rule
       where organization_id = $1 and object = $2 and name = $3 and id <> $4 and deleted_at is null`,
      [organizationId, object, name, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      duplicateRule,
      'name',
      (values) => `t.object = ${values.add(object)} and t.name = ${values.add(name)}`,
    )
  },
}

/** Queues that older records get the keys of the rule, and lose those that no rule has any more. */
const queuesKeys: SerializedRule<DuplicateRule> = {
  concerns: (_ctx, next, previous) => changesKeys(next, previous),
  async enforce({ db, caller }, next, previous) {
    await db.query(
      `insert into ${duplicateKeys.table} (organization_id, id, rule_id, object, fields) values ($1, $2, $3, $4, $5)`,
      [caller.organizationId, newId(), next.id, next.object, keysOf(previous)],
      'WRITE',
    )
    return []
  },
}

const exactKinds: ReadonlySet<ColumnKind> = new Set(['text', 'enum', 'id', 'date', 'integer', 'money'])

function matcherProblem(
  { caller }: RequestContext,
  shape: RecordShape,
  path: string,
  { field, method }: DuplicateMatcher,
): FieldProblem | null {
  const problem = (code: string, message: string): FieldProblem => ({ path: `${path}.field`, code, message })
  const column: Column | undefined = shape.columns.byName.get(field)
  if (!column || column.internal || column.structure)
    return problem('UNKNOWN_FIELD', `${path}.field must be the name of a field of the ${shape.object}.`)
  if (isHidden(caller, shape, field))
    return problem('FIELD_NOT_READABLE', `${path}.field is hidden from you by your profile.`)
  if (isDerived(column)) return problem('NOT_ALLOWED', `${path}.field must not be a formula or rollup.`)
  const isComparable = method === 'EXACT' ? exactKinds.has(column.kind) : column.kind === 'text'
  if (isComparable) return null
  const needed = method === 'EXACT' ? 'text, a number, a date, an id or one of given values' : 'text'
  return problem('NOT_ALLOWED', `${path}.field must be a field with ${needed} for the method ${method}.`)
}

/** The fields must exist and fit the methods. A rule that is turned off compares nothing. */
async function ruleProblems(
  ctx: RequestContext,
  next: DuplicateRule,
  previous: DuplicateRule | null,
): Promise<FieldProblem[]> {
  const { object, matchers, isActive } = next
  const isBuiltIn = (builtInObjects as readonly string[]).includes(object)
  if (!isBuiltIn && customObjectName(object) === null) {
    const message = `object must be one of ${builtInObjects.join(', ')}, or custom: and the name of a custom object.`
    return [{ path: 'object', code: 'NOT_ALLOWED', message }]
  }
  const shape = await latestShapeOfType(ctx, (isBuiltIn ? object.toUpperCase() : object) as ExtendedType)
  if (!shape) {
    const message = 'object must be custom: and the name of a custom object of the organization.'
    return [{ path: 'object', code: 'UNKNOWN_REFERENCE', message }]
  }
  if (matchers.length === 0)
    return [{ path: 'matchers', code: 'EMPTY', message: 'matchers must have at least one matcher.' }]
  const repeated = matchers.findIndex(
    (matcher, index) => matchers.findIndex((other) => keyField(other) === keyField(matcher)) < index,
  )
  if (repeated >= 0) {
    const message = `matchers.${repeated} must not repeat another matcher.`
    return [{ path: `matchers.${repeated}`, code: 'NOT_UNIQUE', message }]
  }
  if (!isActive && previous !== null && !previous.isActive) return []
  if (!isActive && previous !== null && JSON.stringify(matchers) === JSON.stringify(previous.matchers)) return []
  if (ctx.caller.kind === 'SYSTEM') return []
  return matchers.flatMap((matcher, index) => matcherProblem(ctx, shape, `matchers.${index}`, matcher) ?? [])
}

export const duplicateRule: RecordDefinition<DuplicateRule> = defineRecord(DuplicateRule, {
  object: 'duplicate_rule',
  table: 'extensions.duplicate_rule',
  visibleBy: [],
  searchable: ['name'],
  references: { ownerId: activeUsers },
  unique: { duplicate_rule_name: 'name' },
  events: duplicateRuleEvents,
  isAdministrative: true,
  audit: auditRecord('duplicate_rule', ({ object, name, matchers, logic, action, isActive }) => ({
    object,
    name,
    matchers,
    logic,
    action,
    isActive,
  })),
  calculated: (next, previous) =>
    changesKeys(next, previous) || previous === null ? { state: next.isActive ? 'BUILDING' : 'INACTIVE' } : {},
  checks: (ctx, next, previous) => (next.deletedAt ? Promise.resolve([]) : ruleProblems(ctx, next, previous)),
  serializedRules: [
    published,
    namedObjectsExist(({ object }) => [['object', object]]),
    uniqueName,
    fewRules,
    queuesKeys,
  ],
})

registerUse({
  used: 'custom_object',
  user: 'duplicate_rule',
  sql: `select r.id, r.name from extensions.duplicate_rule r
    join extensions.custom_object o on o.organization_id = r.organization_id and 'custom:' || o.name = r.object
    where o.organization_id = $1 and o.id = $2 and r.deleted_at is null order by r.created_at, r.id`,
})
