import { withoutHidden } from '../../events/public.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { changedValues, loggedEvents } from '../../kernel/outbox/logged-events.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import type { Operation } from '../../kernel/record/event-types.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { stateOf } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { fieldChanges } from './field-changes.ts'
import type { RecordVersion, RecordVersionPage } from './history.types.ts'

type Fields = Readonly<Record<string, unknown>>

interface EventOfRecord extends Row {
  readonly position: string
  readonly version: number
  readonly type: string
  readonly occurredAt: string
  readonly actorId: string | null
  readonly operationId: string | null
  /** What the change replaced; null where the event has no previous record. */
  readonly previous: Fields | null
  /** The values in place of these, or the whole record. */
  readonly record: Fields
  readonly bytes: number
}

const eventsAtOnce = 60
/** From so many bytes on, a page ends. */
const bytesMax = 2_000_000
/** Events that a page may pass over before it comes to its cursor, and their bytes. */
const [passedMax, passedBytesMax] = [1_000, 16_000_000]

const cursorForm = /^(\d{1,19})-(\d{1,10})$/

function cursorOf({ position, version }: EventOfRecord): string {
  return `${position}-${version}`
}

function placeOf(cursor: string): { position: string; version: number } {
  const [, position, version] = cursorForm.exec(cursor) ?? []
  if (!position || BigInt(position) > 9_223_372_036_854_775_807n || Number(version) >= 2 ** 31)
    throw invalid({ path: 'cursor', code: 'WRONG_FORMAT', message: 'cursor must be nextCursor of another page.' })
  return { position, version: Number(version) }
}

/** Events of a record before a place, newest first. Of an update, the values that it changed. */
const eventsBefore = `with logged as (
    ${loggedEvents('event_id, occurred_at', 'organization_id = $1 and record_id = $2 and object = $3')}
  )
  select l.position::text as position, (d.record ->> 'version')::int as version, e.type, e.occurred_at as "occurredAt", e.actor_id as "actorId", e.operation_id as "operationId",
    ${changedValues('d.record')},
    octet_length(e.data::text) as bytes
  from (select * from logged where $4::bigint is null or position < $4::bigint order by position desc limit $5) l
    cross join lateral (
      select type, occurred_at, actor_id, operation_id, data from kernel.event
      where organization_id = $1 and id = l.event_id and occurred_at = l.occurred_at offset 0
    ) e
    cross join lateral jsonb_to_record(e.data) d(record jsonb, previous jsonb)
  order by l.position desc`

/** The events of the newest versions before the cursor: of one version more than the limit, if there is one. */
async function readEvents(
  { db, caller }: RequestContext,
  shape: RecordShape,
  id: string,
  cursor: string | null,
  limit: number,
): Promise<EventOfRecord[]> {
  const place = cursor === null ? null : placeOf(cursor)
  const events: EventOfRecord[] = []
  const versions = new Set<number>()
  let [before, bytes, passed, passedBytes] = [place?.position ?? null, 0, 0, 0]
  while (versions.size <= limit && (bytes < bytesMax || versions.size < 2)) {
    const rows = await db.query<EventOfRecord>(eventsBefore, [
      caller.organizationId,
      id,
      shape.object,
      before,
      eventsAtOnce,
    ])
    if (rows.length === 0) break
    before = rows.at(-1)!.position
    for (const row of rows) {
      // Events that had no position when the cursor was made may have got one before it.
      if (place && row.version >= place.version) {
        passed += 1
        passedBytes += row.bytes
        continue
      }
      const later = events.at(-1)
      // Only the first event of a version has its change.
      if (later?.version === row.version) events[events.length - 1] = { ...later, previous: null, record: {} }
      events.push(row)
      versions.add(row.version)
      bytes += row.bytes
    }
    if (passed > passedMax || passedBytes > passedBytesMax)
      throw invalid({
        path: 'cursor',
        code: 'OUT_OF_RANGE',
        message: `More than ${passedMax} changes, or ${passedBytesMax / 1_000_000} MB of them, are between cursor and its version; begin with the first page.`,
      })
  }
  return events
}

/** The versions of a record that the caller sees now, newest first, without what the caller's profile hides. */
export async function readVersions(
  ctx: RequestContext,
  shape: RecordShape,
  { id, cursor, limit }: { readonly id: string; readonly cursor: string | null; readonly limit: number },
): Promise<RecordVersionPage> {
  const recordId = id.toLowerCase()
  if ((await stateOf(ctx, shape, recordId)) === null) throw notFound(`The ${nameOf(shape)}`)
  ctx.answered?.record(shape, recordId)
  const events = await readEvents(ctx, shape, recordId, cursor, limit)
  const byVersion = [...Map.groupBy(events, ({ version }) => version).values()]
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0)
  // The last version may have further events that were not read.
  const hasMore = byVersion.length > limit || bytes >= bytesMax
  const shown = hasMore ? byVersion.slice(0, Math.min(limit, byVersion.length - 1)) : byVersion
  return {
    data: shown.map((group) => versionOf(ctx, shape, group)),
    hasMore,
    nextCursor: hasMore ? cursorOf(shown.at(-1)!.at(-1)!) : null,
  }
}

/** The change is the first event of a version; later ones changed nothing. */
function versionOf(ctx: RequestContext, shape: RecordShape, newestFirst: readonly EventOfRecord[]): RecordVersion {
  const change = newestFirst.at(-1)!
  const operation: Operation = shape.events?.types[change.type]?.operation ?? (change.previous ? 'UPDATE' : 'CREATE')
  const rules = fieldRules(ctx.caller, shape)
  const seen = (values: Fields): Fields => (rules ? withoutHidden(values, rules) : values)
  const { deletedAt = null } = change.record
  const states: Readonly<Record<Operation, readonly [Fields | null, Fields]>> = {
    CREATE: [null, change.record],
    UPDATE: [change.previous, change.record],
    DELETE: [{ deletedAt: null }, { deletedAt }],
    // The time of the deletion is in the version before.
    RESTORE: [null, {}],
  }
  const [before, after] = states[operation]
  return {
    version: change.version,
    operation,
    events: newestFirst.map(({ type }) => type).toReversed(),
    changedAt: change.occurredAt,
    changedById: change.actorId,
    operationId: change.operationId,
    changes: fieldChanges(shape, before && seen(before), seen(after)),
  }
}
