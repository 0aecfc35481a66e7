import { newId } from '../../kernel/ids.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireWebhook } from './delivery.actions.ts'

export const recoveredMax = 1_000

/** $3: the time; $4: the most deliveries. One more is looked for, to know whether there are further ones. */
const recover = `
  with failed as (
    select d.*, row_number() over (order by d.created_at, d.id) as number from (
      select organization_id, id, first_id, event_id, event_type, event_version, body_id, created_at from events.delivery
      where organization_id = $1 and webhook_id = $2 and is_recoverable and created_at >= greatest($3::timestamptz, now() - interval '30 days')
      order by created_at, id limit $4 + 1 for update skip locked
    ) d
  ), source as (
    select ($5::uuid[])[failed.number] as new_id, failed.*, first.request_body, 
      octet_length(coalesce(first.request_body, body.body)) + coalesce(octet_length(base.body) + 1, 0) as bytes
    from failed
    left join lateral (select * from events.delivery where organization_id = failed.organization_id and id = failed.first_id offset 0) first on true
    left join lateral (select * from events.delivery_body where organization_id = failed.organization_id and id = failed.body_id offset 0) body on true
    left join lateral (select * from events.delivery_body where organization_id = body.organization_id and id = body.base_id offset 0) base on true
    where failed.number <= $4
  ), marked as (
    update events.delivery d set is_recoverable = false from source
    where d.organization_id = source.organization_id and d.id = source.id
  ), bodies as (
    insert into events.delivery_body (organization_id, id, body)
    select organization_id, new_id, request_body from source where request_body is not null
  ), queued as (
    insert into events.delivery_queue (organization_id, id, webhook_id, event_id, event_type, event_version, body_id, body_bytes, attempts_max,
      retry_delay_seconds, is_replay, is_test, depth)
    select organization_id, new_id, $2, event_id, event_type, event_version,
      case when request_body is null then coalesce(body_id, new_id) else new_id end, coalesce(bytes, 0), $6::int, $7::int, false, false, $8::int
    from source
  )
  select (select count(*) from source)::int as queued, (select count(*) from failed)::int as found`

/**
 * Queues the deliveries again that have failed since a time, oldest first: the stored body, with the retries of the webhook. Each failed delivery
 * is queued once, also by requests at the same time, so a repeated request continues with those that are left.
 */
export async function recoverDeliveries(ctx: RequestContext, webhookId: string, since: string) {
  const { id, retryAttempts, retryDelaySeconds, isEnabled } = await requireWebhook(ctx, webhookId)
  if (!isEnabled) throw refusalInSituation('The webhook must be turned on before deliveries are recovered.')
  return inTransaction(ctx, async ({ db, caller }) => {
    const ids = Array.from({ length: recoveredMax }, newId)
    const { organizationId, depth = 0 } = caller
    const values = [organizationId, id, since, recoveredMax, ids, 1 + retryAttempts, retryDelaySeconds, depth]
    const [row] = await db.query<{ queued: number; found: number }>(recover, values, 'WRITE')
    return { queued: row!.queued, hasMore: row!.found > recoveredMax, isComplete: true }
  })
}
