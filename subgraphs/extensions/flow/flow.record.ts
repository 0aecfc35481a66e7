import { activeUsers, auditRecord } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { actionNameProblems } from '../action/named-action.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { registerUse } from '../used-by.ts'
import { flowsMax } from './bounds.ts'
import { flowEvents } from './flow.events.ts'
import { flowProblems, namedTypes } from './flow.rules.ts'
import { Flow } from './flow.ts'
import { subflowsFit } from './subflow-rules.ts'

const fewFlows: SerializedRule<Flow> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.flow where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < flowsMax) return []
    const message = `An organization must have at most ${flowsMax} flows; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

/** In the transaction of the change, so that an action is not deleted meanwhile. */
const actionsExist: SerializedRule<Flow> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt &&
    (next.status !== previous?.status || !isSameValue(next.elements, previous.elements)) &&
    next.elements.some(({ type }) => type === 'ACTION'),
  async enforce(ctx, { elements }) {
    const problems: FieldProblem[] = []
    for (const [index, { type, config }] of elements.entries()) {
      if (type !== 'ACTION') continue
      const { actionApiName } = config as { readonly actionApiName: string }
      problems.push(...(await actionNameProblems(ctx, actionApiName, `elements.${index}.config.actionApiName`)))
    }
    return problems
  },
}

const audited = ({ createdAt: _c, updatedAt: _u, version: _v, customFields: _f, metadata: _m, ...one }: Flow): object =>
  one

export const flow: RecordDefinition<Flow> = defineRecord(Flow, {
  object: 'flow',
  table: 'extensions.flow',
  visibleBy: [],
  searchable: ['apiName', 'label', 'description'],
  references: { ownerId: activeUsers },
  unique: { flow_api_name: 'apiName' },
  events: flowEvents,
  isAdministrative: true,
  audit: auditRecord('flow', audited),
  checks: flowProblems,
  serializedRules: [fewFlows, namedObjectsExist<Flow>(namedTypes), actionsExist, subflowsFit],
})

/** What the elements of flows name, or those of a version that an interview still executes: `condition` is on such elements as `e`. */
const namedByElements = (
  table: string,
  condition: string,
): string => `select f.id, f.api_name as name from extensions.flow f
  join ${table} n on n.organization_id = f.organization_id and n.id = $2
  where f.organization_id = $1 and f.deleted_at is null and (
    exists (select from jsonb_array_elements(f.elements) e where ${condition})
    or exists (
      select from extensions.flow_version v cross join jsonb_array_elements(v.elements) e
      where v.organization_id = f.organization_id and v.flow_id = f.id and ${condition} and exists (
        select from extensions.flow_interview i where i.organization_id = v.organization_id and i.flow_id = v.flow_id
          and i.flow_version = v.number and i.status in ('RUNNING', 'WAITING_FOR_INPUT', 'PAUSED')
      )
    )
  ) order by f.api_name, f.id`

registerUse({
  used: 'custom_action',
  user: 'flow',
  sql: namedByElements('extensions.custom_action', `e->'config'->>'actionApiName' = n.api_name`),
})
registerUse({
  used: 'custom_object',
  user: 'flow',
  sql: namedByElements(
    'extensions.custom_object',
    `(e->'config'->>'object' = 'custom:' || n.name
      or jsonb_path_exists(e->'config', '$.fields[*].object ? (@ == $name)', jsonb_build_object('name', 'custom:' || n.name)))`,
  ),
})
registerUse({
  used: 'flow',
  user: 'flow',
  sql: namedByElements('extensions.flow', `e->>'type' = 'SUBFLOW' and e->'config'->>'flowApiName' = n.api_name`),
})
