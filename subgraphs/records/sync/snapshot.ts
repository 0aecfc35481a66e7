import { keptPositions } from '../../kernel/outbox/event-log.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { ListQuery } from '../../kernel/record/list-query.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decodeCursor, encodeCursor, rightsOf, type SnapshotPlace, type SyncCursor } from './sync-cursor.ts'
import type { SyncSnapshot, SyncedRecord } from './sync.types.ts'
import { PageSize, recordOf, schemaVersionOf } from './synced-record.ts'
import { shapesOfCursor, shapesOfSnapshot } from './synced-types.ts'

/** In the order of creation: a record that is created meanwhile is among the changes in any case. */
const orderBy = [{ field: 'createdAt', direction: 'ASC' }]

/**
 * A page of all records that the caller sees. The position in the event log is read before the first record, so whatever is changed while the pages are read is among
 * the changes after it.
 */
export async function readSnapshot(
  ctx: RequestContext,
  { objects, cursor, limit }: { objects: readonly string[] | null; cursor: string | null; limit: number },
): Promise<SyncSnapshot> {
  const [from, shapes] = cursor === null ? await begin(ctx, objects) : continued(ctx, cursor, objects)
  const schemaVersion = await schemaVersionOf(ctx)
  const records: SyncedRecord[] = []
  let place: SnapshotPlace | null = shapes.length === 0 ? null : from.snapshot
  const size = new PageSize()
  while (place !== null && records.length < limit && !size.isReached) {
    const shape: RecordShape = shapes[place.index]!
    const part = Math.min(limit - records.length, size.next())
    const query = new ListQuery(ctx, shape, { orderBy })
    const [rows] = await query.read(allColumnNames(shape), { limit: part + 1, cursor: place.cursor }, false)
    const taken: Row[] = []
    for (const row of rows.slice(0, part)) {
      if (size.isReached) break
      const record = recordOf(ctx, shape, row)
      size.add(record)
      taken.push(row)
      records.push({ object: shape.object, id: row.id as string, version: row['version'] as number, record })
    }
    ctx.answered?.records(shape, taken)
    if (taken.length < rows.length) place = { index: place.index, cursor: query.order.cursorOf(taken.at(-1)!) }
    else place = place.index + 1 < shapes.length ? { index: place.index + 1, cursor: null } : null
  }
  const nextCursor = encodeCursor({ ...from, snapshot: place })
  return { records, nextCursor, hasMore: place !== null, schemaVersion }
}

async function begin(ctx: RequestContext, objects: readonly string[] | null): Promise<[SyncCursor, RecordShape[]]> {
  const shapes = shapesOfSnapshot(ctx, objects)
  const { latest } = await keptPositions(ctx.db, ctx.caller.organizationId)
  const names = shapes.map(({ object }) => object)
  const snapshot = { index: 0, cursor: null }
  return [{ position: latest, objects: names, rights: rightsOf(ctx.caller, shapes), snapshot }, shapes]
}

function continued(ctx: RequestContext, text: string, objects: readonly string[] | null): [SyncCursor, RecordShape[]] {
  const cursor = decodeCursor(text)
  if (cursor.snapshot === null)
    throw invalid({
      path: 'cursor',
      code: 'NOT_A_CURSOR',
      message:
        'cursor must be the nextCursor of a page of the snapshot that has more. The last one is for the changes.',
    })
  return [cursor, shapesOfCursor(ctx, cursor, objects)]
}
