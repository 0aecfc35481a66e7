import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventBatch } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { eventSource } from '../../kernel/record/record-registry.ts'
import { changeKey } from '../subscription/record-changes.ts'
import { isAfterStart, type Subscription } from '../subscription/subscriptions.ts'
import { triggerRunTable } from './trigger.migrations.ts'

/** An event of an update may also be one of the creation of a record, which has an event of its own. */
const isOfItsOperation = ({ object, type, data }: LoggedEvent): boolean =>
  eventSource(object)?.events?.types[type]?.operation !== 'UPDATE' || data['previous'] != null

/** Queues the triggers of each change once, in the transaction that stores the position of the events. */
export async function queueTriggers(
  sql: Sql,
  { organizationId, events }: EventBatch,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const runs = events.filter(isOfItsOperation).flatMap((event) => {
    const triggerIds = subscriptions
      .filter((one) => one.eventType === event.type && isAfterStart(one, event))
      .map(({ automationId }) => automationId)
      .toSorted()
    if (triggerIds.length === 0) return []
    const { id: eventId, position, depth } = event
    return [{ id: newId(), changeKey: changeKey(event), eventId, position, depth: depth + 1, triggerIds }]
  })
  if (runs.length === 0) return
  await sql.query(
    `insert into ${triggerRunTable.table} (organization_id, id, change_key, event_id, event_position, depth, first_trigger_id, trigger_ids)
     select $1, r.id, r."changeKey", r."eventId", r.position, r.depth, r."triggerIds"[1], r."triggerIds"
     from jsonb_to_recordset($2::jsonb) as r(
       id uuid, "changeKey" text, "eventId" uuid, position bigint, depth int, "triggerIds" uuid[])
     on conflict do nothing`,
    [organizationId, JSON.stringify(runs)],
  )
}
