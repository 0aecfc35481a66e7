import { findActingUser } from '../../identity/public.ts'
import { parentsOf, visibleEvent, type EnvelopeContext } from '../../events/public.ts'
import { compileStoredConditions, type Conditions } from '../../kernel/condition/conditions.ts'
import { userStateRefusal, type ActingUser } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { EventBatch } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { changeKey } from '../subscription/record-changes.ts'
import { isAfterStart, type Subscription } from '../subscription/subscriptions.ts'
import { fieldsOfRecord } from './condition-scope.ts'
import { objectNamed } from './objects.ts'
import { startRun, type Startable } from './start-run.ts'
import { isTriggeredBy } from './trigger.ts'
import type { Workflow } from './workflow.ts'

type Active = Startable &
  Pick<Workflow, 'triggerType' | 'triggerEntity' | 'triggerConfig' | 'conditions' | 'logic' | 'runAsUserId'>

export const activeColumns = `id, steps_version as "stepsVersion", run_once as "runOnce", delay_minutes as "delayMinutes", steps,
  trigger_type as "triggerType", trigger_entity as "triggerEntity", trigger_config as "triggerConfig", conditions, logic,
  run_as_user_id as "runAsUserId"`

const activeWorkflows = (sql: Sql, organizationId: string, ids: readonly string[]): Promise<Active[]> =>
  sql.query<Active & Record<string, unknown>>(
    `select ${activeColumns} from extensions.workflow
     where organization_id = $1 and id = any($2::uuid[]) and status = 'ACTIVE' and deleted_at is null`,
    [organizationId, ids],
  )

type Actor = ActingUser & { readonly userId: string }

/** Starts workflows by events, in the transaction that stores the position of the events. */
export async function startWorkflows(
  services: Services,
  sql: Sql,
  { organizationId, events }: EventBatch,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const types = new Set(subscriptions.map(({ eventType }) => eventType))
  const wanted = events.filter(({ type }) => types.has(type))
  if (wanted.length === 0) return
  const workflows = await activeWorkflows(sql, organizationId, [
    ...new Set(subscriptions.map((one) => one.automationId)),
  ])
  const actors = new Map<string, Actor | null>()
  for (const { runAsUserId } of workflows) {
    if (actors.has(runAsUserId)) continue
    const user = await findActingUser(sql, organizationId, runAsUserId)
    actors.set(runAsUserId, user && userStateRefusal(user) === null ? { ...user, userId: runAsUserId } : null)
  }
  const shapes = services.shapes.shapesOf(organizationId)
  const context: EnvelopeContext = { shapes, parents: await parentsOf(sql, organizationId, wanted, shapes) }
  const matchers = new Map<string, Conditions>()
  const ctx = { ...systemContext(services, organizationId), db: sql }
  for (const event of wanted)
    for (const workflow of workflows) {
      if (isTurnOver()) await nextTurn(organizationId)
      const isSubscribed = subscriptions.some(
        (one) => one.automationId === workflow.id && one.eventType === event.type && isAfterStart(one, event),
      )
      const actor = actors.get(workflow.runAsUserId)
      if (!isSubscribed || !actor || !isMet(workflow, actor, event, context, matchers)) continue
      await startRun(ctx, {
        workflow,
        triggerType: workflow.triggerType,
        eventId: event.id,
        eventPosition: event.position,
        recordType: workflow.triggerEntity,
        recordId: event.recordId,
        depth: event.depth + 1,
        startKey: changeKey(event),
      })
    }
}

/** Whether the event, as the run-as user sees it, is what the workflow waits for. */
function isMet(
  workflow: Active,
  actor: Actor,
  event: LoggedEvent,
  context: EnvelopeContext,
  matchers: Map<string, Conditions>,
): boolean {
  const seen = visibleEvent(actor, event, context)
  if (!seen || !isTriggeredBy(workflow, seen)) return false
  let matches = matchers.get(workflow.id)
  if (!matches) {
    const { conditions, logic, triggerEntity } = workflow
    const fields = fieldsOfRecord(objectNamed(triggerEntity), context.shapes, actor)
    matchers.set(workflow.id, (matches = compileStoredConditions({ conditions, logic }, fields)))
  }
  const { record, previous } = seen.data
  if (!isJsonObject(record)) return false
  return matches(record, isJsonObject(previous) ? previous : null, Date.parse(event.occurredAt))
}
