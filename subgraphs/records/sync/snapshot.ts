import { keptPositions } from '../../kernel/outbox/event-log.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { ListQuery } from '../../kernel/record/list-query.ts'
import { readFitting } from '../../kernel/record/read-fitting.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decodeCursor, digestOf, encodeCursor, rightsOf, type SnapshotPlace, type SyncCursor } from './sync-cursor.ts'
import type { SyncSnapshot, SyncedRecord } from './sync.types.ts'
import { PageSize, recordOf, schemaVersionOf } from './synced-record.ts'
import { shapesOfCursor, shapesOfSnapshot } from './synced-types.ts'

const idOnly: ReadonlySet<string> = new Set()

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
  const records: SyncedRecord[] = []
  let place: SnapshotPlace | null = shapes.length === 0 ? null : from.snapshot
  const size = new PageSize()
  while (place !== null && records.length < limit && !size.isReached) {
    const shape: RecordShape = shapes[place.index]!
    const part = Math.min(limit - records.length, size.next())
    const query = new ListQuery(ctx, shape, { orderBy })
    const [listed] = await query.read(idOnly, { limit: part + 1, cursor: place.cursor }, false)
    const ids = listed.slice(0, part).map(({ id }) => id as string)
    const { rows, count } = await readFitting(ctx, shape, ids, size.room)
    let taken = count
    for (const row of rows) {
      if (size.isReached) {
        taken = row.placeOfId - 1
        break
      }
      const record = recordOf(ctx, shape, row)
      size.add(record, row.rowBytes)
      records.push({ object: shape.object, id: row.id, version: row['version'] as number, record })
    }
    if (taken < listed.length) place = { index: place.index, cursor: query.order.cursorOf(listed[taken - 1]!) }
    else place = place.index + 1 < shapes.length ? { index: place.index + 1, cursor: null } : null
  }
  const nextCursor = encodeCursor({ ...from, snapshot: place })
  return { records, nextCursor, hasMore: place !== null, schemaVersion: schemaVersionOf(ctx) }
}

async function begin(ctx: RequestContext, objects: readonly string[] | null): Promise<[SyncCursor, RecordShape[]]> {
  const shapes = shapesOfSnapshot(ctx, objects)
  const { latest: position } = await keptPositions(ctx.db, ctx.caller.organizationId)
  const names = shapes.map(({ object }) => object)
  const snapshot = { index: 0, cursor: null }
  const rights = rightsOf(ctx.caller, shapes)
  return [{ position, objects: objects === null ? digestOf(names) : names, rights, snapshot }, shapes]
}

function continued(ctx: RequestContext, text: string, objects: readonly string[] | null): [SyncCursor, RecordShape[]] {
  const cursor = decodeCursor(text)
  const notOfPage = () =>
    invalid({
      path: 'cursor',
      code: 'NOT_A_CURSOR',
      message:
        'cursor must be the nextCursor of a page of the snapshot that has more. The last one is for the changes.',
    })
  if (cursor.snapshot === null) throw notOfPage()
  const shapes = shapesOfCursor(ctx, cursor, objects)
  if (cursor.snapshot.index >= shapes.length) throw notOfPage()
  return [cursor, shapes]
}
