import type { Sql } from '../../kernel/database/sql.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { newBody, type Body } from './delivery-body.ts'
import { mergedText } from './merged-text.ts'
import type { NewDelivery } from './new-delivery.ts'

interface Waiting {
  readonly webhookId: string
  readonly recordId: string
  readonly type: string
  readonly id: string
  readonly bodyId: string
  readonly text: string
  readonly depth: number
}

interface Debounced {
  /** The deliveries that must be queued. */
  readonly queued: NewDelivery[]
  /** Bytes of the merged bodies that were stored. */
  readonly bytes: number
}

const debounceKeyOf = (webhookId: string, recordId: string, type: string): string => `${webhookId}:${recordId}:${type}`

/**
 * Merges updates of the same record and type. The first one waits for the debounce time of the webhook. Each further one that arrives in
 * this time takes its place, without extending the time: its event is delivered, with what the record was before the first one and the
 * `changedFields` of all.
 */
export async function debounce(
  sql: Sql,
  organizationId: string,
  deliveries: readonly NewDelivery[],
  bytesMax: number,
): Promise<Debounced> {
  const debounced = deliveries.filter((delivery) => delivery.debounced)
  if (debounced.length === 0) return { queued: [...deliveries], bytes: 0 }
  const waiting = await lockWaiting(sql, organizationId, debounced)
  const added = new Map<string, number>()
  const queued: NewDelivery[] = []
  const replaced = new Map<string, NewDelivery & { readonly id: string }>()
  const mergedBody = mergingBodies(bytesMax)
  for (const delivery of deliveries) {
    if (isTurnOver()) await nextTurn(organizationId)
    const { webhookId, eventType } = delivery
    const key = delivery.debounced && debounceKeyOf(webhookId, delivery.debounced.recordId, eventType)
    const stored = key === undefined ? undefined : waiting.get(key)
    const at = key === undefined ? undefined : added.get(key)
    const merged = (
      earlier: Pick<NewDelivery, 'depth'> & { readonly body: Pick<Body, 'id' | 'text'> },
    ): NewDelivery => ({
      ...delivery,
      body: mergedBody(earlier.body, delivery.body),
      depth: Math.max(earlier.depth ?? 0, delivery.depth ?? 0),
    })
    if (stored) {
      const earlier = replaced.get(stored.id) ?? { body: { id: stored.bodyId, text: stored.text }, depth: stored.depth }
      replaced.set(stored.id, { ...merged(earlier), id: stored.id })
    } else if (at !== undefined) queued[at] = merged(queued[at]!)
    else {
      if (key !== undefined) added.set(key, queued.length)
      queued.push(delivery)
    }
  }
  const known = new Set<string>()
  let bytes = 0
  for (const { id, eventId, eventVersion, body, depth } of replaced.values()) {
    await sql.query(
      `with body as (insert into events.delivery_body (organization_id, id, body) select $1, $5, $6 where $6::text is not null)
       update events.delivery_queue set event_id = $3, event_version = $4, body_id = $5, body_bytes = $7, depth = $8
       where organization_id = $1 and id = $2`,
      [
        organizationId,
        id,
        eventId,
        eventVersion,
        body.id,
        known.has(body.id) ? null : body.text,
        body.bytes,
        depth ?? null,
      ],
    )
    if (!known.has(body.id)) bytes += body.bytes
    known.add(body.id)
  }
  return { queued, bytes }
}

/** Merges bodies. Deliveries that share both bodies also share the merged one. */
function mergingBodies(bytesMax: number): (earlier: Pick<Body, 'id' | 'text'>, later: Body) => Body {
  const found = new Map<string, Body>()
  return (earlier, later) => {
    const key = `${earlier.id}:${later.id}`
    let body = found.get(key)
    if (!body) found.set(key, (body = newBody(mergedText(earlier.text!, later.text!, bytesMax))))
    return body
  }
}

/** The deliveries that still wait for further updates. Locked, so that none is leased before it has been replaced. */
async function lockWaiting(
  sql: Sql,
  organizationId: string,
  debounced: readonly NewDelivery[],
): Promise<Map<string, Waiting>> {
  const rows = await sql.query<Omit<Waiting, 'text'> & Record<string, unknown>>(
    `with wanted as (select distinct * from unnest($2::uuid[], $3::uuid[], $4::text[]) as w(webhook_id, record_id, type))
     select q.id, q.webhook_id as "webhookId", q.debounced_record_id as "recordId", q.debounced_type as type, q.body_id as "bodyId", q.depth
     from wanted w
     join events.delivery_queue q on q.organization_id = $1 and q.webhook_id = w.webhook_id and q.debounced_record_id = w.record_id
       and q.debounced_type = w.type and q.attempts = 0 and not q.is_due and q.next_attempt_at > statement_timestamp()
     for update of q skip locked`,
    [
      organizationId,
      debounced.map(({ webhookId }) => webhookId),
      debounced.map((delivery) => delivery.debounced!.recordId),
      debounced.map(({ eventType }) => eventType),
    ],
  )
  const texts = await textsOf(
    sql,
    organizationId,
    rows.map(({ bodyId }) => bodyId),
  )
  return new Map(
    rows.flatMap((row): [string, Waiting][] => {
      const text = texts.get(row.bodyId)
      return text === undefined ? [] : [[debounceKeyOf(row.webhookId, row.recordId, row.type), { ...row, text }]]
    }),
  )
}

/** Each body is read once, however many deliveries share it. */
async function textsOf(sql: Sql, organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.query<{ id: string; body: string }>(
    'select id, body from events.delivery_body where organization_id = $1 and id = any($2::uuid[])',
    [organizationId, [...new Set(ids)]],
  )
  return new Map(rows.map(({ id, body }) => [id, body]))
}
