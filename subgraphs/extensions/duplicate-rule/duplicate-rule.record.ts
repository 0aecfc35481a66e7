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
import { builtInObjects, DuplicateRule, fuzzyMatchersMax, type DuplicateMatcher } from './duplicate-rule.ts'

export const duplicateRulesMax = 100
export const activeRulesMax = 10

const isFuzzy = ({ method }: DuplicateMatcher): boolean => method === 'FUZZY'

/** The names of the keys that records have for the rule. */
const keysOf = (rule: DuplicateRule | null): string[] => {
  if (!rule?.isActive || rule.deletedAt !== null) return []
  const keyed = rule.matchers.filter(({ method }) => method !== 'FUZZY')
  return [...new Set(keyed.map(keyField))].toSorted()
}

const changesKeys = (next: DuplicateRule, previous: DuplicateRule | null): boolean =>
  JSON.stringify(keysOf(next)) !== JSON.stringify(keysOf(previous))

/** A rule without keys needs no building. */
function stateAfter(next: DuplicateRule, previous: DuplicateRule | null): Partial<DuplicateRule> {
  if (!next.isActive) return { state: 'INACTIVE' }
  if (changesKeys(next, previous)) return { state: keysOf(next).length > 0 ? 'BUILDING' : 'READY' }
  return previous?.isActive ? {} : { state: 'READY' }
}

/** At most so many rules hold, which every write compares, and at most so many exist. */
const fewRules: SerializedRule<DuplicateRule> = {
  concerns: (_ctx, next, previous) => previous === null || (next.isActive && !previous.isActive),
  async enforce({ db, caller }, { object, isActive }, previous) {
    const [row] = await db.query<{ count: number; active: number }>(
      `select count(*)::int as count, (count(*) filter (where is_active))::int as active from extensions.duplicate_rule
       where organization_id = $1 and object = $2 and deleted_at is null`,
      [caller.organizationId, object],
    )
    const message = (max: number, which: string): string =>
      `A record type must have at most ${max} ${which}rules of duplicates; delete one first.`
    if (previous === null && row!.count >= duplicateRulesMax)
      return [{ path: 'object', code: 'TOO_MANY', message: message(duplicateRulesMax, '') }]
    if (isActive && row!.active >= activeRulesMax)
      return [{ path: 'isActive', code: 'TOO_MANY', message: message(activeRulesMax, 'active ') }]
    return []
  },
}

/** So many comparisons of similar texts a check of one record can afford. */
const fewFuzzy: SerializedRule<DuplicateRule> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt &&
    next.isActive &&
    next.matchers.some(isFuzzy) &&
    (!previous?.isActive || JSON.stringify(next.matchers) !== JSON.stringify(previous.matchers)),
  async enforce({ db, caller }, { id, object, matchers }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.duplicate_rule r cross join jsonb_array_elements(r.matchers) m
       where r.organization_id = $1 and r.object = $2 and r.id <> $3 and r.deleted_at is null and r.is_active and m ->> 'method' = 'FUZZY'`,
      [caller.organizationId, object, id],
    )
    if (row!.count + matchers.filter(isFuzzy).length <= fuzzyMatchersMax) return []
    const message = `The active rules of duplicates of a record type must have at most ${fuzzyMatchersMax} matchers with the method FUZZY.`
    return [{ path: 'matchers', code: 'TOO_MANY', message }]
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

/** Longer texts would make a comparison expensive. */
const charactersMax = 2_048

const exactKinds: ReadonlySet<ColumnKind> = new Set(['text', 'enum', 'id', 'date', 'integer', 'money'])

function matcherProblem(
  { caller }: RequestContext,
  shape: RecordShape,
  path: string,
  { field, method, threshold }: DuplicateMatcher,
): FieldProblem | null {
  const problem = (code: string, message: string): FieldProblem => ({ path: `${path}.field`, code, message })
  const column: Column | undefined = shape.columns.byName.get(field)
  if (!column || column.internal || column.structure)
    return problem('UNKNOWN_FIELD', `${path}.field must be the name of a field of the ${shape.object}.`)
  if (isHidden(caller, shape, field))
    return problem('FIELD_NOT_READABLE', `${path}.field is hidden from you by your profile.`)
  if (isDerived(column)) return problem('NOT_ALLOWED', `${path}.field must not be a formula or rollup.`)
  if ((column.max ?? 0) > charactersMax)
    return problem('NOT_ALLOWED', `${path}.field must be a field of at most ${charactersMax} characters.`)
  const isComparable = method === 'EXACT' ? exactKinds.has(column.kind) : column.kind === 'text'
  if (isComparable && method === 'FUZZY' && !shape.searchable.includes(field))
    return problem('NOT_ALLOWED', `${path}.field must be a searched field for the method FUZZY.`)
  if (isComparable && (method === 'FUZZY') !== (threshold !== null)) {
    const message = `${path}.threshold must be given for the method FUZZY, and for no other.`
    return { path: `${path}.threshold`, code: threshold === null ? 'REQUIRED' : 'NOT_ALLOWED', message }
  }
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
  calculated: stateAfter,
  checks: (ctx, next, previous) => (next.deletedAt ? Promise.resolve([]) : ruleProblems(ctx, next, previous)),
  serializedRules: [
    published,
    namedObjectsExist(({ object }) => [['object', object]]),
    uniqueName,
    fewRules,
    fewFuzzy,
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
