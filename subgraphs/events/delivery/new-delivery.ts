import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { activeTracing } from '../../kernel/tracing/tracing.ts'
import { bodyBytesMax, isTooLarge, type Body } from './delivery-body.ts'

/** A delivery to be queued. */
export interface NewDelivery {
  readonly organizationId: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly body: Body
  readonly attemptsMax: number
  readonly retryDelaySeconds: number
  /** How many automations have started one another up to what caused it; absent: 0. */
  readonly depth?: number
  readonly isReplay?: boolean
  readonly isTest?: boolean
  /** Until the end of this time, later updates of the same record may replace it. */
  readonly debounced?: { readonly recordId: string; readonly seconds: number }
}

const rowsAtOnceMax = 500
/** Characters of bodies in one statement, so that no statement keeps the process busy for long. */
const charactersAtOnce = 262_144

const columns = `"organizationId" uuid, id uuid, "webhookId" uuid, "eventId" uuid, "eventType" text, "eventVersion" int, "bodyId" uuid, "bodyBytes" int,
  "attemptsMax" int, "retryDelaySeconds" int, "isReplay" boolean, "isTest" boolean, "recordId" uuid, seconds int, depth int, traceparent text, error text`

/**
 * Writes deliveries into the queue, and each of their bodies once, in the transaction of the caller. One that is too large to be sent is written
 * into the log only. Returns their ids.
 */
export async function queueDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<string[]> {
  const traceparent = activeTracing()?.traceparent() ?? null
  const items = deliveries.map(({ debounced, body, isReplay = false, isTest = false, ...delivery }): Item => {
    const error = isTooLarge(body) ? tooLarge : null
    const ofBody = { bodyId: body.id, bodyBytes: body.bytes }
    const row = { ...delivery, ...ofBody, id: newId(), isReplay, isTest, ...debounced, traceparent, error }
    return { row, body }
  })
  for (const { rows, bodies } of inParts(items)) {
    await sql.query(
      `with new as (select * from json_to_recordset($1::json) as n(${columns})),
       bodies as (
         insert into events.delivery_body (organization_id, id, body)
         select "organizationId", id, text from json_to_recordset($2::json) as b("organizationId" uuid, id uuid, text text)
       ),
       logged as (
         insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
           error, is_replay, is_test)
         select "organizationId", id, "webhookId", id, "eventId", "eventType", "eventVersion", 1, 'FAILED', error, "isReplay", "isTest"
         from new where error is not null
       )
       insert into events.delivery_queue (organization_id, id, webhook_id, event_id, event_type, event_version, body_id, body_bytes, attempts_max,
         retry_delay_seconds, is_replay, is_test, debounced_record_id, debounced_type, traceparent, depth, is_due, next_attempt_at)
       select "organizationId", id, "webhookId", "eventId", "eventType", "eventVersion", "bodyId", "bodyBytes", "attemptsMax", "retryDelaySeconds",
         "isReplay", "isTest", "recordId", case when "recordId" is not null then "eventType" end, traceparent, coalesce(depth, 0), seconds is null,
         date_trunc('milliseconds', clock_timestamp()) + coalesce(seconds, 0) * interval '1 second'
       from new where error is null`,
      [JSON.stringify(rows), JSON.stringify(bodies)],
    )
  }
  return items.map(({ row }) => row.id)
}

interface Item {
  readonly row: { readonly organizationId: string; readonly id: string }
  readonly body: Body
}

interface Part {
  readonly rows: Item['row'][]
  /** Those that no earlier part has. */
  readonly bodies: { readonly organizationId: string; readonly id: string; readonly text: string }[]
}

function* inParts(items: readonly Item[]): Generator<Part> {
  const known = new Set<string>()
  let [part, characters]: [Part, number] = [{ rows: [], bodies: [] }, 0]
  for (const [index, { row, body }] of items.entries()) {
    const { id, text } = body
    part.rows.push(row)
    if (text !== null && !isTooLarge(body) && !known.has(id)) {
      known.add(id)
      part.bodies.push({ organizationId: row.organizationId, id, text })
      characters += text.length
    }
    if (part.rows.length < rowsAtOnceMax && characters < charactersAtOnce && index + 1 < items.length) continue
    yield part
    ;[part, characters] = [{ rows: [], bodies: [] }, 0]
  }
}

const tooLarge = `The body was not sent, because it has more than ${bodyBytesMax} bytes.`
