import { depthMax } from '../../kernel/automation/depth.ts'
import { newId } from '../../kernel/ids.ts'
import { notQuietFor, type EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import { queueTriggers } from '../trigger/queue-triggers.ts'
import { startWorkflows } from '../workflow/start-by-event.ts'
import { isAfterStart, readSubscriptions, unsubscribe } from './subscriptions.ts'
import { starter, startTable } from './subscription.migrations.ts'

/**
 * Queues what events start, in the transaction that stores the position of the events. What an automation changes starts others one deeper, and
 * nothing at the greatest depth, so that loops end.
 */
export const automationConsumer: EventConsumer = {
  name: starter.consumer,
  batch: 50,
  gatherMs: 0,
  subscribers: { table: 'extensions.event_subscriber', channel: starter.channel },
  condition: `e.depth < ${depthMax} and ${notQuietFor('AUTOMATIONS')}`,
  async types(sql, organizationId) {
    const subscriptions = await readSubscriptions(sql, organizationId)
    if (subscriptions.length === 0) await unsubscribe(sql, organizationId)
    return [...new Set(subscriptions.map(({ eventType }) => eventType))]
  },
  async consume(services, sql, batch) {
    const { organizationId, events } = batch
    const all = await readSubscriptions(sql, organizationId)
    const ofWorkflows = all.filter(({ kind }) => kind === 'WORKFLOW')
    if (ofWorkflows.length > 0) await startWorkflows(services, sql, batch, ofWorkflows)
    const ofTriggers = all.filter(({ kind }) => kind === 'TRIGGER')
    if (ofTriggers.length > 0) await queueTriggers(sql, batch, ofTriggers)
    const subscriptions = all.filter(({ kind }) => kind === 'FUNCTION')
    const starts = events.flatMap((event) =>
      subscriptions
        .filter((subscription) => subscription.eventType === event.type && isAfterStart(subscription, event))
        .map(({ automationId }) => ({
          id: newId(),
          functionId: automationId,
          eventId: event.id,
          position: event.position,
          depth: event.depth + 1,
        })),
    )
    if (starts.length === 0) return
    await sql.query(
      `insert into ${startTable.table} (organization_id, id, function_id, event_id, event_position, depth)
       select $1, s.id, s."functionId", s."eventId", s.position, s.depth from jsonb_to_recordset($2::jsonb) as s(
         id uuid, "functionId" uuid, "eventId" uuid, position bigint, depth int)
       on conflict do nothing`,
      [organizationId, JSON.stringify(starts)],
    )
  },
}
