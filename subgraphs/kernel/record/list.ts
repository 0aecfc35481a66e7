import { invalid } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { Row, StatementKind } from '../database/sql.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { fieldRules, fieldNotReadable, type FieldRules } from './field-security.ts'
import { filterPredicate, type FilterInput } from './filter.ts'
import { shapeFor } from './shape-source.ts'
import { Order, type CursorPath, type OrderInput } from './order.ts'
import { TenantPredicate } from './predicate.ts'
import { searchPattern } from './search-text.ts'
import { selectList, withFields } from './selection.ts'
import { hasTotalsFor, isOverTotals, totalOf, type WithTotals } from './maintained-totals.ts'

const pageSizeMax = 100
const pageMax = 100_000
/** Maximum offset of a `LIST` statement; with a larger offset the statement is a `SCAN`. */
const listOffsetMax = 1_000

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

interface PageRange {
  readonly limit: number
  readonly offset?: number
  readonly cursor: string | null
  readonly cursorPath?: CursorPath
}

/** Alias of the maintained total in a select list. No record has a column of this name. */
const totalAlias = 'maintainedTotal'

/** The SQL of one list request: the caller's visibility, filter, search and order. */
export class ListQuery {
  readonly predicate: TenantPredicate
  readonly order: Order
  readonly conditions: string[]
  readonly rules: FieldRules | null
  /** The SQL of the total from maintained totals; null when they do not contain it. */
  readonly #total: (() => string) | null
  /** `SCAN` with a filter, a search or an order without an index, because the statement may read every row. */
  readonly kind: StatementKind

  /** The definition with the custom fields of the caller's organization. */
  readonly definition: RecordShape

  constructor(
    readonly ctx: RequestContext,
    builtIn: RecordShape,
    args: ListArgs,
    base: string | null = null,
  ) {
    const definition = shapeFor(ctx, builtIn)
    this.definition = definition
    this.predicate = new TenantPredicate(ctx.caller)
    this.rules = fieldRules(ctx.caller, definition)
    this.order = new Order(definition, args.orderBy)
    if (this.rules && this.order.names.some((name) => this.rules!.hidden.has(name))) throw fieldNotReadable(['orderBy'])
    this.conditions = [this.predicate.live(definition, 't')]
    if (base) this.conditions.push(base)
    const filter = args.filter ? filterPredicate(ctx.shapes, this.predicate, definition, args.filter, 't') : null
    if (filter) this.conditions.push(filter.sql)
    const search = args.search ? this.#search(args.search) : null
    if (search) this.conditions.push(search)
    const isMaintained =
      !base &&
      !search &&
      hasTotalsFor(ctx.caller, definition) &&
      (!filter || (filter.isOwnColumnsOnly && isOverTotals(definition, filter.columns)))
    this.#total = isMaintained ? () => totalOf(definition as WithTotals, this.predicate, filter?.sql ?? null) : null
    this.kind = filter || search || !this.order.isIndexed ? 'SCAN' : 'LIST'
  }

  #search(text: string): string {
    const pattern = this.predicate.values.add(searchPattern(text))
    const searched = this.definition.searchable.filter((name) => !this.rules?.hidden.has(name))
    if (searched.length === 0) return 'false'
    return `(${searched.map((name) => `${columnOf(this.definition, name).sql('t')} ilike ${pattern}`).join(' or ')})`
  }

  /** Reads one page and, when `isCounted`, the number of all records in the list. */
  async read(selected: ReadonlySet<string>, range: PageRange, isCounted: boolean): Promise<[Row[], number | null]> {
    if (isCounted) this.ctx.answered?.aggregate(this.definition)
    if (!isCounted) return [await this.#rows(selected, range), null]
    if (!this.#total) {
      // `#count` copies the parameters, so it must be called before `#rows` adds more of them.
      const count = this.#count()
      return Promise.all([this.#rows(selected, range), count])
    }
    const total = this.#total()
    const values = this.predicate.values.list.slice()
    // A column in the same statement is faster than a second statement.
    const rows = await this.#rows(selected, range, `, ${total} as "${totalAlias}"`)
    if (rows[0]) return [rows, rows[0][totalAlias] as number]
    const [counted] = await this.ctx.db.query<{ total: number }>(`select ${total} as total`, values)
    return [rows, counted!.total]
  }

  /** Must be async: it then rejects instead of throwing, so that the caller still awaits a count that already runs. */
  async #rows(
    selected: ReadonlySet<string>,
    { limit, offset = 0, cursor, cursorPath }: PageRange,
    extraColumns = '',
  ): Promise<Row[]> {
    const { predicate, definition, order, rules } = this
    const values = predicate.values
    const columns =
      selectList(definition, withFields(selected, order.columnNames), 't', rules) + order.selected('t') + extraColumns
    const where = cursor ? [...this.conditions, order.after(cursor, 't', values, cursorPath)] : this.conditions
    const sql = `select ${columns} from ${definition.table} t where ${where.join(' and ')} order by ${order.sql('t')} limit ${values.add(limit)}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    const rows = await this.ctx.db.query(sql, values.list, offset > listOffsetMax ? 'SCAN' : this.kind)
    this.ctx.answered?.records(definition, rows)
    return rows
  }

  async #count(): Promise<number> {
    const counted = this.predicate.values.list.slice()
    const [row] = await this.ctx.db.query<{ total: number }>(
      `select count(*)::int8 as total from ${this.definition.table} t where ${this.conditions.join(' and ')}`,
      counted,
      'SCAN',
    )
    return row!.total
  }
}

export function pageSize(value: number | null | undefined, name: string): number {
  const requested = value ?? 20
  if (requested < 1 || requested > pageSizeMax)
    throw invalid({ path: name, code: 'OUT_OF_RANGE', message: `${name} must be between 1 and ${pageSizeMax}.` })
  return requested
}

export function pageNumber(requested: number | null | undefined): number {
  const page = requested ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({
      path: 'page',
      code: 'OUT_OF_RANGE',
      message: `page must be between 1 and ${pageMax}; use cursor to read further pages.`,
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

interface PageRows {
  /** The rows of the page, and one more row when there is a next page. */
  readonly data: Row[]
  readonly page: number
  readonly limit: number
  readonly total: number | null
}

/** Builds a page from its rows. `order` creates the cursor; it is null when `nextCursor` is not selected. */
export function toPage({ data, page, limit, total }: PageRows, order: Order | null): Page {
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

/** A page of the records that the caller can see, without deleted ones. Rows are counted only when `total` is selected and not maintained. */
export async function readPage(
  ctx: RequestContext,
  definition: RecordShape,
  args: PageArgs,
  selected: { readonly page: ReadonlySet<string>; readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Page> {
  const limit = pageSize(args.limit, 'limit')
  const page = pageNumber(args.page)
  const query = new ListQuery(ctx, definition, args)
  const { cursor = null } = args
  const range = { limit: limit + 1, offset: cursor ? 0 : (page - 1) * limit, cursor }
  const [data, total] = await query.read(selected.record, range, selected.total)
  return toPage({ data, page, limit, total }, selected.page.has('nextCursor') ? query.order : null)
}

/** Deleted records that the caller can see, most recently deleted first. */
export async function readDeleted(
  ctx: RequestContext,
  builtIn: RecordShape,
  args: Pick<PageArgs, 'page' | 'limit'>,
  selected: ReadonlySet<string>,
): Promise<Row[]> {
  const definition = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const limit = pageSize(args.limit ?? pageSizeMax, 'limit')
  const page = args.page ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({ path: 'page', code: 'OUT_OF_RANGE', message: `page must be between 1 and ${pageMax}.` })
  const rows = await ctx.db.query(
    `select ${selectList(definition, selected, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where ${predicate.visible(definition, 't')} and t.deleted_at is not null order by t.deleted_at desc, t.id desc limit ${predicate.values.add(limit)} offset ${predicate.values.add((page - 1) * limit)}`,
    predicate.values.list,
    (page - 1) * limit > listOffsetMax ? 'SCAN' : 'LIST',
  )
  ctx.answered?.records(definition, rows)
  return rows
}
