import type { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import { userStateRefusal } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { findActingUser } from '../../identity/public.ts'

/** What decides whether and how events are delivered to a webhook. Contains no secret. */
export interface Subscription {
  readonly id: string
  readonly ownerId: string
  readonly events: readonly string[]
  readonly payloadVersion: number
  readonly retryAttempts: number
  readonly retryDelaySeconds: number
  readonly fields: readonly string[]
  readonly conditions: readonly Condition[]
  readonly logic: ConditionLogic
  readonly debounceSeconds: number
  readonly skipOwn: boolean
  /** Only events after this position are delivered. */
  readonly startPosition: number
  /** Events that were committed before the webhook was turned on, and got their positions later. */
  readonly earlierEventIds: readonly string[]
}

/** A subscription with the current rights of its owner. */
export interface ActiveSubscription extends Subscription {
  readonly owner: ActingUser
}

/** The webhooks of the organization that are turned on. */
export const readSubscriptions = (sql: Sql, organizationId: string): Promise<Subscription[]> =>
  sql.query<Subscription & Record<string, unknown>>(
    `select w.id, w.owner_id as "ownerId", w.events, w.payload_version as "payloadVersion", w.retry_attempts as "retryAttempts",
       w.retry_delay_seconds as "retryDelaySeconds", w.fields, w.conditions, w.logic, w.debounce_seconds as "debounceSeconds",
       w.skip_own as "skipOwn", coalesce(s.position, 0) as "startPosition",
       coalesce(s.earlier_event_ids, '{}') as "earlierEventIds"
     from events.webhook w
     left join events.webhook_start s on s.organization_id = w.organization_id and s.webhook_id = w.id
     where w.organization_id = $1 and w.is_enabled and w.deleted_at is null`,
    [organizationId],
  )

/** The subscriptions whose owner may act as an owner or admin. The others are paused: events of this time are never delivered. */
export async function withOwners(
  sql: Sql,
  organizationId: string,
  subscriptions: readonly Subscription[],
): Promise<ActiveSubscription[]> {
  const owners = new Map<string, ActingUser | null>()
  for (const { ownerId } of subscriptions)
    if (!owners.has(ownerId)) owners.set(ownerId, await findActingUser(sql, organizationId, ownerId))
  return subscriptions.flatMap((subscription) => {
    const owner = owners.get(subscription.ownerId)
    return owner && mayReceiveEvents(owner)
      ? [{ ...subscription, owner: { ...owner, userId: subscription.ownerId } }]
      : []
  })
}

const mayReceiveEvents = (owner: ActingUser): boolean =>
  userStateRefusal(owner) === null && (owner.role === 'OWNER' || owner.role === 'ADMIN')

/**
 * Ends the reading of events when the organization has no webhook that is turned on. The lock on the row makes a transaction that turns one on
 * wait, so that it adds the organization again.
 */
export async function unsubscribe(sql: Sql, organizationId: string): Promise<void> {
  const locked = await sql.query('select from events.webhook_subscriber where organization_id = $1 for update', [
    organizationId,
  ])
  if (locked.length === 0 || (await readSubscriptions(sql, organizationId)).length > 0) return
  await sql.query('delete from events.webhook_subscriber where organization_id = $1', [organizationId])
}
