import { invalid, notFound, Refusal } from '../errors.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import type { BulkItemResult, BulkItemStatus, BulkResult } from './bulk-result.ts'
import type { ColumnName, Draft, RecordDefinition, StoredRow } from './definition.ts'
import { readChildren, readConnection } from './connection.ts'
import { readDeleted, readPage, type ConnectionArgs, type PageArgs } from './list.ts'
import { readBy, readOne, readReference, requireRecord } from './read.ts'
import { mayWrite, save } from './save.ts'
import { asksForAny, fieldsAsked, type Asked } from './selection.ts'

export const bulkMax = 500

interface Versioned {
  readonly id: string
  readonly expectedVersion?: number | null
}

/** What every resource does, once. A resource that needs something else writes a verb with `require` and `save`. */
export interface Records<T extends StoredRow> {
  one(ctx: RequestContext, id: string, info: Asked): Promise<Row>
  by(ctx: RequestContext, column: ColumnName<T>, value: string, info: Asked): Promise<Row>
  page(ctx: RequestContext, args: PageArgs, info: Asked): ReturnType<typeof readPage>
  connection(ctx: RequestContext, args: ConnectionArgs, info: Asked): ReturnType<typeof readConnection>
  /** The connection below one of many parents, read for all of them together. */
  children(
    ctx: RequestContext,
    parentColumn: ColumnName<T>,
    parentId: string,
    args: ConnectionArgs,
    info: Asked,
  ): ReturnType<typeof readConnection>
  /** A record another one points at: null when it is gone or out of sight. */
  reference(ctx: RequestContext, id: string | null | undefined, info: Asked): Promise<Row | null>
  deleted(ctx: RequestContext, args: Pick<PageArgs, 'page' | 'limit'>, info: Asked): Promise<Row[]>
  require(ctx: RequestContext, id: string): Promise<T>
  /** `implied` is what follows from the values, whoever may write those fields. */
  create(ctx: RequestContext, values: object, implied?: Partial<T>): Promise<T>
  update(ctx: RequestContext, id: string, values: object, expectedVersion?: number | null): Promise<T>
  remove(ctx: RequestContext, id: string, expectedVersion?: number | null): Promise<string>
  restore(ctx: RequestContext, id: string, expectedVersion?: number | null): Promise<T>
  bulkUpdate(ctx: RequestContext, items: readonly (Versioned & object)[]): Promise<BulkResult>
  bulkRemove(ctx: RequestContext, ids: readonly string[]): Promise<BulkResult>
}

export function recordsOf<T extends StoredRow>(definition: RecordDefinition<T>): Records<T> {
  const update = (ctx: RequestContext, id: string, values: object, expectedVersion?: number | null) =>
    change(ctx, definition, id, () => ({ operation: 'UPDATE', values: values as Partial<T> }), { expectedVersion })
  const remove = (ctx: RequestContext, id: string, expectedVersion?: number | null) =>
    change(ctx, definition, id, () => ({ operation: 'DELETE', values: {} }), { expectedVersion })
  return {
    async one(ctx, id, info) {
      const row = await readOne(ctx, definition, id, fieldsAsked(info))
      if (!row) throw notFound(`The ${definition.object}`)
      return row
    },
    by: (ctx, column, value, info) => readBy(ctx, definition, column, value, fieldsAsked(info)),
    page: (ctx, args, info) =>
      readPage(ctx, definition, args, {
        page: fieldsAsked(info),
        record: fieldsAsked(info, ['data']),
        total: asksForAny(info, 'total', 'totalPages'),
      }),
    connection: (ctx, args, info) => readConnection(ctx, definition, args, connectionAsked(info)),
    children: (ctx, parentColumn, parentId, args, info) =>
      readChildren(ctx, definition, parentColumn, { ...args, parentId }, connectionAsked(info)),
    reference: async (ctx, id, info) => (id ? readReference(ctx, definition, id, fieldsAsked(info)) : null),
    deleted: (ctx, args, info) => readDeleted(ctx, definition, args, fieldsAsked(info)),
    require: (ctx, id) => requireRecord(ctx, definition, id),
    create: (ctx, values, implied = {}) =>
      save(ctx, definition, { operation: 'CREATE', previous: null, values: values as Partial<T>, implied }),
    update,
    remove: async (ctx, id, expectedVersion) => (await remove(ctx, id, expectedVersion)).id,
    restore: (ctx, id, expectedVersion) =>
      change(ctx, definition, id, () => ({ operation: 'RESTORE', values: {} }), { expectedVersion, deleted: true }),
    bulkUpdate: (ctx, items) =>
      bulk(ctx, items, 'items', 'UPDATED', (inner, { id, expectedVersion, ...values }) =>
        update(inner, id, values, expectedVersion),
      ),
    bulkRemove: (ctx, ids) =>
      bulk(
        ctx,
        ids.map((id) => ({ id })),
        'ids',
        'DELETED',
        (inner, { id }) => remove(inner, id),
      ),
  }
}

type Decision<T extends StoredRow> = Omit<Draft<T>, 'previous' | 'expectedVersion'>

/**
 * Reads a record, decides what to change and saves it. When another writer came between, the decision is made anew on the
 * record as it is then, and the record is held so that nobody comes between again. A caller who demanded the version that
 * was read is told so which one the record has instead, or that it is gone.
 * `decide` reads with the context that it is given.
 */
export async function change<T extends StoredRow, C extends RequestContext>(
  ctx: C,
  definition: RecordDefinition<T>,
  id: string,
  decide: (previous: T, ctx: C) => Decision<T> | Promise<Decision<T>>,
  { expectedVersion = null, deleted = false }: { expectedVersion?: number | null | undefined; deleted?: boolean } = {},
): Promise<T> {
  mayWrite(ctx)
  const attempt = async (inner: C, isHeld: boolean): Promise<T> => {
    const previous = await requireRecord(inner, definition, id, { deleted, isHeld })
    return save(inner, definition, { ...(await decide(previous, inner)), previous, expectedVersion })
  }
  try {
    return await attempt(ctx, false)
  } catch (error) {
    const conflict = error instanceof Refusal && error.code === 'VERSION_CONFLICT' ? error : null
    const decidesAnew = expectedVersion === null || conflict?.extensions.currentVersion === expectedVersion
    if (!conflict || !decidesAnew) throw error
    return inTransaction(ctx, (inner) => attempt(inner, true))
  }
}

const unions = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

/** Fields of the records of a connection, asked for through `nodes` or through `edges.node`. */
function connectionAsked(info: Asked): { record: ReadonlySet<string>; total: boolean } {
  const connection = fieldsAsked(info)
  let record = unions.get(connection)
  if (!record) {
    record = new Set([...fieldsAsked(info, ['nodes']), ...fieldsAsked(info, ['edges', 'node'])])
    unions.set(connection, record)
  }
  return { record, total: asksForAny(info, 'totalCount') }
}

/**
 * Many changes in one transaction, each for itself: a refused item leaves the others standing, and is told with its code.
 * Rows are locked in the order of their ids, however these are written, so that two bulk changes never wait for each
 * other; changes of one row stay in the order sent.
 */
async function bulk<I extends Versioned>(
  ctx: RequestContext,
  items: readonly I[],
  path: string,
  done: Exclude<BulkItemStatus, 'FAILED'>,
  change: (ctx: RequestContext, item: I) => Promise<unknown>,
): Promise<BulkResult> {
  mayWrite(ctx)
  if (items.length < 1 || items.length > bulkMax) {
    throw invalid({ path, code: 'OUT_OF_RANGE', message: `${path} holds between 1 and ${bulkMax} items.` })
  }
  const results: BulkItemResult[] = []
  const inOrder = items
    .map((item, index) => ({ item, index, row: item.id.toLowerCase() }))
    .sort((a, b) => (a.row < b.row ? -1 : a.row > b.row ? 1 : 0))
  await inTransaction(ctx, async (outer) => {
    for (const { item, index } of inOrder) {
      const result = { index, id: item.id, code: null, message: null, errors: null }
      try {
        await inTransaction(outer, (inner) => change(inner, item))
        results[index] = { ...result, status: done }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        results[index] = {
          ...result,
          status: 'FAILED',
          code: error.code,
          message: error.message,
          errors: error.extensions.errors ?? null,
        }
      }
    }
  })
  const succeeded = results.filter((result) => result.status !== 'FAILED').length
  return { requested: items.length, succeeded, failed: items.length - succeeded, results }
}
