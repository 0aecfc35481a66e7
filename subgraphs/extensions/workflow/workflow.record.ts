import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { workflowsMax } from './bounds.ts'
import { workflowEvents } from './workflow.events.ts'
import { workflowProblems } from './workflow.rules.ts'
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
  isAdministrative: true,
  audit: auditRecord('workflow', audited),
  checks: workflowProblems,
  serializedRules: [fewWorkflows],
})
