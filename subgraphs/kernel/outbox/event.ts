import { actorIdOf } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { Values } from '../record/predicate.ts'
import type { Sql } from '../database/sql.ts'
import { newId } from '../ids.ts'
import { storedData } from './event-data.ts'

/** An event of an organization. It is written in the transaction of the change, and every consumer of events reads this row. */
export interface EventDraft {
  /** Set where the answer of the operation names the event; otherwise a new id. */
  readonly id?: string
  readonly type: string
  /** Schema version of `data` for the type. */
  readonly version: number
  readonly object: string
  readonly recordId: string
  readonly data: Readonly<Record<string, unknown>>
}

const columns = 'organization_id, id, type, version, occurred_at, object, record_id, data, actor_id'
/** Where a change comes from is for the platform only: `operation_id` is the request or the run of a job, `origin` the automation. */
const insertInto = `insert into kernel.event (${columns}, operation_id, origin, depth)`

function originIn(ctx: RequestContext, values: Values): string {
  const { origin, depth = 0 } = ctx.caller
  return `${values.add(ctx.operationId ?? ctx.requestId)}::text, ${values.add(origin ? JSON.stringify(origin) : null)}::jsonb, ${values.add(depth)}::int`
}

/**
 * SQL that inserts events, as part of a statement. `when` names a CTE of the same statement: events are inserted only if it has a row.
 */
export function eventInsert(ctx: RequestContext, values: Values, events: readonly EventDraft[], when?: string): string {
  const organization = values.add(ctx.caller.organizationId)
  const actor = values.add(actorIdOf(ctx.caller))
  const now = values.add(ctx.clock.now().toISOString())
  const origin = originIn(ctx, values)
  const rows = events.map(
    ({ id = newId(), type, version, object, recordId, data }) =>
      `select ${organization}::uuid, ${values.add(id)}::uuid, ${values.add(type)}, ${values.add(version)}::int, ${now}::timestamptz, ${values.add(object)}, ${values.add(recordId)}::uuid, ${values.add(JSON.stringify(storedData(data)))}::jsonb, ${actor}::uuid, ${origin}${when ? ` from ${when}` : ''}`,
  )
  return `${insertInto} ${rows.join(' union all ')}`
}

/** An event in JSON, for `manyEventsInsert`. */
export const eventJson = (event: EventDraft): string =>
  JSON.stringify({ ...event, id: newId(), data: storedData(event.data) })

/** Like `eventInsert`, for any number of records, with the events in JSON: `written` names a CTE with the ids of the records that were changed. */
export function manyEventsInsert(
  ctx: RequestContext,
  values: Values,
  events: readonly string[],
  written: string,
): string {
  const { caller, clock } = ctx
  return `${insertInto}
    select ${values.add(caller.organizationId)}::uuid, e.id, e.type, e.version, ${values.add(clock.now().toISOString())}::timestamptz,
      e.object, e."recordId", e.data, ${values.add(actorIdOf(caller))}::uuid, ${originIn(ctx, values)}
    from jsonb_to_recordset(${values.add(`[${events.join(',')}]`)}::jsonb) as e(
      id uuid, type text, version int, object text, "recordId" uuid, data jsonb)
    join ${written} w on w.id = e."recordId" order by e.id`
}

/** A stored event of a generated record, such as demo data: it has no context, so all columns are given. */
export interface EventRow extends EventDraft {
  readonly id: string
  readonly organizationId: string
  readonly occurredAt: string
  readonly actorId: string | null
}

/** Inserts many events with one statement, in the order of `occurredAt`. */
export async function insertEvents(sql: Sql, events: readonly EventRow[]): Promise<void> {
  const rows = events.map((event) => ({ ...event, data: storedData(event.data) }))
  await sql.query(
    `insert into kernel.event (${columns})
     select "organizationId", id, type, version, "occurredAt", object, "recordId", data, "actorId" from jsonb_to_recordset($1::jsonb) as e(
       "organizationId" uuid, id uuid, type text, version int, "occurredAt" timestamptz, object text, "recordId" uuid, data jsonb, "actorId" uuid
     ) order by "occurredAt", id`,
    [JSON.stringify(rows)],
  )
}
