import { activeUsers, auditRecord } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { namedObjectsExist, type NamedTypes } from '../custom-object/named-objects.ts'
import { extendedTypeProblems } from '../extended-type.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { namedFunctionExists } from '../function/named-function.ts'
import { registerUse } from '../used-by.ts'
import { schemaProblems } from './bounded-schema.ts'
import { customActionEvents } from './custom-action.events.ts'
import { actionsMax, CustomAction } from './custom-action.ts'
import { mappingFormProblems, mappingsFit } from './mapping.rules.ts'

const fewActions: SerializedRule<CustomAction> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.custom_action where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < actionsMax) return []
    const message = `An organization must have at most ${actionsMax} actions; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

const typesOf = ({ objectTypes }: CustomAction): NamedTypes =>
  objectTypes.map((type, index) => [`objectTypes.${index}`, type])

/** What the values of an action alone say. */
function actionProblems(next: CustomAction, previous: CustomAction | null): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!previous && !apiNamePattern.test(next.apiName)) {
    const message = 'apiName must be 2 to 48 lower-case letters, digits and underscores, and begin with a letter.'
    problems.push({ path: 'apiName', code: 'WRONG_FORMAT', message })
  }
  if ((next.url === null) === (next.function === null)) {
    const [code, rule] =
      next.url === null ? ['REQUIRED', 'be given, or function'] : ['NOT_TOGETHER', 'not be given with function']
    problems.push({ path: 'url', code, message: `url must ${rule}.` })
  }
  for (const name of ['inputSchema', 'outputSchema'] as const)
    if (next[name] !== previous?.[name]) problems.push(...schemaProblems(name, next[name]))
  problems.push(...typesOf(next).flatMap(([path, type]) => extendedTypeProblems(path, type)))
  problems.push(...mappingFormProblems(next))
  const repeated = next.objectTypes.findIndex((type, index) => next.objectTypes.indexOf(type) < index)
  if (repeated >= 0) {
    const path = `objectTypes.${repeated}`
    problems.push({ path, code: 'NOT_UNIQUE', message: `${path} must not be repeated.` })
  }
  return problems
}

const audited = ({
  createdAt: _c,
  updatedAt: _u,
  version: _v,
  customFields: _f,
  metadata: _m,
  sealedSecret: _s,
  sealedPreviousSecret: _p,
  secret: _w,
  ...one
}: CustomAction) => one

export const customAction: RecordDefinition<CustomAction> = defineRecord(CustomAction, {
  object: 'custom_action',
  table: 'extensions.custom_action',
  visibleBy: [],
  searchable: ['apiName', 'label', 'description'],
  references: { ownerId: activeUsers },
  unique: { custom_action_api_name: 'apiName' },
  events: customActionEvents,
  localColumns: ['sealedSecret', 'sealedPreviousSecret', 'previousSecretExpiresAt'],
  isAdministrative: true,
  audit: auditRecord('custom_action', audited),
  invariants: actionProblems,
  serializedRules: [mappingsFit, waitsForDeployments, fewActions, namedObjectsExist(typesOf), namedFunctionExists],
})

registerUse({
  used: 'serverless_function',
  user: 'custom_action',
  sql: `select a.id, a.api_name as name from extensions.custom_action a
    join extensions.function f on f.organization_id = a.organization_id and f.api_name = a.function and f.id = $2
    where a.organization_id = $1 and a.deleted_at is null order by a.api_name, a.id`,
})

registerUse({
  used: 'custom_object',
  user: 'custom_action',
  sql: `select a.id, a.api_name as name from extensions.custom_action a
    join extensions.custom_object o on o.organization_id = a.organization_id and 'custom:' || o.name = any(a.object_types)
    where o.organization_id = $1 and o.id = $2 and a.deleted_at is null order by a.api_name, a.id`,
})
