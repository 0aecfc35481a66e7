import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import { changedValues, loggedEvents, pendingEvents } from '../../kernel/outbox/logged-events.ts'
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

/** The most records, events and bytes of an undo in one transaction; a job undoes more of them. */
export const recordsMax = 500
const eventsMax = 5_000
const bytesMax = 16_000_000
/** The most events of an undo by a job. */
export const jobEventsMax = 1_000_000
/** The most events of the types in the time of a selection, of whatever user. */
const lookedAtMax = 50_000
/** The most events that are read at once. */
const eventsAtOnce = 250

/** The columns of an event, in statements with the organization as `$1`. */
const eventSql = `cross join lateral (
      select type, actor_id, data from kernel.event
      where organization_id = $1 and id = l.event_id and occurred_at = l.occurred_at offset 0
    ) e`

const eventColumns = `l.position::text as position, e.type, l.object, l.record_id as "recordId", (d.record ->> 'version')::int as version,
    ${changedValues("'{}'")}`

const tooMany = (message: string) => invalid({ path: 'input', code: 'TOO_MANY', message })

const inOperation = 'organization_id = $1 and operation_id = $2'
const inTime =
  'organization_id = $1 and object = any($2::text[]) and occurred_at >= $3::timestamptz and occurred_at < $4::timestamptz'

/** The SQL of the events of a selection as rows of the log, and its values. */
function selected(organizationId: string, selection: Selection): { sql: string; values: unknown[] } {
  if ('operationId' in selection) {
    const sql = `select * from (${loggedEvents('event_id, occurred_at, object, record_id', inOperation)}) l`
    return { sql, values: [organizationId, selection.operationId] }
  }
  const { objects, from, to, userId } = selection
  const sql = `select l.* from (${loggedEvents('event_id, occurred_at, object, record_id', inTime)}) l ${eventSql} where e.actor_id = $5`
  return { sql, values: [organizationId, objects, from, to, userId] }
}

/** Refuses a time with too many events. */
async function requireFewEvents({ db, caller }: RequestContext, selection: Selection): Promise<void> {
  if ('operationId' in selection) return
  const { objects, from, to } = selection
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (select 1 from (${loggedEvents('object', inTime)}) w limit ${lookedAtMax + 1}) x`,
    [caller.organizationId, objects, from, to],
    'LIST',
  )
  if (row!.count > lookedAtMax)
    throw tooMany(`More than ${lookedAtMax} events are in this time; name fewer record types or a shorter time.`)
}

/** The events of the selection in the order of the log; null if they are too many for one transaction. */
export async function operationEvents(ctx: RequestContext, selection: Selection): Promise<OperationEvent[] | null> {
  const { db, caller } = ctx
  await requireFewEvents(ctx, selection)
  const { sql, values } = selected(caller.organizationId, selection)
  const [size] = await db.query<{ events: number; records: number }>(
    `select count(*)::int as events, count(distinct (object, record_id))::int as records
     from (select object, record_id from (${sql}) s limit ${eventsMax + 1}) x`,
    values,
    'LIST',
  )
  if (size!.events > eventsMax || size!.records > recordsMax) return null
  const [read] = await db.query<{ bytes: number }>(
    `select coalesce(sum(octet_length(e.data::text)), 0)::float8 as bytes from (${sql}) l ${eventSql}`,
    values,
    'LIST',
  )
  if (read!.bytes > bytesMax) return null
  return withoutRowLimit(db).query<OperationEvent>(
    `select ${eventColumns}
     from (${sql}) l ${eventSql} cross join lateral jsonb_to_record(e.data) d(record jsonb, previous jsonb)
     order by l.position limit ${eventsMax + 1}`,
    values,
    'LIST',
  )
}

/** The types of the records of a selection, and the number of its changes. Refuses more than a job undoes. */
export async function changesIn(
  { db, caller }: RequestContext,
  selection: Selection,
): Promise<{ readonly objects: readonly string[]; readonly changes: number }> {
  const { sql, values } = selected(caller.organizationId, selection)
  const types = await db.query<{ object: string; count: number }>(
    `select object, count(*)::int as count from (select object from (${sql}) s limit ${jobEventsMax + 1}) x group by object order by object`,
    values,
    'WRITE',
  )
  const changes = types.reduce((sum, { count }) => sum + count, 0)
  if (changes > jobEventsMax) throw tooMany(`An undo takes at most ${jobEventsMax} changes.`)
  return { objects: types.map(({ object }) => object), changes }
}

/** Where the events of a selection are in the log. `isWaiting`: some of them have no position yet. */
export async function positionsOf(
  { db, caller }: RequestContext,
  selection: Selection,
): Promise<{ readonly first: number | null; readonly last: number | null; readonly isWaiting: boolean }> {
  const [where, values] =
    'operationId' in selection
      ? [inOperation, [selection.operationId]]
      : [inTime, [selection.objects, selection.from, selection.to]]
  const [row] = await db.query<{ first: number | null; last: number | null; isWaiting: boolean }>(
    `select min(position)::float8 as first, max(position)::float8 as last,
       exists (select from kernel.event_pending where ${where}) as "isWaiting"
     from kernel.event_log where ${where}`,
    [caller.organizationId, ...values],
    'WRITE',
  )
  return row!
}

/** SQL of the events of a selection, as `object`, `record_id` and `position`, between two positions. */
export function positionedEvents(
  organizationId: string,
  selection: Selection,
  { after, through }: { readonly after: number; readonly through: number },
): { readonly sql: string; readonly values: unknown[] } {
  if ('operationId' in selection)
    return {
      sql: `select object, record_id, position from kernel.event_log
        where ${inOperation} and position > $3::bigint and position <= $4::bigint`,
      values: [organizationId, selection.operationId, after, through],
    }
  const { objects, from, to, userId } = selection
  return {
    sql: `select l.object, l.record_id, l.position
      from (select * from kernel.event_log where ${inTime} and position > $6::bigint and position <= $7::bigint) l ${eventSql}
      where e.actor_id = $5`,
    values: [organizationId, objects, from, to, userId, after, through],
  }
}

/** The events at these positions, in the order of the positions. */
export async function* eventsAt(
  { db, caller }: RequestContext,
  positions: readonly (number | string)[],
): AsyncGenerator<OperationEvent> {
  for (let from = 0; from < positions.length; from += eventsAtOnce)
    yield* await withoutRowLimit(db).query<OperationEvent>(
      `select ${eventColumns}
       from unnest($2::bigint[]) with ordinality p(position, number)
         cross join lateral (
           select * from kernel.event_log where organization_id = $1 and position = p.position offset 0
         ) l ${eventSql} cross join lateral jsonb_to_record(e.data) d(record jsonb, previous jsonb)
       order by p.number`,
      [caller.organizationId, positions.slice(from, from + eventsAtOnce)],
      'WRITE',
    )
}

/** A field of a record, or any, that has changed after a position. */
export interface ChangedField {
  readonly object: string
  readonly recordId: string
  readonly position: string
  readonly field: string | null
}

export interface LaterChange {
  readonly changedById: string | null
  readonly changedAt: string
}

/** Changes that one statement looks for. */
const changesAtOnce = 500

/** Who changed each of these last, besides this operation; null where that is not known. */
export async function laterChanges(
  ctx: RequestContext,
  changed: readonly ChangedField[],
): Promise<(LaterChange | null)[]> {
  const found: (LaterChange | null)[] = []
  for (let from = 0; from < changed.length; from += changesAtOnce)
    found.push(...(await someLaterChanges(ctx, changed.slice(from, from + changesAtOnce))))
  return found
}

async function someLaterChanges(
  { db, caller, operationId, requestId }: RequestContext,
  changed: readonly ChangedField[],
): Promise<(LaterChange | null)[]> {
  const columns = 'event_id, occurred_at, operation_id'
  const ofRecord = 'record_id = c.record_id and object = c.object'
  const rows = await db.query<LaterChange & { readonly number: number } & Row>(
    // Events without a position are not found by their record, so they are looked through once.
    `with pending as materialized (
       ${pendingEvents(`${columns}, record_id, object`, 'organization_id = $1 and record_id = any($2::uuid[])')}
     )
     select c.number::int as number, later.*
     from unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[]) with ordinality c(record_id, object, position, name, number)
       cross join lateral (
         select e.actor_id as "changedById", l.occurred_at as "changedAt"
         from (
           select ${columns}, position from kernel.event_log where organization_id = $1 and ${ofRecord}
           union all select ${columns}, position from pending where ${ofRecord}
         ) l ${eventSql}
         where l.position > c.position and l.operation_id is distinct from $6 and (c.name is null or e.data -> 'previous' ? c.name)
         order by l.position desc limit 1
       ) later`,
    [
      caller.organizationId,
      changed.map(({ recordId }) => recordId),
      changed.map(({ object }) => object),
      changed.map(({ position }) => position),
      changed.map(({ field }) => field?.split('.')[0] ?? null),
      operationId ?? requestId,
    ],
    'WRITE',
  )
  const byNumber = new Map(rows.map(({ number, changedById, changedAt }) => [number, { changedById, changedAt }]))
  return changed.map((_, index) => byNumber.get(index + 1) ?? null)
}
