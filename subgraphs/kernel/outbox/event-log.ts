import type { Logger } from 'pino'
import type { Row, Sql } from '../database/sql.ts'
import { Listener } from '../database/listen.ts'
import type { Tenancy } from '../database/tenant-database.ts'
import type { EventFeed, EventSelection, LoggedEvent } from './event-feed.ts'
import { wholeData } from './event-data.ts'

/**
 * The event of each position. A join would let the planner read all events of an organization that has many more than the statistics say. "offset 0"
 * keeps the lookup as it is.
 */
const eventsOfLog = `kernel.event_log l cross join lateral (
         select * from kernel.event where organization_id = l.organization_id and id = l.event_id and occurred_at = l.occurred_at offset 0
       ) e`

const selectEvents = `select l.position, e.id, e.type, e.version, e.occurred_at as "occurredAt", e.object, e.record_id as "recordId",
         e.actor_id as "actorId", e.operation_id as "operationId", e.origin, e.depth, e.data
       from ${eventsOfLog}`

const withWholeData = (rows: readonly (LoggedEvent & Row)[]): LoggedEvent[] =>
  rows.map((row) => ({ ...row, data: wholeData(row.data) }))

/** Most consumers need few of the events, and this sends none of the others to the process. */
const firstOfTypes = (and: string) => `select l.position from ${eventsOfLog}
       where l.organization_id = $1 and l.position > $2 and l.position <= $3 and e.type = any($4)${and}
       order by l.position limit 1`

/** Positions of the first statement of a batch. */
const firstPositions = 4
/** While the events of a statement have fewer bytes, the next one reads four times as many positions. */
const fewBytes = 65_536
/** From so many bytes on, a batch ends. */
const batchBytes = 524_288

interface Range {
  readonly after: number
  readonly through: number
  readonly types: readonly string[] | null
  /** As `condition` of an `EventConsumer`. */
  readonly condition?: string | undefined
}

/**
 * The events of these types (null: of all types) after a position up to another one, in the transaction of the reader, and the position up to
 * which they were read: large events make a batch shorter. Several statements, because a client decides how large its events are, and
 * parsing many large ones together would stop all other requests.
 */
export async function eventsThrough(
  sql: Sql,
  organizationId: string,
  { after, through, types, condition }: Range,
): Promise<{ readonly events: LoggedEvent[]; readonly through: number }> {
  const events: LoggedEvent[] = []
  let [read, positions, bytes] = [after, firstPositions, 0]
  const and = condition ? ` and (${condition})` : ''
  if (types && through - after > firstPositions) {
    const [first] = await sql.query<{ position: number }>(firstOfTypes(and), [organizationId, after, through, types])
    if (!first) return { events, through }
    read = first.position - 1
  }
  while (read < through && bytes < batchBytes) {
    const upTo = Math.min(read + positions, through)
    const rows = await sql.query<LoggedEvent & Row & { readonly bytes: number }>(
      `select x.*, octet_length(x.data::text) as bytes from (
         ${selectEvents}
         where l.organization_id = $1 and l.position > $2 and l.position <= $3${types ? ' and e.type = any($4)' : ''}${and}
       ) x order by x.position`,
      [organizationId, read, upTo, ...(types ? [types] : [])],
    )
    const bytesRead = rows.reduce((sum, row) => sum + row.bytes, 0)
    events.push(...withWholeData(rows.map(({ bytes: _bytes, ...event }) => event as LoggedEvent & Row)))
    read = upTo
    bytes += bytesRead
    if (bytesRead < fewBytes) positions *= 4
  }
  return { events, through: read }
}

/** An event of a record in the log, without its data. */
export interface LoggedChange {
  readonly position: number
  readonly object: string
  readonly recordId: string
  /** ISO 8601, UTC. */
  readonly occurredAt: string
}

/** Positions that one call looks at, whatever they are. */
const positionsMax = 50_000

/** The oldest position of an organization that is kept, null if none is, and the latest one. */
export async function keptPositions(
  sql: Sql,
  organizationId: string,
): Promise<{ readonly oldest: number | null; readonly latest: number }> {
  const [row] = await sql.query<{ oldest: number | null; latest: number | null }>(
    `select (select position from kernel.event_log where organization_id = $1 order by position limit 1) as oldest,
       (select position from kernel.event_head where organization_id = $1) as latest`,
    [organizationId],
  )
  return { oldest: row!.oldest, latest: row!.latest ?? 0 }
}

/** The time of the first event at or after a position; null if there is none. */
export async function timeAt(sql: Sql, organizationId: string, position: number): Promise<string | null> {
  const [row] = await sql.query<{ occurredAt: string }>(
    `select occurred_at as "occurredAt" from kernel.event_log where organization_id = $1 and position >= $2 order by position limit 1`,
    [organizationId, position],
  )
  return row?.occurredAt ?? null
}

/**
 * The position before the first event that occurred at or after a time, by a binary search: times grow with the positions, except for those of
 * transactions at the same time.
 */
export async function positionBefore(
  sql: Sql,
  organizationId: string,
  { oldest, latest, time }: { readonly oldest: number; readonly latest: number; readonly time: string },
): Promise<number> {
  let [before, at] = [oldest - 1, latest + 1]
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    const found = await timeAt(sql, organizationId, middle)
    if (found !== null && Date.parse(found) < Date.parse(time)) before = middle
    else at = middle
  }
  return before
}

/** Which records of these types have events after a position, one entry for each event, and the position up to which the log was read. */
export async function changesAfter(
  sql: Sql,
  organizationId: string,
  {
    after,
    upTo,
    objects,
    limit,
  }: { readonly after: number; readonly upTo: number; readonly objects: readonly string[]; readonly limit: number },
): Promise<{ readonly changes: readonly LoggedChange[]; readonly through: number }> {
  const through = Math.min(upTo, after + positionsMax)
  const changes = await sql.query<LoggedChange & Row>(
    `select position, object, record_id as "recordId", occurred_at as "occurredAt" from kernel.event_log
     where organization_id = $1 and position > $2 and position <= $3 and object = any($4::text[]) order by position limit $5`,
    [organizationId, after, through, objects, limit],
  )
  return { changes, through: changes.length < limit ? through : changes.at(-1)!.position }
}

/** The events at these positions, in their order, and the last position that was read: fewer of large events, at least the first. */
export async function eventsAt(
  sql: Sql,
  organizationId: string,
  positions: readonly number[],
): Promise<{ readonly events: readonly LoggedEvent[]; readonly through: number }> {
  const rows = await sql.query<LoggedEvent & Row>(
    `select y.position, y.id, y.type, y.version, y."occurredAt", y.object, y."recordId", y."actorId", y."operationId", y.origin, y.depth,
       case when y.before < ${batchBytes} then y.data end as data
     from (
       select x.*, sum(x.bytes) over (order by x.position) - x.bytes as before
       from (
         select s.*, octet_length(s.data::text) as bytes
         from (${selectEvents} where l.organization_id = $1 and l.position = any($2::bigint[])) s
       ) x
     ) y order by y.position`,
    [organizationId, positions],
  )
  const end = rows.findIndex(({ data }) => data === null)
  if (end < 0) return { events: withWholeData(rows), through: positions.at(-1)! }
  return { events: withWholeData(rows.slice(0, end)), through: rows[end]!.position - 1 }
}

/**
 * Whether all events of a range of positions are kept. Positions have no gaps, so a missing one is that of an event that is gone; of two events that
 * were committed in another order than they occurred, the later one by position may be gone first.
 */
export async function isRangeKept(sql: Sql, organizationId: string, after: number, through: number): Promise<boolean> {
  const [row] = await sql.query<{ kept: number }>(
    'select count(*)::int as kept from kernel.event_log where organization_id = $1 and position > $2 and position <= $3',
    [organizationId, after, through],
  )
  return row!.kept === through - after
}

/** Some values of a record in an event, as the event has it and as it was before. */
export interface ValuesInEvent {
  readonly position: number
  readonly type: string
  readonly record: Readonly<Record<string, unknown>>
  readonly previous: Readonly<Record<string, unknown>> | null
}

/** Events of one statement: PostgreSQL reads the whole data of each to find the values. */
const eventsAtOnce = 250

const valuesSql = (name: string) =>
  `coalesce((select jsonb_object_agg(n, d.${name} -> n) from unnest($3::text[]) n where d.${name} ? n), '{}')`

/** The values with these names in the events of records at these positions. What a client has made large stays in the database. */
export async function valuesInEvents(
  sql: Sql,
  organizationId: string,
  positions: readonly number[],
  names: readonly string[],
): Promise<ValuesInEvent[]> {
  const events: ValuesInEvent[] = []
  for (let from = 0; from < positions.length; from += eventsAtOnce) {
    const rows = await sql.query<ValuesInEvent & Row>(
      `select l.position, e.type, ${valuesSql('record')} as record,
         case when jsonb_typeof(d.previous) = 'object' then ${valuesSql('previous')} end as previous
       from ${eventsOfLog} cross join lateral jsonb_to_record(e.data) d(record jsonb, previous jsonb)
       where l.organization_id = $1 and l.position = any($2::bigint[])`,
      [organizationId, positions.slice(from, from + eventsAtOnce), names],
    )
    events.push(
      ...rows.map(({ previous, ...row }) => ({ ...row, previous: previous && { ...row.record, ...previous } })),
    )
  }
  return events
}

export interface EventLogOptions {
  readonly tenants: Tenancy
  readonly databaseUrl: string
  readonly log: Pick<Logger, 'warn'>
}

/** The event log in PostgreSQL. LISTEN starts with the first `watch`, so a process without watchers uses no connection for it. */
export class EventLog implements EventFeed {
  readonly #tenants: Tenancy
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #listen: () => Promise<Listener>
  #listener: Promise<Listener> | null = null

  constructor({ tenants, databaseUrl, log }: EventLogOptions) {
    this.#tenants = tenants
    this.#listen = () =>
      Listener.open(
        databaseUrl,
        'events_logged',
        (organizationIds) => this.#wake(organizationIds),
        log,
        () => this.#wakeAll(),
      )
  }

  async latest(organizationId: string): Promise<number> {
    const [head] = await this.#tenants
      .of(organizationId)
      .query<{ position: number }>('select position from kernel.event_head where organization_id = $1', [
        organizationId,
      ])
    return head?.position ?? 0
  }

  async oldest(organizationId: string): Promise<number | null> {
    const [first] = await this.#tenants
      .of(organizationId)
      .query<{ position: number }>(
        'select position from kernel.event_log where organization_id = $1 order by position limit 1',
        [organizationId],
      )
    return first?.position ?? null
  }

  async read(
    organizationId: string,
    { after, limit, upTo, object, objects, recordId }: EventSelection,
  ): Promise<readonly LoggedEvent[]> {
    const values: unknown[] = [organizationId, after, limit]
    const ofObject = object === undefined ? '' : ` and l.object = $${values.push(object)}`
    const ofObjects = objects === undefined ? '' : ` and l.object = any($${values.push(objects)}::text[])`
    const ofRecord = recordId === undefined ? '' : ` and l.record_id = $${values.push(recordId)}`
    const within = upTo === undefined ? '' : ` and l.position <= $${values.push(upTo)}`
    const rows = await this.#tenants.of(organizationId).query<LoggedEvent & Row>(
      `${selectEvents}
       where l.organization_id = $1 and l.position > $2${within}${ofObject}${ofObjects}${ofRecord}
       order by l.position limit $3`,
      values,
    )
    return withWholeData(rows)
  }

  watch(organizationId: string, wake: () => void): () => void {
    this.#listener ??= this.#listen()
    const watchers = this.#watchers.get(organizationId) ?? new Set()
    this.#watchers.set(organizationId, watchers.add(wake))
    return () => {
      watchers.delete(wake)
      if (watchers.size === 0 && this.#watchers.get(organizationId) === watchers) this.#watchers.delete(organizationId)
    }
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    await (await this.#listener)?.close()
  }

  #wake(organizationIds: string): void {
    if (this.#watchers.size === 0) return
    for (const organizationId of organizationIds.split(',')) {
      for (const wake of this.#watchers.get(organizationId) ?? []) wake()
    }
  }

  /** Called when LISTEN starts or restarts: notifications that were sent before were missed. */
  #wakeAll(): void {
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake()
  }
}
