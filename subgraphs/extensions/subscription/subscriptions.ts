import type { Sql } from '../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'

/** An automation that events of a type start. */
export interface Subscription {
  readonly kind: 'FUNCTION' | 'TRIGGER' | 'WORKFLOW'
  readonly automationId: string
  readonly eventType: string
  readonly position: number
  readonly earlierEventIds: readonly string[]
}

export const readSubscriptions = (sql: Sql, organizationId: string): Promise<Subscription[]> =>
  sql.query<Subscription & Record<string, unknown>>(
    `select kind, automation_id as "automationId", event_type as "eventType", position, earlier_event_ids as "earlierEventIds"
     from extensions.event_subscription where organization_id = $1`,
    [organizationId],
  )

/** Whether the event happened after the automation was turned on. */
export const isAfterStart = ({ position, earlierEventIds }: Subscription, event: LoggedEvent): boolean =>
  event.position > position && !earlierEventIds.includes(event.id)

/**
 * Ends the reading of events when no automation of the organization is started by one. The lock on the row makes a transaction that turns one on
 * wait, so that it adds the organization again.
 */
export async function unsubscribe(sql: Sql, organizationId: string): Promise<void> {
  const locked = await sql.query('select from extensions.event_subscriber where organization_id = $1 for update', [
    organizationId,
  ])
  if (locked.length === 0 || (await readSubscriptions(sql, organizationId)).length > 0) return
  await sql.query('delete from extensions.event_subscriber where organization_id = $1', [organizationId])
}
