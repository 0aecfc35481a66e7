import { activeUsers, auditRecord } from '../../identity/public.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { registerUse } from '../used-by.ts'
import { workflowsMax } from './bounds.ts'
import { workflowEvents } from './workflow.events.ts'
import { namedProblems, namedTypes, workflowProblems } from './workflow.rules.ts'
import { Workflow } from './workflow.ts'

const fewWorkflows: SerializedRule<Workflow> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.workflow where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < workflowsMax) return []
    const message = `An organization must have at most ${workflowsMax} workflows; delete one first.`
    return [{ path: 'name', code: 'TOO_MANY', message }]
  },
}

const namedExist: SerializedRule<Workflow> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt && (!previous || next.status !== previous.status || !isSameValue(next.steps, previous.steps)),
  enforce: namedProblems,
}

/** The settings without secrets. */
const audited = (one: Workflow) => ({
  name: one.name,
  description: one.description,
  runAsUserId: one.runAsUserId,
  status: one.status,
  pausedReason: one.pausedReason,
  triggerType: one.triggerType,
  triggerEntity: one.triggerEntity,
  triggerConfig: one.triggerConfig,
  conditions: one.conditions,
  logic: one.logic,
  steps: one.steps,
  stepsVersion: one.stepsVersion,
  runOnce: one.runOnce,
  delayMinutes: one.delayMinutes,
  allowManual: one.allowManual,
})

export const workflow: RecordDefinition<Workflow> = defineRecord(Workflow, {
  object: 'workflow',
  table: 'extensions.workflow',
  visibleBy: [],
  searchable: ['name', 'description'],
  references: { runAsUserId: activeUsers },
  unique: { workflow_name: 'name' },
  events: workflowEvents,
  localColumns: ['status', 'pausedReason', 'runAsUserId', 'stepsVersion', 'hookToken', 'sealedSecret'],
  isAdministrative: true,
  audit: auditRecord('workflow', audited),
  checks: workflowProblems,
  serializedRules: [waitsForDeployments, fewWorkflows, namedObjectsExist<Workflow>(namedTypes), namedExist],
})

const names = (steps: string, setting: string, name: string): string =>
  `exists (select from jsonb_array_elements(${steps}) s where s->'config'->>'${setting}' = ${name})`

/**
 * The workflows whose steps, or those of a version that a run still executes, name with this setting the record `$2` of a table. `name` is what they
 * name it by, and `or` another condition on the workflow.
 */
const namedBySteps = (
  table: string,
  setting: string,
  name = 'n.api_name',
  or = 'false',
): string => `select w.id, w.name from extensions.workflow w
  join ${table} n on n.organization_id = w.organization_id and n.id = $2
  where w.organization_id = $1 and w.deleted_at is null and (${or} or ${names('w.steps', setting, name)} or exists (
    select from extensions.workflow_version v
    where v.organization_id = w.organization_id and v.workflow_id = w.id and ${names('v.steps', setting, name)} and exists (
      select from extensions.workflow_run r where r.organization_id = v.organization_id and r.workflow_id = v.workflow_id
        and r.workflow_version = v.number and r.status in ('QUEUED', 'RUNNING', 'WAITING')
    )
  )) order by w.name, w.id`

registerUse({
  used: 'serverless_function',
  user: 'workflow',
  sql: namedBySteps('extensions.function', 'functionApiName'),
})
registerUse({
  used: 'custom_action',
  user: 'workflow',
  sql: namedBySteps('extensions.custom_action', 'actionApiName'),
})

const objectName = `'custom:' || n.name`
registerUse({
  used: 'custom_object',
  user: 'workflow',
  sql: namedBySteps('extensions.custom_object', 'object', objectName, `w.trigger_entity = ${objectName}`),
})
