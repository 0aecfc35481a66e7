import { invalid, Refusal } from '../errors.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { withoutStorageRefusal } from '../database/row-bytes.ts'
import type { Row } from '../database/sql.ts'
import { attempted } from './bulk-attempt.ts'
import type { BulkItemResult, BulkItemStatus, BulkResult } from './bulk-result.ts'
import { isNothingGiven } from './changed-names.ts'
import type { ColumnName, Draft, RecordDefinition, StoredRow } from './definition.ts'
import { readChildren, readConnection } from './connection.ts'
import { lockKeysOfAll } from './duplicates/refuse-duplicates.ts'
import { lockExternalIds } from './external-id/lock-external-ids.ts'
import { readDeleted, readPage, type ConnectionArgs, type DeletedArgs, type PageArgs } from './list.ts'
import { readPast, readPastConnection, readPastPage } from './past/read-past.ts'
import { notFoundOrMerged, readBy, readOne, readReference, requireRecord } from './read.ts'
import { requireRight, requireWritableRole, save } from './save.ts'
import { lockSerializedRules } from './serialized-rules.ts'
import { withNamedOf } from './lookup/check-lookups.ts'
import { withClearing } from './lookup/deleted-targets.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from './selection.ts'

export const bulkMax = 500

interface Versioned {
  readonly id: string
  readonly expectedVersion?: number | null
}

/** The standard operations of a record type. A resource with another operation implements it with `change`, or `require` and `save`. */
export interface Records<T extends StoredRow> {
  /** With `asOf`, reads give the records as they were at that time. */
  one(ctx: RequestContext, id: string, info: SelectionInfo, asOf?: string | null): Promise<Row>
  by(ctx: RequestContext, column: ColumnName<T>, value: string, info: SelectionInfo): Promise<Row>
  page(ctx: RequestContext, args: PageArgs, info: SelectionInfo, asOf?: string | null): ReturnType<typeof readPage>
  connection(
    ctx: RequestContext,
    args: ConnectionArgs,
    info: SelectionInfo,
    asOf?: string | null,
  ): ReturnType<typeof readConnection>
  /** The connection of the children of one parent; the children of all parents in one operation are read together. */
  children(
    ctx: RequestContext,
    parentColumn: ColumnName<T>,
    parentId: string,
    args: ConnectionArgs,
    info: SelectionInfo,
  ): ReturnType<typeof readConnection>
  /** The record that another record refers to; null when it is deleted or not visible. */
  reference(ctx: RequestContext, id: string | null | undefined, info: SelectionInfo): Promise<Row | null>
  deleted(ctx: RequestContext, args: DeletedArgs, info: SelectionInfo): Promise<Row[]>
  require(ctx: RequestContext, id: string): Promise<T>
  /** Field permissions apply to `values` but not to `implied`, the values that the rules of the record type derive. */
  create(ctx: RequestContext, values: object, implied?: Partial<T>): Promise<T>
  update(ctx: RequestContext, id: string, values: object, expectedVersion?: number | null): Promise<T>
  remove(ctx: RequestContext, id: string, expectedVersion?: number | null): Promise<string>
  restore(ctx: RequestContext, id: string, expectedVersion?: number | null): Promise<T>
  bulkUpdate(ctx: RequestContext, items: readonly (Versioned & object)[]): Promise<BulkResult>
  bulkRemove(ctx: RequestContext, ids: readonly string[]): Promise<BulkResult>
}

/** Functions that replace the standard ones, for record types whose writes have more rules than their definition. */
export type RecordActions<T extends StoredRow> = Partial<Pick<Records<T>, 'create' | 'update' | 'remove' | 'restore'>>

/** The standard operations; those that change many records call the given actions for each of them. */
export function recordsOf<T extends StoredRow>(
  definition: RecordDefinition<T>,
  actions: RecordActions<T> = {},
): Records<T> {
  const { decide } = definition
  const create = async (ctx: RequestContext, values: Partial<T>, implied: Partial<T> = {}): Promise<T> => {
    const draft = { operation: 'CREATE', previous: null, values } as const
    if (!decide) return save(ctx, definition, { ...draft, implied })
    requireRight(ctx, definition, values)
    const decided = await decide(ctx, values, null)
    return save(ctx, definition, {
      ...draft,
      ...decided,
      implied: { ...decided.implied, ...implied },
      impliedBesides: implied,
    })
  }
  const updateOne = (ctx: RequestContext, id: string, values: object, expectedVersion?: number | null) =>
    change(
      ctx,
      definition,
      id,
      async (previous, inner) => {
        const decided = isNothingGiven(values) ? {} : await decide?.(inner, values as Partial<T>, previous)
        return { operation: 'UPDATE', values: values as Partial<T>, ...decided, impliedBesides: {} }
      },
      { expectedVersion },
    )
  const removeOne = async (ctx: RequestContext, id: string, expectedVersion?: number | null) => {
    const removed = await change(ctx, definition, id, () => ({ operation: 'DELETE', values: {} }), { expectedVersion })
    return removed.id
  }
  // An organization without room may still delete, with what a deletion changes in other records.
  const remove: Records<T>['remove'] = (ctx, id, expectedVersion) =>
    (actions.remove ?? removeOne)({ ...ctx, db: withoutStorageRefusal(ctx.db) }, id, expectedVersion)
  const update: Records<T>['update'] = async (ctx, id, values, expectedVersion) => {
    requireRight(ctx, definition, values)
    return (actions.update ?? updateOne)(ctx, id, values, expectedVersion)
  }
  return {
    async one(ctx, id, info, asOf = null) {
      const selected = selectedFields(info)
      const row =
        asOf === null
          ? await readOne(ctx, definition, id, selected)
          : await readPast(ctx, definition, { id, at: asOf, path: 'asOf' }, selected)
      if (!row) throw await notFoundOrMerged(ctx, definition, id)
      return row
    },
    by: (ctx, column, value, info) => readBy(ctx, definition, column, value, selectedFields(info)),
    page(ctx, args, info, asOf = null) {
      const selected = {
        page: selectedFields(info),
        record: selectedFields(info, ['data']),
        total: isAnySelected(info, 'total', 'totalPages'),
      }
      return asOf === null
        ? readPage(ctx, definition, args, selected)
        : readPastPage(ctx, definition, asOf, args, selected)
    },
    connection: (ctx, args, info, asOf = null) =>
      asOf === null
        ? readConnection(ctx, definition, args, connectionSelection(info))
        : readPastConnection(ctx, definition, asOf, args, connectionSelection(info)),
    children: (ctx, parentColumn, parentId, args, info) =>
      readChildren(ctx, definition, parentColumn, { ...args, parentId }, connectionSelection(info)),
    reference: async (ctx, id, info) => (id ? readReference(ctx, definition, id, selectedFields(info)) : null),
    deleted: (ctx, args, info) => readDeleted(ctx, definition, args, selectedFields(info)),
    require: (ctx, id) => requireRecord(ctx, definition, id),
    create: (ctx, values, implied) => create(ctx, values as Partial<T>, implied),
    restore: (ctx, id, expectedVersion) =>
      change(ctx, definition, id, () => ({ operation: 'RESTORE', values: {} }), { expectedVersion, deleted: true }),
    bulkUpdate: (ctx, items) =>
      bulk(ctx, definition, items, 'items', 'UPDATED', (inner, { id, expectedVersion, ...values }) =>
        update(inner, id, values, expectedVersion),
      ),
    bulkRemove: (ctx, ids) =>
      bulk(
        ctx,
        definition,
        ids.map((id) => ({ id })),
        'ids',
        'DELETED',
        (inner, { id }) => remove(inner, id),
      ),
    ...actions,
    update,
    remove,
  }
}

interface ChangeOptions {
  readonly expectedVersion?: number | null | undefined
  readonly deleted?: boolean
  /** The values that the caller requests to change. Fields that the caller may not write are refused whatever the state of the record. */
  readonly requested?: object
}

type Decision<T extends StoredRow> = Omit<Draft<T>, 'previous' | 'expectedVersion'>

/**
 * Reads a record, calls `decide` and saves the change. After a concurrent change, it locks the record, reads it again and calls
 * `decide` a second time. When the caller expects the version that was read first, the second attempt is refused with the
 * current version, or with 404 when the record was deleted. `decide` must read with the context that it receives.
 */
export async function change<T extends StoredRow, C extends RequestContext>(
  ctx: C,
  definition: RecordDefinition<T>,
  id: string,
  decide: (previous: T, ctx: C) => Decision<T> | Promise<Decision<T>>,
  { expectedVersion = null, deleted = false, requested = {} }: ChangeOptions = {},
): Promise<T> {
  requireRight(ctx, definition, requested)
  const attempt = async (inner: C, isLocked: boolean): Promise<T> => {
    const previous = await requireRecord(inner, definition, id, { deleted, isLocked })
    definition.requireRight?.(inner, previous)
    return save(inner, definition, { ...(await decide(previous, inner)), previous, expectedVersion })
  }
  // A statement that finds another version keeps its lock of the row until the end of the transaction or savepoint, and the second
  // attempt takes the lock of the rules before that of the row.
  const isInside = ctx.db.open && (definition.serializedRules?.length ?? 0) > 0
  try {
    return await (isInside ? inTransaction(ctx, (inner) => attempt(inner, false)) : attempt(ctx, false))
  } catch (error) {
    const conflict = error instanceof Refusal && error.code === 'VERSION_CONFLICT' ? error : null
    const mayRetry = expectedVersion === null || conflict?.extensions.currentVersion === expectedVersion
    if (!conflict || !mayRetry) throw error
    return inTransaction(ctx, async (inner) => {
      await lockSerializedRules(inner, definition)
      return attempt(inner, true)
    })
  }
}

const recordSelections = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

/** The selected fields of the records of a connection, below `nodes` and `edges.node`. */
export function connectionSelection(info: SelectionInfo): { record: ReadonlySet<string>; total: boolean } {
  const connection = selectedFields(info)
  let record = recordSelections.get(connection)
  if (!record) {
    record = new Set([...selectedFields(info, ['nodes']), ...selectedFields(info, ['edges', 'node'])])
    recordSelections.set(connection, record)
  }
  return { record, total: isAnySelected(info, 'totalCount') }
}

/**
 * Makes many changes in one transaction, each in its own savepoint: a refused item does not affect the others, and its result
 * contains the error code. Rows are locked in the order of their lower-case ids, so that two bulk changes cannot deadlock.
 * Changes of the same row keep the order of the request.
 */
async function bulk<T extends StoredRow, I extends Versioned>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  items: readonly I[],
  path: string,
  successStatus: Exclude<BulkItemStatus, 'FAILED'>,
  change: (ctx: RequestContext, item: I) => Promise<unknown>,
): Promise<BulkResult> {
  requireWritableRole(ctx)
  if (items.length < 1 || items.length > bulkMax) {
    throw invalid({ path, code: 'OUT_OF_RANGE', message: `${path} must have between 1 and ${bulkMax} items.` })
  }
  const results: BulkItemResult[] = []
  const inLockOrder = items
    .map((item, index) => ({ item, index, row: item.id.toLowerCase() }))
    .sort((a, b) => (a.row < b.row ? -1 : a.row > b.row ? 1 : 0))
  await inTransaction(withClearing(ctx), async (opened) => {
    await lockSerializedRules(opened, definition)
    await lockExternalIds(
      opened,
      definition,
      items.map((item) => (item as { readonly externalId?: unknown }).externalId),
    )
    const outer = await withNamedOf(opened, definition, items)
    await lockKeysOfAll(
      outer,
      definition,
      items.map(({ id }) => id),
      items,
    )
    for (const { item, index } of inLockOrder) {
      const { failure } = await attempted(() => inTransaction(outer, (inner) => change(inner, item)))
      const { code = null, message = null, errors = null } = failure ?? {}
      results[index] = { index, id: item.id, status: failure ? 'FAILED' : successStatus, code, message, errors }
    }
  })
  const succeeded = results.filter((result) => result.status !== 'FAILED').length
  return { requested: items.length, succeeded, failed: items.length - succeeded, results }
}
