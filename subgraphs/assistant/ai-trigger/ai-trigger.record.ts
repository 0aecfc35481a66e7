import { activeAdministrators, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
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
  serializedRules: [fewTriggers],
})
