import DataLoader from 'dataloader'
import { invalid, notFound, Refusal } from '../errors.ts'
import { isId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import type { Row } from '../database/database.ts'
import { columnOf, has, layoutOf, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { filterPredicate, literalPattern, type FilterInput } from './filter.ts'
import { Order, type OrderInput } from './order.ts'
import { Scope } from './predicate.ts'
import { isStorable } from './scalars.ts'
import { selectList } from './selection.ts'
import { keptTotal } from './totals.ts'

export const pageSizeMax = 100
export const pageMax = 100_000
export const searchMax = 200


export interface ListArgs {
  readonly filter?: FilterInput | null
  readonly search?: string | null
  readonly orderBy?: readonly OrderInput[] | null
}

export interface PageArgs extends ListArgs {
  readonly page?: number | null
  readonly limit?: number | null
  readonly cursor?: string | null
}

export interface ConnectionArgs extends ListArgs {
  readonly first?: number | null
  readonly after?: string | null
}

const everything: ReadonlySet<string> = new Set()
const allColumns = new WeakMap<object, ReadonlySet<string>>()

/** Every column of the definition, as an "asked" set. */
export function allOf(definition: RecordShape): ReadonlySet<string> {
  let names = allColumns.get(definition)
  if (!names) allColumns.set(definition, (names = new Set(layoutOf(definition).columns.map((column) => column.name))))
  return names
}

/** One live record, or null when it does not exist, is deleted, is another organization's or is out of sight. */
export async function readOne(ctx: RequestContext, definition: RecordShape, id: string, asked = everything): Promise<Row | null> {
  if (!isId(id)) return null
  const scope = new Scope(ctx.caller)
  const sql = `select ${selectList(definition, asked, 't')} from ${definition.table} t where t.id = ${scope.values.add(id)} and ${scope.live(definition, 't')}`
  const [row] = await ctx.db.query(sql, scope.values.list)
  return row ?? null
}

/** The one record whose column has this value. */
export async function readBy(ctx: RequestContext, definition: RecordShape, name: string, value: string, asked = everything): Promise<Row> {
  const scope = new Scope(ctx.caller)
  const match = `t.${columnOf(definition, name).column} = ${scope.values.add(value)}`
  const sql = `select ${selectList(definition, asked, 't')} from ${definition.table} t where ${match} and ${scope.live(definition, 't')}`
  const [row] = isStorable(value) ? await ctx.db.query(sql, scope.values.list) : []
  if (!row) throw notFound(`The ${definition.object}`)
  return row
}

/** The whole record for a change, or a deleted one that is to be live again; 404 when the caller may not see it. */
export async function requireRecord<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  id: string,
  { deleted = false } = {},
): Promise<T> {
  const scope = new Scope(ctx.caller)
  const columns = selectList(definition, allOf(definition), 't')
  const state = deleted || !has(definition, 'deletedAt') ? '' : ' and t.deleted_at is null'
  const sql = `select ${columns} from ${definition.table} t where t.id = ${scope.values.add(id)} and ${scope.seen(definition, 't')}${state}`
  const [row] = isId(id) ? await ctx.db.query(sql, scope.values.list) : []
  if (!row) throw notFound(`The ${definition.object}`)
  if (deleted && row.deletedAt === null) throw new Refusal('INVALID_STATE', `The ${definition.object} is not deleted.`, { allowed: [] })
  return row as unknown as T
}

/** The records of a list request as SQL: what is asked, whom it is for, and which part. */
class Listing {
  readonly scope: Scope
  readonly order: Order
  readonly conditions: string[]
  /** True when nothing narrows the list but the tenant: its total is kept. */
  readonly whole: boolean

  constructor(
    readonly ctx: RequestContext,
    readonly definition: RecordShape,
    args: ListArgs,
    base: string | null = null,
  ) {
    this.scope = new Scope(ctx.caller)
    this.order = new Order(definition, args.orderBy)
    this.conditions = [this.scope.live(definition, 't')]
    if (base) this.conditions.push(base)
    const filter = args.filter ? filterPredicate(this.scope, definition, args.filter, 't') : null
    if (filter) this.conditions.push(filter)
    const search = args.search ? this.#search(args.search) : null
    if (search) this.conditions.push(search)
    this.whole = !base && !filter && !search && !ctx.caller.ownerIds && !definition.visibleThrough
  }

  #search(text: string): string {
    if ([...text].length > searchMax) throw invalid({ path: 'search', code: 'TOO_LONG', message: `search takes at most ${searchMax} characters.` })
    if (!isStorable(text)) throw invalid({ path: 'search', code: 'NOT_TEXT', message: 'search contains a NUL character or half of a surrogate pair.' })
    const pattern = this.scope.values.add(`%${literalPattern(text)}%`)
    return `(${this.definition.searchable.map((name) => `t.${columnOf(this.definition, name).column} ilike ${pattern}`).join(' or ')})`
  }

  rows(asked: ReadonlySet<string>, limit: number, offset: number, cursor: string | null): Promise<Row[]> {
    const { scope, definition, order } = this
    const values = scope.values
    const where = cursor ? [...this.conditions, order.after(cursor, 't', values)] : this.conditions
    const sql = `select ${selectList(definition, this.#withOrder(asked), 't')} from ${definition.table} t where ${where.join(' and ')} order by ${order.sql('t')} limit ${values.add(limit)}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return this.ctx.db.query(sql, values.list)
  }

  #withOrder(asked: ReadonlySet<string>): ReadonlySet<string> {
    const missing = this.order.names.filter((name) => name !== 'id' && !asked.has(name))
    return missing.length > 0 ? new Set([...asked, ...missing]) : asked
  }

  async total(): Promise<number> {
    if (this.whole) return keptTotal(this.ctx, this.definition)
    const counted = this.scope.values.list.slice()
    const [row] = await this.ctx.db.query<{ total: number }>(
      `select count(*)::int8 as total from ${this.definition.table} t where ${this.conditions.join(' and ')}`,
      counted,
    )
    return row!.total
  }
}

function size(value: number | null | undefined, name: string): number {
  const wanted = value ?? 20
  if (wanted < 1 || wanted > pageSizeMax) throw invalid({ path: name, code: 'OUT_OF_RANGE', message: `${name} is between 1 and ${pageSizeMax}.` })
  return wanted
}

export interface Page {
  data: Row[]
  page: number
  limit: number
  total: number | null
  totalPages: number | null
  hasMore: boolean
  nextCursor: string | null
}

/** A page of live records in sight. `total` costs a count only when it is asked for and not kept. */
export async function readPage(
  ctx: RequestContext,
  definition: RecordShape,
  args: PageArgs,
  asked: { readonly page: ReadonlySet<string>; readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Page> {
  const limit = size(args.limit, 'limit')
  const page = args.page ?? 1
  if (page < 1 || page > pageMax) throw invalid({ path: 'page', code: 'OUT_OF_RANGE', message: `page is between 1 and ${pageMax}; use cursor to go further.` })
  const listing = new Listing(ctx, definition, args)
  const total = asked.total ? listing.total() : null
  const [found, known] = await Promise.all([listing.rows(asked.record, limit + 1, args.cursor ? 0 : (page - 1) * limit, args.cursor ?? null), total])
  const hasMore = found.length > limit
  if (hasMore) found.length = limit
  const last = found.at(-1)
  return {
    data: found,
    page,
    limit,
    total: known,
    totalPages: known === null ? null : Math.ceil(known / limit),
    hasMore,
    nextCursor: hasMore && last && asked.page.has('nextCursor') ? listing.order.cursorOf(last) : null,
  }
}

export interface Connection {
  edges: { node: Row; cursor: string }[]
  nodes: Row[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number | null
}

function connectionOf(order: Order, rows: Row[], first: number, after: string | null | undefined, totalCount: number | null): Connection {
  const hasNextPage = rows.length > first
  const nodes = hasNextPage ? rows.slice(0, first) : rows
  const edges = nodes.map((node) => ({ node, cursor: order.cursorOf(node) }))
  return {
    edges,
    nodes,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: Boolean(after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  }
}

/** A keyset connection over live records in sight. */
export async function readConnection(
  ctx: RequestContext,
  definition: RecordShape,
  args: ConnectionArgs,
  asked: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection> {
  const first = size(args.first, 'first')
  const listing = new Listing(ctx, definition, args)
  const total = asked.total ? listing.total() : null
  const [rows, totalCount] = await Promise.all([listing.rows(asked.record, first + 1, 0, args.after ?? null), total])
  return connectionOf(listing.order, rows, first, args.after, totalCount)
}

/** Joins what one operation asks for in the same way into one read. */
function batchOf<V>(
  ctx: RequestContext,
  asked: ReadonlySet<string>,
  name: string,
  read: (keys: readonly string[]) => Promise<V[]>,
): DataLoader<string, V> {
  let byName = ctx.batches.get(asked)
  if (!byName) ctx.batches.set(asked, (byName = new Map()))
  let loader = byName.get(name) as DataLoader<string, V> | undefined
  if (!loader) byName.set(name, (loader = new DataLoader(read, { cache: false })))
  return loader
}

interface ChildrenRequest extends ConnectionArgs {
  readonly parentId: string
}

/**
 * The children of many parents, each with its own page, in one statement: parents of one operation that ask the same way
 * are read together.
 */
export function readChildren(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  request: ChildrenRequest,
  asked: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection> {
  const { parentId, ...args } = request
  const same = JSON.stringify(args)
  return batchOf(ctx, asked.record, `${definition.object}.${parentColumn}${same}`, (parents) =>
    childrenOf(ctx, definition, parentColumn, args, parents, asked),
  ).load(parentId)
}

async function childrenOf(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  args: ConnectionArgs,
  parents: readonly string[],
  asked: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection[]> {
  const first = size(args.first, 'first')
  const { column } = columnOf(definition, parentColumn)
  const listing = new Listing(ctx, definition, args, `t.${column} = p.parent_id`)
  const { scope, order, conditions } = listing
  const where = args.after ? [...conditions, order.after(args.after, 't', scope.values)] : conditions
  const wanted = new Set([...asked.record, ...order.names])
  const distinct = [...new Set(parents)]
  const columns = selectList(definition, wanted, 't')
  const parentIds = `unnest(${scope.values.add(distinct)}::uuid[])`
  const counted = asked.total
    ? countsOf(ctx, definition, parentColumn, args, distinct)
    : Promise.resolve(new Map<string, number>())
  const [rows, totals] = await Promise.all([
    ctx.db.query(
      `select p.parent_id as "parentOf", c.* from ${parentIds} as p(parent_id) cross join lateral (select ${columns} from ${definition.table} t where ${where.join(' and ')} order by ${order.sql('t')} limit ${scope.values.add(first + 1)}) c`,
      scope.values.list,
    ),
    counted,
  ])
  const byParent = new Map<unknown, Row[]>(distinct.map((id) => [id, []]))
  for (const row of rows) byParent.get(row.parentOf)!.push(row)
  const connections = new Map(
    distinct.map((id) => [
      id,
      connectionOf(order, byParent.get(id)!, first, args.after, asked.total ? (totals.get(id) ?? 0) : null),
    ]),
  )
  return parents.map((id) => connections.get(id)!)
}

async function countsOf(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  args: ListArgs,
  parents: readonly string[],
): Promise<Map<string, number>> {
  const { column } = columnOf(definition, parentColumn)
  const { scope, conditions } = new Listing(ctx, definition, args)
  const rows = await ctx.db.query<{ id: string; total: number }>(
    `select t.${column} as id, count(*)::int8 as total from ${definition.table} t where t.${column} = any(${scope.values.add(parents)}::uuid[]) and ${conditions.join(' and ')} group by 1`,
    scope.values.list,
  )
  return new Map(rows.map(({ id, total }) => [id, total]))
}

/** Live records in sight by id, read together for one operation; null for the others. */
export function readReference(ctx: RequestContext, definition: RecordShape, id: string, asked: ReadonlySet<string>): Promise<Row | null> {
  return batchOf(ctx, asked, definition.object, (ids) => readMany(ctx, definition, ids, asked)).load(id)
}

async function readMany(ctx: RequestContext, definition: RecordShape, ids: readonly string[], asked: ReadonlySet<string>): Promise<(Row | null)[]> {
  const scope = new Scope(ctx.caller)
  const wanted = scope.values.add([...new Set(ids.filter(isId))])
  const rows = await ctx.db.query(
    `select ${selectList(definition, asked, 't')} from ${definition.table} t where t.id = any(${wanted}::uuid[]) and ${scope.live(definition, 't')}`,
    scope.values.list,
  )
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Which of these ids are live records in sight: what another record's reference check asks. */
export async function seenIds(ctx: RequestContext, definition: RecordShape, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readMany(ctx, definition, ids, everything)
  return new Set(rows.flatMap((row) => (row ? [row.id as string] : [])))
}

/** Deleted records in sight, the last deleted first. */
export async function readDeleted(
  ctx: RequestContext,
  definition: RecordShape,
  args: Pick<PageArgs, 'page' | 'limit'>,
  asked: ReadonlySet<string>,
): Promise<Row[]> {
  const scope = new Scope(ctx.caller)
  const limit = size(args.limit ?? pageSizeMax, 'limit')
  const page = args.page ?? 1
  if (page < 1 || page > pageMax) throw invalid({ path: 'page', code: 'OUT_OF_RANGE', message: `page is between 1 and ${pageMax}.` })
  return ctx.db.query(
    `select ${selectList(definition, asked, 't')} from ${definition.table} t where ${scope.seen(definition, 't')} and t.deleted_at is not null order by t.deleted_at desc, t.id desc limit ${scope.values.add(limit)} offset ${scope.values.add((page - 1) * limit)}`,
    scope.values.list,
  )
}
