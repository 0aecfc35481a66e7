import { invalid } from '../../errors.ts'
import { isId } from '../../ids.ts'
import type { Row } from '../../database/sql.ts'
import type { RequestContext } from '../../request.ts'
import { connectionOf, type Connection } from '../connection.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { fieldNotReadable, fieldRules, type FieldRules } from '../field-security.ts'
import { compileFilter } from '../filter.ts'
import { pageNumber, pageSize, toPage, type ConnectionArgs, type Page, type PageArgs } from '../list.ts'
import type { ListArgs } from '../list-query.ts'
import type { PageRange } from '../list-sections.ts'
import { orderOf, type Order } from '../order.ts'
import { TenantPredicate } from '../predicate.ts'
import { readSource } from '../read-source.ts'
import { searchCondition } from '../search.ts'
import { selectList, withFields } from '../selection.ts'
import { shapeFor } from '../shape-source.ts'
import { requireKept } from './kept-history.ts'
import { PastRows } from './past-rows.ts'
import { pastShape } from './past-shape.ts'

/** The most records that may have changed since the time of a list. */
export const changedRecordsMax = 100_000
const pastRowsMax = 100_000

/** The record as it was at a time: null when it did not exist or was deleted then, or when the caller does not see it now. A record that is deleted now is read, too. */
export async function readPast(
  ctx: RequestContext,
  builtIn: RecordShape,
  { id, at, path }: { readonly id: string; readonly at: string; readonly path: string },
  selected: ReadonlySet<string>,
): Promise<Row | null> {
  await requireKept(ctx, at, path)
  if (!isId(id)) return null
  const current = shapeFor(ctx, builtIn)
  const shape = pastShape(current)
  const predicate = new TenantPredicate(ctx.caller)
  const rows = new PastRows(predicate, shape, at)
  const recordId = predicate.values.add(id.toLowerCase())
  const columns = selectList(shape, selected, 't', fieldRules(ctx.caller, shape))
  const [row] = await ctx.db.query(
    `with changed as materialized (${rows.firstEvents({ id: recordId })})
     select ${columns} from (
       ${rows.unchanged(current.table, 'changed')} and c.id = ${recordId}::uuid
       union all ${rows.changed(current.table, 'changed')}
     ) t where t.deleted_at is null`,
    predicate.values.list,
  )
  if (row) ctx.answered?.record(current, row.id as string)
  return row ?? null
}

/** SQL of the records of a list. */
interface PartsOfList {
  /** The records that have not changed since. */
  readonly unchanged: string
  /** What the changed records of a page were, which `first_changed` names. */
  readonly changed: string
  /** What all changed records were, with the columns that decide about the list. */
  readonly deciding: string
}

/** A list of records as they were at a time. */
class PastList {
  readonly order: Order
  readonly #shape: RecordShape
  readonly #current: RecordShape
  readonly #predicate: TenantPredicate
  readonly #conditions: readonly string[]
  readonly #rules: FieldRules | null
  readonly #rows: PastRows
  readonly #at: string

  constructor(
    private readonly ctx: RequestContext,
    builtIn: RecordShape,
    at: string,
    { filter, search, orderBy }: ListArgs,
  ) {
    this.#at = at
    this.#current = shapeFor(ctx, builtIn)
    const shape = pastShape(this.#current)
    this.#shape = shape
    this.#predicate = new TenantPredicate(ctx.caller)
    const rules = fieldRules(ctx.caller, shape)
    this.#rules = rules
    this.order = orderOf(shape, orderBy)
    if (rules && this.order.names.some((name) => rules.hidden.has(name))) throw fieldNotReadable(['orderBy'])
    const compiled = filter ? compileFilter(ctx, this.#predicate, shape, filter, 't') : null
    const searched = shape.searchable.filter((name) => !rules?.hidden.has(name)).map((name) => columnOf(shape, name))
    this.#conditions = [
      't.deleted_at is null',
      ...(compiled ? [...compiled.equalities.values(), ...compiled.others] : []),
      ...(search ? [searchCondition(shape, searched, search, 't', this.#predicate.values)] : []),
    ]
    this.#rows = new PastRows(this.#predicate, shape, at)
  }

  /** One page, one more row included when there is a next one, and the number of all records when it is asked for. */
  async read(
    selected: ReadonlySet<string>,
    range: PageRange,
    isCounted: boolean,
  ): Promise<[rows: Row[], total: number | null]> {
    const { limit, offset = 0, cursor, cursorPath } = range
    if (limit + offset > pastRowsMax)
      throw invalid({
        path: 'page',
        code: 'OUT_OF_RANGE',
        message: `With asOf, a page must end within the first ${pastRowsMax} records; use cursor.`,
      })
    const { order, ctx } = this
    if (cursor !== null) order.validate(cursor, cursorPath)
    const { unchanged, changed, deciding } = this.#parts()
    const values = this.#predicate.values.copy()
    const after = cursor === null ? [] : [order.after(cursor, 't', values, cursorPath)]
    const where = [...this.#conditions, ...after].join(' and ')
    const behind = after.map((condition) => ` where ${condition}`).join('')
    const columns = selectList(this.#shape, withFields(selected, order.columnNames), 't', this.#rules)
    const end = `order by ${order.sql('t')} limit ${limit + offset}`
    // Each part gives its first rows, so that the unchanged records of an order with an index are a range of it. What changed records were is read once for
    // the page and the total.
    const conditions = this.#conditions.join(' and ')
    const total = isCounted
      ? `, (select count(*) from (${unchanged}) t where ${conditions}) + (select count(*) from decided) as "totalOfList"`
      : ''
    const page = `, decided as (select * from (${deciding}) t where ${conditions}),
      first_changed as materialized (
        select * from changed where record_id in (select t.id from decided t${behind} ${end})
      )
      select ${columns}${order.selected('t')}, ${this.#countOfChanged} as "changedRecords"${total} from (
        select * from (select t.* from (${unchanged}) t where ${where} ${end}) u
        union all ${changed}
      ) t order by ${order.sql('t')} limit ${limit} offset ${offset}`
    const found = await ctx.db.query(this.#with(page), values.list, 'SCAN')
    const [first] = found
    this.#refuseMany(first ?? (await this.#changedRecords()))
    ctx.answered?.records(this.#current, found)
    if (isCounted) ctx.answered?.aggregate(this.#current)
    const rows = found.map(({ changedRecords: _changedRecords, totalOfList: _totalOfList, ...row }) => row)
    if (!isCounted) return [rows, null]
    return [rows, first ? (first['totalOfList'] as number) : await this.#count()]
  }

  /** The number of all records; an empty page does not tell it. */
  async #count(): Promise<number> {
    const { unchanged, deciding } = this.#parts()
    const where = this.#conditions.join(' and ')
    const [row] = await this.ctx.db.query<{ total: number }>(
      this.#with(
        `select (select count(*) from (${unchanged}) t where ${where}) + (select count(*) from (${deciding}) t where ${where}) as total`,
      ),
      this.#predicate.values.list,
      'SCAN',
    )
    return row!.total
  }

  /** An empty page does not tell how many records have changed. */
  async #changedRecords(): Promise<Row | undefined> {
    const predicate = new TenantPredicate(this.ctx.caller)
    const changed = new PastRows(predicate, this.#shape, this.#at).firstEvents({ limit: changedRecordsMax + 1 })
    const text = `select count(*)::int as "changedRecords" from (${changed}) changed`
    const [row] = await this.ctx.db.query(text, predicate.values.list, 'SCAN')
    return row
  }

  readonly #countOfChanged = '(select count(*)::int from changed)'

  #with(query: string): string {
    return `with changed as materialized (${this.#rows.firstEvents({ limit: changedRecordsMax + 1 })}) ${query}`
  }

  #sql: PartsOfList | null = null

  #parts(): PartsOfList {
    const source = readSource(this.#current)
    return (this.#sql ??= {
      unchanged: this.#rows.unchanged(source, 'changed'),
      changed: this.#rows.changed(source, 'first_changed'),
      deciding: this.#rows.changed(source, 'changed', ({ name, column }) => name === 'id' || this.#decides(column)),
    })
  }

  /** Whether the filter, the search or the order names the column by the alias `t`; a cursor names those of the order. */
  #decides(column: string): boolean {
    this.#named ??= new Set(
      [...this.#conditions, this.order.sql('t')].flatMap((sql) =>
        [...sql.matchAll(/\bt\.(\w+)/g)].map(([, name]) => name!),
      ),
    )
    return this.#named.has(column)
  }

  #named: ReadonlySet<string> | null = null

  #refuseMany(row: Row | undefined): void {
    if (((row?.['changedRecords'] as number | undefined) ?? 0) <= changedRecordsMax) return
    throw invalid({
      path: 'asOf',
      code: 'TOO_MANY',
      message: `More than ${changedRecordsMax} records have changed since asOf; ask for a later time.`,
    })
  }
}

interface Selected {
  readonly record: ReadonlySet<string>
  readonly total: boolean
}

/** A page of the records that were live at a time, of those that the caller sees now. */
export async function readPastPage(
  ctx: RequestContext,
  builtIn: RecordShape,
  at: string,
  args: PageArgs,
  selected: Selected & { readonly page: ReadonlySet<string> },
): Promise<Page> {
  const limit = pageSize(args.limit, 'limit')
  const page = pageNumber(args.page)
  await requireKept(ctx, at, 'asOf')
  const list = new PastList(ctx, builtIn, at, args)
  const { cursor = null } = args
  const range = { limit: limit + 1, offset: cursor ? 0 : (page - 1) * limit, cursor }
  const [data, total] = await list.read(selected.record, range, selected.total)
  return toPage({ data, page, limit, total }, selected.page.has('nextCursor') ? list.order : null)
}

/** The same as a keyset connection. */
export async function readPastConnection(
  ctx: RequestContext,
  builtIn: RecordShape,
  at: string,
  args: ConnectionArgs,
  selected: Selected,
): Promise<Connection> {
  const first = pageSize(args.first, 'first')
  await requireKept(ctx, at, 'asOf')
  const list = new PastList(ctx, builtIn, at, args)
  const range = { limit: first + 1, cursor: args.after ?? null, cursorPath: 'after' as const }
  const [rows, total] = await list.read(selected.record, range, selected.total)
  return connectionOf(list.order, rows, first, args.after, total)
}
