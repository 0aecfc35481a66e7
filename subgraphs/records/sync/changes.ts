import { noParents, outOfSight, visibleEvent } from '../../events/public.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { changesAfter, eventsOfRecords, keptPositions, type LoggedChange } from '../../kernel/outbox/event-log.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { allColumnNames, readReference } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decodeCursor, encodeCursor } from './sync-cursor.ts'
import type { SyncChange, SyncChanges, SyncReason } from './sync.types.ts'
import { PageSize, recordOf, schemaVersionOf } from './synced-record.ts'
import { shapesOfCursor } from './synced-types.ts'

/** Events that one page looks at. */
const eventsMax = 5_000

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
  const schemaVersion = await schemaVersionOf(ctx)
  const { organizationId } = ctx.caller
  const { oldest, latest } = await keptPositions(ctx.db, organizationId)
  const isKept = from.position === latest || (oldest !== null && oldest - 1 <= from.position && from.position < latest)
  if (!isKept)
    throw new Refusal('CURSOR_EXPIRED', 'The events after the cursor are not all kept any more. Read a new snapshot.')
  const range = { after: from.position, upTo: latest, objects: from.objects, limit: eventsMax }
  const logged = await changesAfter(ctx.db, organizationId, range)
  const { changed, through } = firstRecords(logged, limit)
  const page = await pageOf(ctx, shapes, changed, { after: from.position, through })
  return {
    changes: page.changes,
    nextCursor: encodeCursor({ ...from, position: page.through }),
    hasMore: page.through < latest,
    schemaVersion,
  }
}

interface Changed extends LoggedChange {
  /** The time of its latest event. */
  readonly changedAt: string
}

interface Range {
  readonly after: number
  readonly through: number
}

/** The first records of the log, in the order of their first events, and the position before the event of the next one. */
function firstRecords(
  { changes, through }: { readonly changes: readonly LoggedChange[]; readonly through: number },
  limit: number,
): { readonly changed: Changed[]; readonly through: number } {
  const byRecord = new Map<string, Changed>()
  for (const change of changes) {
    const key = `${change.object} ${change.recordId}`
    const known = byRecord.get(key)
    if (!known && byRecord.size === limit) return { changed: [...byRecord.values()], through: change.position - 1 }
    byRecord.set(key, { ...(known ?? change), changedAt: change.occurredAt })
  }
  return { changed: [...byRecord.values()], through }
}

/** The changes of these records that the caller learns of. A page with large records ends before the event of the next one. */
async function pageOf(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  changed: readonly Changed[],
  range: Range,
): Promise<{ readonly changes: SyncChange[]; readonly through: number }> {
  const changes: SyncChange[] = []
  const size = new PageSize()
  let from = 0
  while (from < changed.length) {
    const part = changed.slice(from, from + size.next())
    const current = await readCurrent(ctx, shapes, part)
    const isGone = (change: Changed): boolean => !current.has(change)
    const reasons = await reasonsOf(ctx, shapes, part.filter(isGone), range)
    for (const change of part) {
      if (size.isReached) return { changes, through: change.position - 1 }
      const { object, recordId: id, changedAt } = change
      const found = current.get(change)
      const reason = reasons.get(change)
      if (found) {
        const record = recordOf(ctx, found.shape, found.row)
        size.add(record)
        const version = found.row['version'] as number
        changes.push({ object, id, operation: 'UPSERT', reason: 'CHANGED', version, changedAt, record })
      } else if (reason)
        changes.push({ object, id, operation: 'DELETE', reason, version: null, changedAt, record: null })
    }
    from += part.length
  }
  return { changes, through: range.through }
}

interface Current {
  readonly shape: RecordShape
  readonly row: Row
}

/** The records that the caller sees, as they are now; one statement for each type. */
async function readCurrent(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  changed: readonly Changed[],
): Promise<Map<Changed, Current>> {
  const found = await Promise.all(
    changed.map(async (change): Promise<[Changed, Current][]> => {
      const shape = shapes.find(({ object }) => object === change.object)!
      const row = await readReference(ctx, shape, change.recordId, allColumnNames(shape))
      return row ? [[change, { shape, row }]] : []
    }),
  )
  return new Map(found.flat())
}

/** Why the caller does not see these records any more. A record that the caller did not see before is left out: nothing tells that it exists. */
async function reasonsOf(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  changed: readonly Changed[],
  range: Range,
): Promise<Map<Changed, SyncReason>> {
  const reasons = new Map<Changed, SyncReason>()
  if (changed.length === 0) return reasons
  const recordIds = changed.map(({ recordId }) => recordId)
  const events = await eventsOfRecords(ctx.db, ctx.caller.organizationId, { ...range, recordIds })
  const context = { shapes: ctx.shapes, parents: noParents }
  const isKnown = (event: LoggedEvent): boolean =>
    visibleEvent(ctx.caller, event, context) !== null || outOfSight(ctx.caller, event, context) !== null
  for (const change of changed) {
    const own = events.filter(({ object, recordId }) => object === change.object && recordId === change.recordId)
    if (!own.some(isKnown)) continue
    const shape = shapes.find(({ object }) => object === change.object)!
    const isDeleted = shape.events!.types[own.at(-1)!.type]?.operation === 'DELETE'
    reasons.set(change, isDeleted ? 'DELETED' : 'OUT_OF_SIGHT')
  }
  return reasons
}
