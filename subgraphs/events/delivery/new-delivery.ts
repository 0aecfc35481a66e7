import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { activeTracing } from '../../kernel/tracing/tracing.ts'

/** A delivery to be queued. */
export interface NewDelivery {
  readonly organizationId: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly body: string
  readonly attemptsMax: number
  readonly retryDelaySeconds: number
  readonly isReplay?: boolean
  readonly isTest?: boolean
  /** Until the end of this time, later updates of the same record may replace it. */
  readonly debounced?: { readonly recordId: string; readonly seconds: number }
}

/** A larger body is not sent: the delivery fails at once, and the log says why. */
export const bodyBytesMax = 1_048_576
const rowsAtOnceMax = 500
/** Characters of bodies in one statement, so that no statement keeps the process busy for long. */
const charactersAtOnce = 262_144

const columns = `"organizationId" uuid, id uuid, "webhookId" uuid, "eventId" uuid, "eventType" text, "eventVersion" int, body text,
  "attemptsMax" int, "retryDelaySeconds" int, "isReplay" boolean, "isTest" boolean, "recordId" uuid, seconds int, traceparent text, error text`

/** Writes deliveries into the queue and the log, in the transaction of the caller. Returns their ids. */
export async function queueDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<string[]> {
  const traceparent = activeTracing()?.traceparent() ?? null
  const rows = deliveries.map(({ debounced, isReplay = false, isTest = false, ...delivery }) => {
    const isTooLarge = Buffer.byteLength(delivery.body) > bodyBytesMax
    const size = { body: isTooLarge ? null : delivery.body, error: isTooLarge ? tooLarge : null }
    return { ...delivery, ...size, id: newId(), isReplay, isTest, ...debounced, traceparent }
  })
  for (const part of inParts(rows)) {
    await sql.query(
      `with new as (select * from json_to_recordset($1::json) as n(${columns})),
       logged as (
         insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
           request_body, error, is_replay, is_test, next_attempt_at)
         select "organizationId", id, "webhookId", id, "eventId", "eventType", "eventVersion", 1,
           case when error is null then 'PENDING' else 'FAILED' end, body, error, "isReplay", "isTest",
           statement_timestamp() + seconds * interval '1 second'
         from new
       )
       insert into events.delivery_queue (organization_id, id, webhook_id, last_attempt_id, attempts_max, retry_delay_seconds, is_replay,
         is_test, debounced_record_id, debounced_type, traceparent, is_due, next_attempt_at)
       select "organizationId", id, "webhookId", id, "attemptsMax", "retryDelaySeconds", "isReplay", "isTest", "recordId",
         case when "recordId" is not null then "eventType" end, traceparent, seconds is null,
         date_trunc('milliseconds', clock_timestamp()) + coalesce(seconds, 0) * interval '1 second'
       from new where error is null`,
      [JSON.stringify(part)],
    )
  }
  return rows.map(({ id }) => id)
}

function* inParts<Row extends { readonly body: string | null }>(rows: readonly Row[]): Generator<readonly Row[]> {
  let [from, characters] = [0, 0]
  for (const [index, { body }] of rows.entries()) {
    characters += body?.length ?? 0
    const next = index + 1
    if (next - from < rowsAtOnceMax && characters < charactersAtOnce && next < rows.length) continue
    yield rows.slice(from, next)
    ;[from, characters] = [next, 0]
  }
}

const tooLarge = `The body was not sent, because it has more than ${bodyBytesMax} bytes.`
