import { invalid } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { Row, StatementKind } from '../database/sql.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { fieldRules, notReadable, type FieldRules } from './field-security.ts'
import { filterPredicate, type FilterInput } from './filter.ts'
import { literalPattern } from './operators.ts'
import { shapeFor } from './shape-source.ts'
import { Order, type CursorPath, type OrderInput } from './order.ts'
import { TenantPredicate } from './predicate.ts'
import { isStorable } from './scalars.ts'
import { selectList, together } from './selection.ts'
import { maintainedCount, maintainedCountOf } from './totals.ts'

const pageSizeMax = 100
const pageMax = 100_000
/** Rows before a page that are read without more ado. */
const skippedMax = 1_000
const searchMax = 200

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

interface Part {
  readonly limit: number
  readonly offset?: number
  readonly cursor: string | null
  readonly cursorPath?: CursorPath
}

/** No record has a column of this name. */
const keptAs = 'totalKept'

/** The records of a list request as SQL: what is asked, whom it is for, and which part. */
export class Listing {
  readonly scope: TenantPredicate
  readonly order: Order
  readonly conditions: string[]
  readonly rules: FieldRules | null
  /** True when nothing narrows the list but the tenant: its total is kept. */
  readonly whole: boolean
  /** What its statement is, but for a page far behind: filters and most orders may read every row. */
  readonly kind: StatementKind

  /** As the organization of the caller has it. */
  readonly definition: RecordShape

  constructor(
    readonly ctx: RequestContext,
    builtIn: RecordShape,
    args: ListArgs,
    base: string | null = null,
  ) {
    const definition = shapeFor(ctx, builtIn)
    this.definition = definition
    this.scope = new TenantPredicate(ctx.caller)
    this.rules = fieldRules(ctx.caller, definition)
    this.order = new Order(definition, args.orderBy)
    if (this.rules && this.order.names.some((name) => this.rules!.hidden.has(name))) throw notReadable(['orderBy'])
    this.conditions = [this.scope.live(definition, 't')]
    if (base) this.conditions.push(base)
    const filter = args.filter ? filterPredicate(ctx.shapes, this.scope, definition, args.filter, 't') : null
    if (filter) this.conditions.push(filter)
    const search = args.search ? this.#search(args.search) : null
    if (search) this.conditions.push(search)
    const narrowed = base || filter || search || ctx.caller.ownerIds || definition.visibleThrough
    this.whole = !narrowed && definition.maintainedCount !== false
    this.kind = filter || search || !this.order.isIndexed ? 'SCAN' : 'LIST'
  }

  #search(text: string): string {
    if ([...text].length > searchMax)
      throw invalid({ path: 'search', code: 'TOO_LONG', message: `search takes at most ${searchMax} characters.` })
    if (!isStorable(text))
      throw invalid({
        path: 'search',
        code: 'NOT_TEXT',
        message: 'search contains a NUL character or half of a surrogate pair.',
      })
    const pattern = this.scope.values.add(`%${literalPattern(text)}%`)
    const searched = this.definition.searchable.filter((name) => !this.rules?.hidden.has(name))
    if (searched.length === 0) return 'false'
    return `(${searched.map((name) => `${columnOf(this.definition, name).sql('t')} ilike ${pattern}`).join(' or ')})`
  }

  /** A part of the list and, when it is counted, the number of records in all of it. */
  async read(asked: ReadonlySet<string>, part: Part, isCounted: boolean): Promise<[Row[], number | null]> {
    if (isCounted) this.ctx.answered?.figure(this.definition)
    if (!isCounted) return [await this.#rows(asked, part), null]
    if (!this.whole) {
      // Before the rows add values of their own.
      const count = this.#count()
      return Promise.all([this.#rows(asked, part), count])
    }
    const { scope, definition } = this
    // A statement of its own would cost more than the column.
    const kept = `, (${maintainedCountOf(scope.organization(), scope.values.add(definition.object))}) as "${keptAs}"`
    const rows = await this.#rows(asked, part, kept)
    return [rows, rows[0] ? (rows[0][keptAs] as number) : await maintainedCount(this.ctx, definition)]
  }

  /** Rejects, never throws: a count may be under way, and somebody must wait for it. */
  async #rows(
    asked: ReadonlySet<string>,
    { limit, offset = 0, cursor, cursorPath }: Part,
    further = '',
  ): Promise<Row[]> {
    const { scope, definition, order, rules } = this
    const values = scope.values
    const columns =
      selectList(definition, together(asked, order.columnNames), 't', rules) + order.selected('t') + further
    const where = cursor ? [...this.conditions, order.after(cursor, 't', values, cursorPath)] : this.conditions
    const sql = `select ${columns} from ${definition.table} t where ${where.join(' and ')} order by ${order.sql('t')} limit ${values.add(limit)}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    const rows = await this.ctx.db.query(sql, values.list, offset > skippedMax ? 'SCAN' : this.kind)
    this.ctx.answered?.records(definition, rows)
    return rows
  }

  async #count(): Promise<number> {
    const counted = this.scope.values.list.slice()
    const [row] = await this.ctx.db.query<{ total: number }>(
      `select count(*)::int8 as total from ${this.definition.table} t where ${this.conditions.join(' and ')}`,
      counted,
      'SCAN',
    )
    return row!.total
  }
}

export function size(value: number | null | undefined, name: string): number {
  const wanted = value ?? 20
  if (wanted < 1 || wanted > pageSizeMax)
    throw invalid({ path: name, code: 'OUT_OF_RANGE', message: `${name} is between 1 and ${pageSizeMax}.` })
  return wanted
}

export function pageNumber(wanted: number | null | undefined): number {
  const page = wanted ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({
      path: 'page',
      code: 'OUT_OF_RANGE',
      message: `page is between 1 and ${pageMax}; use cursor to go further.`,
    })
  return page
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

interface Found {
  /** One more than the page takes, where there are more. */
  readonly data: Row[]
  readonly page: number
  readonly limit: number
  readonly total: number | null
}

/** The envelope of what was found. `order` makes the cursor; null when nobody asks for it. */
export function enveloped({ data, page, limit, total }: Found, order: Order | null): Page {
  const hasMore = data.length > limit
  if (hasMore) data.length = limit
  const last = data.at(-1)
  return {
    data,
    page,
    limit,
    total,
    totalPages: total === null ? null : Math.ceil(total / limit),
    hasMore,
    nextCursor: hasMore && last && order ? order.cursorOf(last) : null,
  }
}

/** A page of live records in sight. `total` costs a count only when it is asked for and not kept. */
export async function readPage(
  ctx: RequestContext,
  definition: RecordShape,
  args: PageArgs,
  asked: { readonly page: ReadonlySet<string>; readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Page> {
  const limit = size(args.limit, 'limit')
  const page = pageNumber(args.page)
  const listing = new Listing(ctx, definition, args)
  const { cursor = null } = args
  const part = { limit: limit + 1, offset: cursor ? 0 : (page - 1) * limit, cursor }
  const [data, total] = await listing.read(asked.record, part, asked.total)
  return enveloped({ data, page, limit, total }, asked.page.has('nextCursor') ? listing.order : null)
}

/** Deleted records in sight, the last deleted first. */
export async function readDeleted(
  ctx: RequestContext,
  builtIn: RecordShape,
  args: Pick<PageArgs, 'page' | 'limit'>,
  asked: ReadonlySet<string>,
): Promise<Row[]> {
  const definition = shapeFor(ctx, builtIn)
  const scope = new TenantPredicate(ctx.caller)
  const limit = size(args.limit ?? pageSizeMax, 'limit')
  const page = args.page ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({ path: 'page', code: 'OUT_OF_RANGE', message: `page is between 1 and ${pageMax}.` })
  const rows = await ctx.db.query(
    `select ${selectList(definition, asked, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where ${scope.seen(definition, 't')} and t.deleted_at is not null order by t.deleted_at desc, t.id desc limit ${scope.values.add(limit)} offset ${scope.values.add((page - 1) * limit)}`,
    scope.values.list,
    (page - 1) * limit > skippedMax ? 'SCAN' : 'LIST',
  )
  ctx.answered?.records(definition, rows)
  return rows
}
