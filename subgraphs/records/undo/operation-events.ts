import type { Row } from '../../kernel/database/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import { changedValues, loggedEvents } from '../../kernel/outbox/logged-events.ts'
import type { RequestContext } from '../../kernel/request.ts'

type Fields = Readonly<Record<string, unknown>>

/** An event of what is to be undone. Of an update, the values that it changed. */
export interface OperationEvent extends Row {
  readonly position: string
  readonly type: string
  readonly object: string
  readonly recordId: string
  readonly version: number | null
  readonly previous: Fields | null
  readonly record: Fields
}

/** Which events are meant: those of one operation, or those of a user in a time. */
export type Selection =
  | { readonly operationId: string }
  | { readonly userId: string; readonly from: string; readonly to: string; readonly objects: readonly string[] }

/** The most records of one undo. */
export const recordsMax = 500
/** The most events of the types in the time of a selection, of whatever user. */
const lookedAtMax = 50_000
const eventsMax = 5_000
const bytesMax = 16_000_000

const logOf = (where: string): string =>
  loggedEvents('event_id, occurred_at, object, record_id', `organization_id = $1 and ${where}`)

const eventsIn = (log: string, where: string): string => `
  select l.position::text as position, e.type, l.object, l.record_id as "recordId", (d.record ->> 'version')::int as version,
    ${changedValues("'{}'")},
    octet_length(e.data::text) as bytes
  from (${log}) l
    cross join lateral (
      select type, actor_id, data from kernel.event
      where organization_id = $1 and id = l.event_id and occurred_at = l.occurred_at offset 0
    ) e
    cross join lateral jsonb_to_record(e.data) d(record jsonb, previous jsonb)
  where ${where} order by l.position limit ${eventsMax + 1}`

const tooMany = (message: string) => invalid({ path: 'input', code: 'TOO_MANY', message })

/** The events of the selection in the order of the log. Refuses more than one undo takes. */
export async function operationEvents(ctx: RequestContext, selection: Selection): Promise<OperationEvent[]> {
  const { db, caller } = ctx
  const { organizationId } = caller
  let events: (OperationEvent & { readonly bytes: number })[]
  if ('operationId' in selection) {
    const text = eventsIn(`${logOf('operation_id = $2')} order by position limit ${eventsMax + 1}`, 'true')
    events = await db.query(text, [organizationId, selection.operationId], 'LIST')
  } else {
    const { userId, from, to, objects } = selection
    const within = logOf(
      'object = any($2::text[]) and occurred_at >= $3::timestamptz and occurred_at < $4::timestamptz',
    )
    const values = [organizationId, objects, from, to]
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from (select 1 from (${within}) w limit ${lookedAtMax + 1}) x`,
      values,
      'LIST',
    )
    if (row!.count > lookedAtMax)
      throw tooMany(`More than ${lookedAtMax} events are in this time; name fewer record types or a shorter time.`)
    events = await db.query(eventsIn(within, 'e.actor_id = $5'), [...values, userId], 'LIST')
  }
  const records = new Set(events.map(({ object, recordId }) => `${object} ${recordId}`))
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0)
  if (records.size > recordsMax || events.length > eventsMax || bytes > bytesMax)
    throw tooMany(`An undo takes at most ${recordsMax} records; select fewer changes by user, time and record types.`)
  return events
}

/** Who changed a field of a record last after a position; null if that is not known. */
export async function laterChange(
  { db, caller }: RequestContext,
  { object, recordId, position, field }: { object: string; recordId: string; position: string; field: string | null },
): Promise<{ readonly changedById: string | null; readonly changedAt: string } | null> {
  const name = field?.split('.')[0] ?? null
  const [row] = await db.query<{ changedById: string | null; changedAt: string }>(
    `select e.actor_id as "changedById", e.occurred_at as "changedAt"
     from (${logOf('record_id = $2 and object = $3')}) l cross join lateral (
       select actor_id, occurred_at, data from kernel.event
       where organization_id = $1 and id = l.event_id and occurred_at = l.occurred_at offset 0
     ) e
     where l.position > $4::bigint and ($5::text is null or e.data -> 'previous' ? $5::text)
     order by l.position desc limit 1`,
    [caller.organizationId, recordId, object, position, name],
  )
  return row ?? null
}
