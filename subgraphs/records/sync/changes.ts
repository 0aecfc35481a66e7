import { mayReceive, noParents } from '../../events/public.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import {
  changesAfter,
  isRangeKept,
  keptPositions,
  valuesInEvents,
  type LoggedChange,
  type ValuesInEvent,
} from '../../kernel/outbox/event-log.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { winnersOf } from '../../kernel/record/merge/merged-records.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { readFitting, type FittingRow } from '../../kernel/record/read-fitting.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decodeCursor, encodeCursor } from './sync-cursor.ts'
import type { SyncChange, SyncChanges, SyncReason } from './sync.types.ts'
import { PageSize, recordOf, schemaVersionOf } from './synced-record.ts'
import { shapesOfCursor } from './synced-types.ts'

/** Events that one page looks at. */
const eventsMax = 5_000
/** Events of one statement: one more than the largest page has records, because most records have one event. */
const eventsAtOnce = 1_001

/** The records with events after a cursor, each once, as it is now for the caller. */
export async function readChanges(
  ctx: RequestContext,
  { cursor, objects, limit }: { cursor: string; objects: readonly string[] | null; limit: number },
): Promise<SyncChanges> {
  const from = decodeCursor(cursor)
  if (from.snapshot !== null)
    throw invalid({
      path: 'cursor',
      code: 'NOT_A_CURSOR',
      message: 'cursor must be that of the last page of a snapshot, or of changes. This snapshot has further pages.',
    })
  const shapes = shapesOfCursor(ctx, from, objects)
  const { organizationId } = ctx.caller
  const { latest } = await keptPositions(ctx.db, organizationId)
  const range = { after: from.position, upTo: latest, objects: shapes.map(({ object }) => object) }
  const { changed, through } = from.position < latest ? await firstRecords(ctx, range, limit) : noChanges(latest)
  if (from.position > latest || !(await isRangeKept(ctx.db, organizationId, from.position, through)))
    throw new Refusal('CURSOR_EXPIRED', 'The events after the cursor are not all kept any more. Read a new snapshot.')
  const page = await pageOf(ctx, shapes, changed, through)
  return {
    changes: page.changes,
    nextCursor: encodeCursor({ ...from, position: page.through }),
    hasMore: page.through < latest,
    schemaVersion: schemaVersionOf(ctx),
  }
}

interface Changed extends LoggedChange {
  /** The positions of its events. */
  readonly positions: number[]
  /** The time of its latest event. */
  changedAt: string
}

interface FirstRecords {
  readonly changed: readonly Changed[]
  readonly through: number
}

const noChanges = (through: number): FirstRecords => ({ changed: [], through })

/** The first records of the log, in the order of their first events, and the position before the event of the next one. */
async function firstRecords(
  { db, caller }: RequestContext,
  range: { readonly after: number; readonly upTo: number; readonly objects: readonly string[] },
  limit: number,
): Promise<FirstRecords> {
  const byRecord = new Map<string, Changed>()
  let through = range.after
  for (let read = 0; read < eventsMax; read += eventsAtOnce) {
    const part = { ...range, after: through, limit: eventsAtOnce }
    const { changes, through: end } = await changesAfter(db, caller.organizationId, part)
    for (const change of changes) {
      const { object, recordId, position, occurredAt } = change
      const key = `${object} ${recordId}`
      const known = byRecord.get(key)
      if (!known && byRecord.size === limit) return { changed: [...byRecord.values()], through: position - 1 }
      if (!known) byRecord.set(key, { ...change, positions: [position], changedAt: occurredAt })
      else {
        known.positions.push(position)
        known.changedAt = occurredAt
      }
    }
    through = end
    if (changes.length < eventsAtOnce) break
  }
  return { changed: [...byRecord.values()], through }
}

/** The changes of these records that the caller learns of. A page with large records ends before the event of the next one. */
async function pageOf(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  changed: readonly Changed[],
  through: number,
): Promise<{ readonly changes: SyncChange[]; readonly through: number }> {
  const changes: SyncChange[] = []
  const shapeOf = new Map(shapes.map((shape) => [shape.object, shape]))
  const size = new PageSize()
  let from = 0
  while (from < changed.length) {
    const part = changed.slice(from, from + size.next())
    const { current, isRead } = await readCurrent(ctx, shapeOf, part, size.room)
    const gone = part.filter((change) => isRead.has(change) && !current.has(change))
    const reasons = await reasonsOf(ctx, shapeOf, gone)
    const winners = await mergedInto(
      ctx,
      shapeOf,
      gone.filter((change) => reasons.get(change) === 'DELETED'),
    )
    for (const change of part) {
      if (size.isReached || !isRead.has(change)) return { changes, through: change.position - 1 }
      const { object, recordId: id, changedAt } = change
      const row = current.get(change)
      const reason = reasons.get(change)
      if (row) {
        const record = recordOf(ctx, shapeOf.get(object)!, row)
        size.add(record, row.rowBytes)
        const version = row['version'] as number
        const mergedIntoId = null
        changes.push({ object, id, operation: 'UPSERT', reason: 'CHANGED', version, changedAt, record, mergedIntoId })
      } else if (reason) {
        const mergedIntoId = winners.get(change) ?? null
        const what = mergedIntoId === null ? ({ operation: 'DELETE', reason } as const) : merged
        changes.push({ object, id, ...what, version: null, changedAt, record: null, mergedIntoId })
      }
    }
    from += part.length
  }
  return { changes, through }
}

type Shapes = ReadonlyMap<string, RecordShape>

interface Read {
  /** The records that the caller sees, as they are now. */
  readonly current: ReadonlyMap<Changed, FittingRow>
  /** Those that were looked for: the first one in any case, and as many as fit into the page. */
  readonly isRead: ReadonlySet<Changed>
}

/** Reads the records as they are now, those of one type after those of another. */
async function readCurrent(
  ctx: RequestContext,
  shapeOf: Shapes,
  changed: readonly Changed[],
  bytesMax: number,
): Promise<Read> {
  const current = new Map<Changed, FittingRow>()
  const isRead = new Set<Changed>()
  let room = bytesMax
  for (const [object, own] of Map.groupBy(changed, (change) => change.object)) {
    if (room <= 0) break
    const shape = shapeOf.get(object)!
    const ids = own.map(({ recordId }) => recordId)
    const { rows, count } = await readFitting(ctx, shape, ids, room)
    for (const change of own.slice(0, count)) isRead.add(change)
    for (const row of rows) {
      current.set(own[row.placeOfId - 1]!, row)
      room -= row.rowBytes
    }
  }
  return { current, isRead }
}

/** Events that are looked at first; of records for which they do not tell, four times as many next. */
const firstEvents = 1

/**
 * Why the caller does not see these records any more: the latest event that shows that the caller saw the record before decides. A record that the
 * caller did not see before is left out: nothing tells that it exists.
 */
async function reasonsOf(
  ctx: RequestContext,
  shapeOf: Shapes,
  gone: readonly Changed[],
): Promise<Map<Changed, SyncReason>> {
  const reasons = new Map<Changed, SyncReason>()
  const names = decidingNames(gone.map(({ object }) => shapeOf.get(object)!))
  let pending = gone
  for (let [before, count] = [0, firstEvents]; pending.length > 0; before += count, count *= 4) {
    const latest = ({ positions }: Changed) =>
      positions.slice(Math.max(0, positions.length - before - count), positions.length - before)
    const found = await valuesInEvents(ctx.db, ctx.caller.organizationId, pending.flatMap(latest), names)
    const events = new Map(found.map((event) => [event.position, event]))
    for (const change of pending) {
      const shape = shapeOf.get(change.object)!
      const isKnown = (event: ValuesInEvent): boolean =>
        [event.record, event.previous].some((values) => values && mayReceive(ctx.caller, shape, values, noParents))
      const known = latest(change)
        .flatMap((position) => events.get(position) ?? [])
        .findLast(isKnown)
      if (known)
        reasons.set(change, shape.events!.types[known.type]?.operation === 'DELETE' ? 'DELETED' : 'OUT_OF_SIGHT')
    }
    pending = pending.filter((change) => !reasons.has(change) && change.positions.length > before + count)
  }
  return reasons
}

const merged = { operation: 'MERGED', reason: 'MERGED' } as const

/** The records that some of these deleted records were merged into, of those that the caller sees. */
async function mergedInto(
  ctx: RequestContext,
  shapeOf: Shapes,
  deleted: readonly Changed[],
): Promise<Map<Changed, string>> {
  const winners = await winnersOf(
    ctx,
    deleted.map(({ recordId }) => recordId),
  )
  const into = new Map<Changed, string>()
  if (winners.size === 0) return into
  for (const [object, own] of Map.groupBy(deleted, (change) => change.object)) {
    const ids = own.flatMap(({ recordId }) => winners.get(recordId) ?? [])
    const visible = await visibleIds(ctx, shapeOf.get(object)!, [...new Set(ids)])
    for (const change of own) {
      const winner = winners.get(change.recordId)
      if (winner !== undefined && visible.has(winner)) into.set(change, winner)
    }
  }
  return into
}

/** The names of the values that decide who sees a record. */
const decidingNames = (shapes: readonly RecordShape[]): string[] => [
  ...new Set(
    shapes.flatMap(({ visibleBy, privateUnless }) => [
      ...visibleBy,
      ...(privateUnless ? [privateUnless, 'ownerId'] : []),
    ]),
  ),
]
