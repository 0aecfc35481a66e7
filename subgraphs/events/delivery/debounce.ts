import type { Sql } from '../../kernel/database/sql.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import type { NewDelivery } from './new-delivery.ts'

type Fields = Readonly<Record<string, unknown>>

interface Waiting {
  readonly webhookId: string
  readonly recordId: string
  readonly type: string
  readonly id: string
  readonly body: string
}

const keyOf = (webhookId: string, recordId: string, type: string): string => `${webhookId}:${recordId}:${type}`

/**
 * Merges updates of the same record and type. The first one waits for the debounce time of the webhook. Each further one that arrives in
 * this time takes its place, without extending the time: its event is delivered, with `previous` of the first one and the
 * `changedFields` of all. Returns the deliveries that must be queued.
 */
export async function debounce(
  sql: Sql,
  organizationId: string,
  deliveries: readonly NewDelivery[],
): Promise<NewDelivery[]> {
  const debounced = deliveries.filter((delivery) => delivery.debounced)
  if (debounced.length === 0) return [...deliveries]
  const waiting = await lockWaiting(sql, organizationId, debounced)
  const added = new Map<string, number>()
  const queued: NewDelivery[] = []
  const replaced = new Map<string, NewDelivery & { readonly id: string }>()
  for (const delivery of deliveries) {
    const { webhookId, eventType } = delivery
    const key = delivery.debounced && keyOf(webhookId, delivery.debounced.recordId, eventType)
    const stored = key === undefined ? undefined : waiting.get(key)
    const at = key === undefined ? undefined : added.get(key)
    if (stored) {
      const body = merged(replaced.get(stored.id)?.body ?? stored.body, delivery.body)
      replaced.set(stored.id, { ...delivery, id: stored.id, body })
    } else if (at !== undefined) queued[at] = { ...delivery, body: merged(queued[at]!.body, delivery.body) }
    else {
      if (key !== undefined) added.set(key, queued.length)
      queued.push(delivery)
    }
  }
  for (const { id, eventId, eventVersion, body } of replaced.values()) {
    await sql.query(
      `update events.delivery set event_id = $3, event_version = $4, request_body = $5 where organization_id = $1 and id = $2`,
      [organizationId, id, eventId, eventVersion, body],
    )
  }
  return queued
}

/** The deliveries that still wait for further updates. Locked, so that none is leased before it has been replaced. */
async function lockWaiting(
  sql: Sql,
  organizationId: string,
  debounced: readonly NewDelivery[],
): Promise<Map<string, Waiting>> {
  const rows = await sql.query<Waiting & Record<string, unknown>>(
    `with wanted as (select distinct * from unnest($2::uuid[], $3::uuid[], $4::text[]) as w(webhook_id, record_id, type))
     select q.id, q.webhook_id as "webhookId", q.debounced_record_id as "recordId", q.debounced_type as type, d.request_body as body
     from wanted w
     join events.delivery_queue q on q.organization_id = $1 and q.webhook_id = w.webhook_id and q.debounced_record_id = w.record_id
       and q.debounced_type = w.type and q.attempts = 0 and not q.is_due and q.next_attempt_at > statement_timestamp()
     join events.delivery d on d.organization_id = q.organization_id and d.id = q.id
     for update of q skip locked`,
    [
      organizationId,
      debounced.map(({ webhookId }) => webhookId),
      debounced.map((delivery) => delivery.debounced!.recordId),
      debounced.map(({ eventType }) => eventType),
    ],
  )
  return new Map(rows.map((row) => [keyOf(row.webhookId, row.recordId, row.type), row]))
}

/** The later body, with `previous` of the earlier one and the changed fields of both. */
export function merged(earlier: string, later: string): string {
  const [first, last] = [earlier, later].map((text) => parseJsonExactly(text) as { readonly data: Fields })
  const changes = [first!, last!].flatMap(({ data }) => (data['changedFields'] as string[] | null) ?? [])
  const data = { ...last!.data, previous: first!.data['previous'], changedFields: [...new Set(changes)] }
  return JSON.stringify({ ...last, data })
}
