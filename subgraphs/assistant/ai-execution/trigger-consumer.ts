import type { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { compileStoredConditions } from '../../kernel/condition/conditions.ts'
import { userStateRefusal, type ActingUser } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { notQuietFor, type EventBatch, type EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { Services } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { findActingUser } from '../../identity/public.ts'
import { parentsOf, visibleEvent, type EnvelopeContext } from '../../events/public.ts'
import { conditionFieldsOf } from '../ai-trigger/ai-trigger.rules.ts'
import { depthMax } from '../../kernel/automation/depth.ts'
import { fittingInput, recordIn, type ExecutionInput } from './fitting-input.ts'
import { sightOf } from './sight.ts'
import { startExecution, type NewExecution, type StartedTrigger } from './start-execution.ts'

interface ActiveTrigger extends StartedTrigger {
  readonly eventType: string
  readonly conditions: readonly Condition[]
  readonly logic: ConditionLogic
  readonly startPosition: number
  readonly earlierEventIds: readonly string[]
}

/** Starts the executions of triggers for each event, in the transaction that stores the position of the event. */
export const triggerConsumer: EventConsumer = {
  name: 'ai_triggers',
  batch: 50,
  gatherMs: 0,
  subscribers: { table: 'assistant.ai_trigger_subscriber', channel: 'ai_trigger_subscribers' },
  condition: notQuietFor('DELIVERIES'),
  async types(sql, organizationId) {
    const triggers = await activeTriggers(sql, organizationId)
    if (triggers.length === 0) await unsubscribe(sql, organizationId)
    return [...new Set(triggers.map(({ eventType }) => eventType))]
  },
  async consume(services, sql, batch) {
    for (const started of await executionsOf(services, sql, batch)) {
      await startExecution(sql, started, services.clock.now())
      await services.storedBytes.count(batch.organizationId, JSON.stringify(started.input).length)
    }
  },
}

const activeTriggers = (sql: Sql, organizationId: string): Promise<ActiveTrigger[]> =>
  sql.query<ActiveTrigger & Record<string, unknown>>(
    `select t.id, t.owner_id as "ownerId", t.event_type as "eventType", t.conditions, t.logic, t.rate_limit_per_hour as "rateLimitPerHour",
       s.start_position as "startPosition", s.earlier_event_ids as "earlierEventIds"
     from assistant.ai_trigger t
     join assistant.ai_trigger_state s on s.organization_id = t.organization_id and s.trigger_id = t.id
     where t.organization_id = $1 and t.status = 'ACTIVE' and t.deleted_at is null and t.event_type is not null`,
    [organizationId],
  )

/** The lock on the row makes a transaction that turns a trigger on wait, so that it adds the organization again. */
async function unsubscribe(sql: Sql, organizationId: string): Promise<void> {
  const locked = await sql.query('select from assistant.ai_trigger_subscriber where organization_id = $1 for update', [
    organizationId,
  ])
  if (locked.length === 0 || (await activeTriggers(sql, organizationId)).length > 0) return
  await sql.query('delete from assistant.ai_trigger_subscriber where organization_id = $1', [organizationId])
}

async function executionsOf(
  { shapes: source }: Services,
  sql: Sql,
  { organizationId, events }: EventBatch,
): Promise<NewExecution[]> {
  const triggers = await activeTriggers(sql, organizationId)
  const wanted = events.filter(({ type }) => triggers.some(({ eventType }) => eventType === type))
  if (wanted.length === 0) return []
  const owners = new Map<string, ActingUser | null>()
  for (const { ownerId } of triggers)
    if (!owners.has(ownerId)) owners.set(ownerId, await findActingUser(sql, organizationId, ownerId))
  const shapes = source.shapesOf(organizationId)
  const context: EnvelopeContext = { shapes, parents: await parentsOf(sql, organizationId, wanted, shapes) }
  const started: NewExecution[] = []
  const matchers = new Map<string, Matcher>()
  for (const event of wanted) {
    for (const trigger of triggers) {
      if (isTurnOver()) await nextTurn(organizationId)
      if (trigger.eventType !== event.type || event.position <= trigger.startPosition) continue
      const owner = owners.get(trigger.ownerId)
      if (!owner || trigger.earlierEventIds.includes(event.id)) continue
      const actor = { ...owner, userId: trigger.ownerId }
      let matches = matchers.get(trigger.id)
      if (!matches) matchers.set(trigger.id, (matches = matcherOf(trigger, owner, context.shapes)))
      const execution = executionFor(trigger, actor, event, context, matches)
      if (execution) started.push({ ...execution, ...depthOf(event.depth, execution) })
    }
  }
  return started
}

function depthOf(depth: number, { refused }: NewExecution): Pick<NewExecution, 'depth' | 'refused'> {
  if (depth < depthMax) return { depth: depth + 1, refused }
  const message = `At most ${depthMax} automations start one another.`
  return { depth: depth + 1, refused: refused ?? { status: 'SKIPPED', code: 'DEPTH_EXCEEDED', message } }
}

export const inactiveOwner = {
  status: 'FAILED',
  code: 'OWNER_INACTIVE',
  message: 'The owner of the trigger is no active owner or admin of the organization.',
} as const

const isAdministrator = ({ role }: Pick<ActingUser, 'role'>): boolean => role === 'OWNER' || role === 'ADMIN'

/** The execution of a trigger for an event, with what the owner sees of it; null if the owner does not see it or the conditions are not met. */
function executionFor(
  trigger: ActiveTrigger,
  owner: ActingUser & { readonly userId: string },
  event: LoggedEvent,
  context: EnvelopeContext,
  matches: Matcher,
): NewExecution | null {
  const seen = visibleEvent(owner, event, context)
  if (!seen) return null
  const { type, occurredAt, data } = seen
  const whole: ExecutionInput = { type, occurredAt, data }
  if (!matches(whole)) return null
  const isActing = userStateRefusal(owner) === null && isAdministrator(owner)
  return {
    organizationId: seen.organizationId,
    trigger,
    requestKey: event.id,
    eventId: event.id,
    eventType: type,
    depth: 0,
    input: fittingInput(whole),
    sight: sightOf(owner),
    refused: isActing ? null : inactiveOwner,
  }
}

/** Whether an input meets the conditions of a trigger. */
export type Matcher = (input: ExecutionInput) => boolean

/** The compiled conditions of a trigger, as its owner sees the record. */
export function matcherOf(
  { eventType, conditions, logic }: Pick<ActiveTrigger, 'conditions' | 'logic'> & { readonly eventType: string | null },
  owner: Pick<ActingUser, 'fields'>,
  shapes: OrganizationShapes | null,
): Matcher {
  if (conditions.length === 0) return () => true
  const matches = compileStoredConditions({ conditions, logic }, conditionFieldsOf(eventType, shapes, owner))
  return (input) => {
    const { previous } = input.data
    return matches(recordIn(input), isJsonObject(previous) ? previous : null, Date.parse(input.occurredAt))
  }
}
