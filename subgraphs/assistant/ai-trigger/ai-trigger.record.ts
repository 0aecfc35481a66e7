import { activeAdministrators, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { registerFieldUse } from '../../kernel/extension/field-uses.ts'
import { registerUse } from '../../extensions/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { aiTriggerEvents } from './ai-trigger.events.ts'
import { AiTrigger } from './ai-trigger.ts'

/** Every event is compared with every trigger of its organization. */
export const triggersMax = 100

const fewTriggers: SerializedRule<AiTrigger> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from assistant.ai_trigger where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < triggersMax) return []
    const message = `An organization must have at most ${triggersMax} AI workflows; delete one first.`
    return [{ path: 'name', code: 'TOO_MANY', message }]
  },
}

/** The tables that actions name something of, by the setting with its apiName. */
const namedIn = { actionApiName: 'extensions.custom_action', functionApiName: 'extensions.function' } as const

/** In the transaction of the change, so that what actions name is not deleted meanwhile. */
const namedExist: SerializedRule<AiTrigger> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && !isSameValue(next.actions, previous?.actions),
  async enforce({ db, caller }, { actions }) {
    const problems: FieldProblem[] = []
    for (const [index, { config }] of actions.entries())
      for (const [setting, table] of Object.entries(namedIn)) {
        const apiName = (config as Record<string, unknown>)[setting]
        if (apiName === undefined) continue
        const found = await db.query(
          `select 1 from ${table} where organization_id = $1 and api_name = $2 and deleted_at is null for share`,
          [caller.organizationId, apiName],
        )
        const path = `actions.${index}.config.${setting}`
        const message = `${path} must be an apiName of your organization.`
        if (found.length === 0) problems.push({ path, code: 'UNKNOWN_REFERENCE', message })
      }
    return problems
  },
}

/** The settings without secrets. */
const audited = (trigger: AiTrigger) => ({
  ownerId: trigger.ownerId,
  name: trigger.name,
  description: trigger.description,
  status: trigger.status,
  eventType: trigger.eventType,
  conditions: trigger.conditions,
  logic: trigger.logic,
  prompt: trigger.prompt,
  outputSchema: trigger.outputSchema,
  actions: trigger.actions,
  requireApproval: trigger.requireApproval,
  rateLimitPerHour: trigger.rateLimitPerHour,
  previousSecretExpiresAt: trigger.previousSecretExpiresAt,
})

export const aiTrigger: RecordDefinition<AiTrigger> = defineRecord(AiTrigger, {
  object: 'ai_trigger',
  table: 'assistant.ai_trigger_with_state',
  storedIn: 'assistant.ai_trigger',
  visibleBy: [],
  searchable: ['name', 'description'],
  references: { ownerId: activeAdministrators },
  events: aiTriggerEvents,
  isAdministrative: true,
  audit: auditRecord('ai_trigger', audited),
  serializedRules: [fewTriggers, namedExist],
})

for (const [setting, table] of Object.entries(namedIn)) {
  const used = table === 'extensions.function' ? 'serverless_function' : 'custom_action'
  registerUse({
    used,
    user: 'ai_trigger',
    sql: `select t.id, t.name from assistant.ai_trigger t join ${table} n on n.organization_id = t.organization_id and n.id = $2
      where t.organization_id = $1 and t.deleted_at is null and exists (
        select from jsonb_array_elements(t.actions) a where a->'config'->>'${setting}' = n.api_name
      ) order by t.name, t.id`,
  })
  // What was planned before the trigger was changed.
  registerUse({
    used,
    user: 'ai_execution',
    sql: `select e.id, t.name from assistant.ai_execution e
      join assistant.ai_trigger t on t.organization_id = e.organization_id and t.id = e.trigger_id
      join ${table} n on n.organization_id = e.organization_id and n.id = $2
      where e.organization_id = $1 and e.status in ('RUNNING', 'AWAITING_APPROVAL') and exists (
        select from jsonb_array_elements(e.plan) a
        where a->>'type' = '${used === 'custom_action' ? 'CUSTOM_ACTION' : 'FUNCTION'}' and a->>'status' = 'PLANNED' and a->'values'->>'id' = n.api_name
      ) order by e.id`,
  })
}

registerUse({
  used: 'custom_object',
  user: 'ai_trigger',
  sql: `select t.id, t.name from assistant.ai_trigger t
    join extensions.custom_object o on o.organization_id = t.organization_id and o.id = $2
    where t.organization_id = $1 and t.deleted_at is null and starts_with(t.event_type, 'custom_object.' || o.name || '.') order by t.name, t.id`,
})

registerFieldUse({
  user: 'ai_trigger',
  sql: `select t.id, t.name from assistant.ai_trigger t where t.organization_id = $1 and t.deleted_at is null
      and starts_with(t.event_type, $2::text || '.') and concat(t.conditions, ' ', t.prompt, ' ', t.actions) ~ $3 order by t.name, t.id`,
})
