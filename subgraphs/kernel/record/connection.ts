import type { RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import { batchOf } from './batch.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { isHidden } from './field-security.ts'
import { Listing, size, type ConnectionArgs, type ListArgs } from './list.ts'
import type { Order } from './order.ts'
import { selectList, together } from './selection.ts'

/** What a connection answers. Making cursors takes longer than reading the rows, so it waits until somebody selects them. */
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

function connectionOf(
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

/** A keyset connection over live records in sight. */
export async function readConnection(
  ctx: RequestContext,
  definition: RecordShape,
  args: ConnectionArgs,
  asked: { readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Connection> {
  const first = size(args.first, 'first')
  const listing = new Listing(ctx, definition, args)
  const part = { limit: first + 1, cursor: args.after ?? null, cursorPath: 'after' as const }
  const [rows, totalCount] = await listing.read(asked.record, part, asked.total)
  return connectionOf(listing.order, rows, first, args.after, totalCount)
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
  const listing = new Listing(ctx, definition, args, `${columnOf(definition, parentColumn).sql('t')} = p.parent_id`)
  const { scope, order, conditions, rules } = listing
  // Whose they are is hidden: as if nobody had filled it in, they are nobody's.
  if (isHidden(ctx.caller, definition, parentColumn))
    return parents.map(() => connectionOf(order, [], first, args.after, asked.total ? 0 : null))
  const where = args.after ? [...conditions, order.after(args.after, 't', scope.values, 'after')] : conditions
  const distinct = [...new Set(parents)]
  const columns = selectList(definition, together(asked.record, order.columnNames), 't', rules) + order.selected('t')
  const parentIds = `unnest(${scope.values.add(distinct)}::uuid[])`
  const counted = asked.total
    ? countsOf(ctx, definition, parentColumn, args, distinct)
    : Promise.resolve(new Map<string, number>())
  const [rows, totals] = await Promise.all([
    ctx.db.query(
      `select p.parent_id as "parentOf", c.* from ${parentIds} as p(parent_id) cross join lateral (select ${columns} from ${definition.table} t where ${where.join(' and ')} order by ${order.sql('t')} limit ${scope.values.add(first + 1)}) c`,
      scope.values.list,
      listing.kind,
    ),
    counted,
  ])
  ctx.answered?.records(definition, rows)
  if (asked.total) ctx.answered?.figure(definition)
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
  const parent = columnOf(definition, parentColumn).sql('t')
  const { scope, conditions } = new Listing(ctx, definition, args)
  const rows = await ctx.db.query<{ id: string; total: number }>(
    `select ${parent} as id, count(*)::int8 as total from ${definition.table} t where ${parent} = any(${scope.values.add(parents)}::uuid[]) and ${conditions.join(' and ')} group by 1`,
    scope.values.list,
    'SCAN',
  )
  return new Map(rows.map(({ id, total }) => [id, total]))
}
