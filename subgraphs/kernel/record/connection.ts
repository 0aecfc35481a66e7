import type { RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import { batchOf } from './batch.ts'
import { columnKinds } from './column-kind.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { isHidden } from './field-security.ts'
import { pageSize, type ConnectionArgs } from './list.ts'
import { ListQuery, type ListArgs } from './list-query.ts'
import type { Order } from './order.ts'
import { readSource } from './read-source.ts'
import { selectList, withFields } from './selection.ts'

/** The result of a connection field. Building cursors takes longer than reading the rows, so they are built only when selected. */
export class Connection {
  readonly pageInfo: PageInfo

  constructor(
    private readonly order: Order,
    readonly nodes: readonly Row[],
    hasNextPage: boolean,
    hasPreviousPage: boolean,
    readonly totalCount: number | null,
  ) {
    this.pageInfo = new PageInfo(order, nodes, hasNextPage, hasPreviousPage)
  }

  get edges(): { node: Row; cursor: string }[] {
    return this.nodes.map((node) => ({ node, cursor: this.order.cursorOf(node) }))
  }
}

class PageInfo {
  constructor(
    private readonly order: Order,
    private readonly nodes: readonly Row[],
    readonly hasNextPage: boolean,
    readonly hasPreviousPage: boolean,
  ) {}

  get startCursor(): string | null {
    return this.#cursorOf(this.nodes[0])
  }

  get endCursor(): string | null {
    return this.#cursorOf(this.nodes.at(-1))
  }

  #cursorOf(row: Row | undefined): string | null {
    return row ? this.order.cursorOf(row) : null
  }
}

export function connectionOf(
  order: Order,
  rows: Row[],
  first: number,
  after: string | null | undefined,
  totalCount: number | null,
): Connection {
  const hasNextPage = rows.length > first
  if (hasNextPage) rows.length = first
  return new Connection(order, rows, hasNextPage, Boolean(after), totalCount)
}

/** One page of a keyset connection over the records that the caller can see and that are not deleted. */
export async function readConnection(
  ctx: RequestContext,
  definition: RecordShape,
  args: ConnectionArgs,
  selected: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection> {
  const first = pageSize(args.first, 'first')
  const query = new ListQuery(ctx, definition, args)
  const range = { limit: first + 1, cursor: args.after ?? null, cursorPath: 'after' as const }
  const [rows, totalCount] = await query.read(selected.record, range, selected.total)
  return connectionOf(query.order, rows, first, args.after, totalCount)
}

interface ChildrenRequest extends ConnectionArgs {
  readonly parentId: string
}

/**
 * Reads the children of one parent. Calls of one operation with the same arguments share one statement, which reads one page
 * for each parent.
 */
export function readChildren(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  request: ChildrenRequest,
  selected: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection> {
  const { parentId, ...args } = request
  const argsKey = JSON.stringify(args)
  return batchOf(ctx, selected.record, `${definition.object}.${parentColumn}${argsKey}`, (parents) =>
    childrenOf(ctx, definition, parentColumn, args, parents, selected),
  ).load(parentId)
}

/** Whether a row refers to the parent `p`, in a column with one id or with a list of ids. */
function isChildOf(definition: RecordShape, parentColumn: string): string {
  const { kind, sql } = columnOf(definition, parentColumn)
  return kind === 'textList' ? `${sql('t')} @> array[p.parent_id::text]` : `${sql('t')} = p.parent_id`
}

async function childrenOf(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  args: ConnectionArgs,
  parents: readonly string[],
  selected: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection[]> {
  const first = pageSize(args.first, 'first')
  const query = new ListQuery(ctx, definition, args, isChildOf(definition, parentColumn))
  const { predicate, order, conditions, rules } = query
  // The parent column is hidden from the caller: return empty connections.
  if (isHidden(ctx.caller, definition, parentColumn))
    return parents.map(() => connectionOf(order, [], first, args.after, selected.total ? 0 : null))
  const where = args.after ? [...conditions, order.after(args.after, 't', predicate.values, 'after')] : conditions
  const distinct = [...new Set(parents)]
  const columns =
    selectList(definition, withFields(selected.record, order.columnNames), 't', rules) + order.selected('t')
  const { kind } = columnOf(definition, parentColumn)
  const parentIds = `unnest(${predicate.values.add(distinct)}::${columnKinds[kind === 'textList' ? 'id' : kind].listType})`
  // PostgreSQL cannot estimate how many lists contain an id. `offset 0` keeps it from walking through the order of all records.
  const matching = `${readSource(definition)} t where ${where.join(' and ')}`
  const source = kind === 'textList' ? `(select t.* from ${matching} offset 0) t` : matching
  const counted = selected.total
    ? countsOf(ctx, definition, parentColumn, args, distinct)
    : Promise.resolve(new Map<string, number>())
  const [rows, totals] = await Promise.all([
    ctx.db.query(
      // The number of a parent is shorter than its id, and needs no hashing.
      `select p.number::int as "parentOf", c.* from ${parentIds} with ordinality as p(parent_id, number) cross join lateral (select ${columns} from ${source} order by ${order.sql('t')} limit ${predicate.values.add(first + 1)}) c`,
      predicate.values.list,
      query.kind,
    ),
    counted,
  ])
  ctx.answered?.records(definition, rows)
  if (selected.total) ctx.answered?.aggregate(definition)
  const ofParent = distinct.map((): Row[] => [])
  for (const row of rows) ofParent[(row.parentOf as number) - 1]!.push(row)
  const connections = new Map(
    distinct.map((id, index) => [
      id,
      connectionOf(order, ofParent[index]!, first, args.after, selected.total ? (totals.get(id) ?? 0) : null),
    ]),
  )
  return parents.map((id) => connections.get(id)!)
}

/** The first records of each group of listed records that have the same value in a column. One statement reads all groups. */
export function readGroups(
  ctx: RequestContext,
  definition: RecordShape,
  column: string,
  values: readonly string[],
  args: ConnectionArgs,
  record: ReadonlySet<string>,
): Promise<Connection[]> {
  return childrenOf(ctx, definition, column, args, values, { record, total: false })
}

async function countsOf(
  ctx: RequestContext,
  definition: RecordShape,
  parentColumn: string,
  args: ListArgs,
  parents: readonly string[],
): Promise<Map<string, number>> {
  const { sql, kind } = columnOf(definition, parentColumn)
  const { predicate, conditions } = new ListQuery(ctx, definition, args)
  const ids = `${predicate.values.add(parents)}::${columnKinds[kind === 'textList' ? 'id' : kind].listType}`
  const [id, source, match] =
    kind === 'textList'
      ? [
          'p.parent_id',
          `unnest(${ids}) as p(parent_id) cross join ${readSource(definition)} t`,
          isChildOf(definition, parentColumn),
        ]
      : [sql('t'), `${readSource(definition)} t`, `${sql('t')} = any(${ids})`]
  const rows = await ctx.db.query<{ id: string; total: number }>(
    `select ${id} as id, count(*)::int8 as total from ${source} where ${match} and ${conditions.join(' and ')} group by 1`,
    predicate.values.list,
    'SCAN',
  )
  return new Map(rows.map(({ id, total }) => [id, total]))
}
