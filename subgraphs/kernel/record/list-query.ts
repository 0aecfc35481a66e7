import type { RequestContext } from '../request.ts'
import type { Caller } from '../context.ts'
import type { Row, StatementKind } from '../database/sql.ts'
import { noteColumns } from './note-fields.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { fieldRules, fieldNotReadable, type FieldRules } from './field-security.ts'
import { compileFilter } from './filter.ts'
import type { FilterInput } from './filter-input.ts'
import { ListSections, type IdsOf, type PageRange, type RowsInOrder } from './list-sections.ts'
import { ListTotals, type Aggregated } from './list-totals.ts'
import { ListStatements, type Statement } from './list-statements.ts'
import { windowPageMax, windowRows } from './list-window.ts'
import { orderOf, type Order, type OrderInput } from './order.ts'
import { TenantPredicate, Values } from './predicate.ts'
import { rangeByDay } from './range-by-day.ts'
import { readSource } from './read-source.ts'
import { rowsByTotal } from './rollup/rollup-order.ts'
import { searchCondition } from './search.ts'
import { falseFlag } from './seldom-true.ts'
import { selectList, withFields } from './selection.ts'
import { shapeFor } from './shape-source.ts'
import {
  byField,
  countValueRows,
  FewestRows,
  recordsWithValues,
  valueRowsOf,
  type ValueCondition,
} from './value-index/value-range.ts'

/** With a larger offset a statement is a `SCAN`. */
const listOffsetMax = 1_000
export interface ListArgs {
  readonly filter?: FilterInput | null
  readonly search?: string | null
  readonly orderBy?: readonly OrderInput[] | null
}

/** Alias of the maintained total in a select list. No record has a column of this name. */
const totalAlias = 'maintainedTotal'

/** The SQL of one list request: the caller's visibility, filter, search and order. */
export class ListQuery {
  readonly predicate: TenantPredicate
  readonly order: Order
  /** All conditions: the tenant's live rows that the caller can see, the filter and the search. */
  readonly conditions: readonly string[]
  readonly rules: FieldRules | null
  /** The definition with the custom fields of the caller's organization. */
  readonly definition: RecordShape
  /** The conditions that an index answers in the order of the list. */
  readonly #ordered: readonly string[]
  /** Whether the filter names the ids of the records, so that all matching rows are few. */
  readonly #isByIds: boolean
  /** Whether these are all conditions. */
  readonly #isInOrder: boolean
  /**
   * Whether the records before a page far back are skipped one after the other in the order of creation, because the only conditions are on who sees
   * a record: the index of a private type has them, and few records have a deleted parent.
   */
  readonly #isSkippedInOrder: boolean
  readonly #sections: ListSections
  /** The range of a column that an index has for each day of creation; null without one, and where other conditions leave few rows. */
  readonly #rangeByDay: string | null
  /** Whether it is the only condition. */
  readonly #isRangeByDay: boolean
  /** Rows of another table that have the order of the list; null without such rows. */
  readonly #rowsInOrder: RowsInOrder | null
  /** The fields of all conditions, if the index of values answers these; otherwise none. */
  readonly #valueFields: readonly ValueCondition[]
  /** SQL of the ids of the records that match the conditions on indexed custom fields, or can match those on rollups; null without such conditions. */
  readonly #candidates: string | null
  readonly #totals: ListTotals
  readonly #pages: ListStatements
  /** `SCAN` with a filter, a search or an order without an index, because the statement may read every row. */
  readonly kind: StatementKind

  constructor(
    readonly ctx: RequestContext,
    builtIn: RecordShape,
    args: ListArgs,
    base: string | null = null,
    values = new Values(),
  ) {
    const definition = shapeFor(ctx, builtIn)
    this.definition = definition
    const predicate = new TenantPredicate(ctx.caller, values)
    this.predicate = predicate
    this.rules = fieldRules(ctx.caller, definition)
    this.order = orderOf(definition, args.orderBy)
    noteColumns(ctx, definition, this.order.names)
    if (this.rules && this.order.names.some((name) => this.rules!.hidden.has(name))) throw fieldNotReadable(['orderBy'])
    const visible = predicate.live(definition, 't')
    const filter = args.filter ? compileFilter(ctx, predicate, definition, args.filter, 't') : null
    const { others = [], isByIds = false } = filter ?? {}
    // PostgreSQL does not see that records which are not shared are the caller's own, of which there are few.
    const own = isOfOwnOnly(ctx.caller, definition, args.filter) ? [predicate.own('t')] : []
    const equalities = [...own, ...(filter?.equalities.values() ?? [])]
    this.#isByIds = isByIds
    const search = args.search
      ? [searchCondition(definition, this.#searched(), args.search, 't', predicate.values)]
      : []
    const bases = base ? [base] : []
    this.conditions = [visible, ...bases, ...equalities, ...others, ...search]
    const visibility = predicate.visibility(definition)
    const range = this.order.isIndexed ? filter?.ranges.get(this.order.names[0]!) : undefined
    const ordered = [...(this.order.isByCreation ? equalities.slice(0, 1) : []), ...(range ? [range] : [])]
    const isOwnersRange = visibility === 'RANGE' && this.order.isByCreation && ordered.length === 0
    const isRange = visibility === 'ALL' || isOwnersRange
    const isByShared =
      this.order.isIndexed && this.order.names[0] === definition.privateUnless && visibility === 'SHARED_AND_OWN'
    this.#sections = new ListSections(definition, this.order, predicate, isByShared)
    this.#ordered = [isRange || isByShared ? visible : predicate.tenant(definition, 't'), ...ordered]
    this.#isInOrder = (isRange || isByShared) && this.conditions.length === 1 + ordered.length
    const parent = base === null ? definition.visibleThrough?.to() : undefined
    const liveParent = parent && predicate.visibility(parent) === 'ALL' ? parent : null
    this.#isSkippedInOrder =
      this.order.isByCreation &&
      this.conditions.length === 1 &&
      (definition.privateUnless !== undefined || liveParent !== null)
    const isByDay = filter !== null && !isByIds && base === null && this.order.isByCreation
    this.#rangeByDay = isByDay ? rangeByDay(definition, args.filter!, filter) : null
    this.#isRangeByDay = this.#rangeByDay !== null && visibility === 'ALL' && this.conditions.length === 2
    const { inValueIndex = [], candidates = [], isInValueIndexOnly = false } = filter ?? {}
    const isOfValuesOnly = isInValueIndexOnly && visibility === 'ALL' && base === null && search.length === 0
    const isOfAll = visibility === 'ALL' && this.conditions.length === 1
    const hasOthers = !isOfValuesOnly && !isOfAll
    const fields = byField(inValueIndex)
    this.#valueFields = isOfValuesOnly ? fields : []
    const canBeByValue = !isByIds && base === null
    this.#rowsInOrder = canBeByValue
      ? (rowsByTotal({ definition, predicate, order: this.order, conditions: this.conditions, isOfAll }) ??
        valueRowsOf(definition, predicate.organization(), this.order, fields, hasOthers))
      : null
    const byIndex = [...(fields.length > 0 ? [recordsWithValues(fields)] : []), ...candidates]
    this.#candidates = byIndex.length > 0 ? byIndex.map((ids) => `(${ids})`).join(' intersect ') : null
    this.#pages = new ListStatements({
      definition,
      predicate,
      order: this.order,
      sections: this.#sections,
      conditions: this.conditions,
      ordered: this.#ordered,
      candidates: this.#candidates,
    })
    this.#totals = new ListTotals({
      definition,
      predicate,
      conditions: this.conditions,
      candidates: this.#candidates,
      isOfCandidates: isOfValuesOnly,
      filterColumns: base || args.search ? null : filter ? filter.columns : [],
      falseFlag: filter && falseFlag(definition, args.filter!, filter),
      liveParent,
    })
    const isFiltered = equalities.length + others.length + search.length > 0
    // Where most records have a total, those without one are far from each other.
    const isInIndex = this.#rowsInOrder
      ? this.#rowsInOrder.has === 'ALL' && !this.order.rollupOfTotals
      : this.order.isIndexed && !isFiltered
    this.kind = isInIndex ? 'LIST' : 'SCAN'
  }

  #searched() {
    const { definition, rules } = this
    return definition.searchable.filter((name) => !rules?.hidden.has(name)).map((name) => columnOf(definition, name))
  }

  /** Reads one page and, when `isCounted`, the number of all records in the list. */
  async read(selected: ReadonlySet<string>, range: PageRange, isCounted: boolean): Promise<[Row[], number | null]> {
    if (range.cursor !== null) this.order.validate(range.cursor, range.cursorPath)
    if (isCounted) this.ctx.answered?.aggregate(this.definition)
    if (!isCounted) return [await this.#rows(selected, range), null]
    const total = this.#totals.maintained()
    if (total === null) {
      // `#count` copies the parameters, so it must be called before `#rows` adds more of them.
      const count = this.#count()
      return Promise.all([this.#rows(selected, range), count])
    }
    // A column in the same statement is faster than a second statement.
    const rows = await this.#rows(selected, range, `, ${total} as "${totalAlias}"`)
    if (rows[0]) return [rows, rows[0][totalAlias] as number]
    const { list } = this.predicate.values
    const [counted] = await this.ctx.db.query<{ total: number }>(`select ${total} as total`, list)
    return [rows, counted!.total]
  }

  /** The `from` and `where` of aggregates over all records of the list: the maintained totals if they have these columns and those of the filter. */
  aggregated(columns: readonly string[]): Aggregated {
    return this.#totals.aggregated(columns)
  }

  /** The same over the records, whatever the maintained totals have. */
  aggregatedRows(): Aggregated {
    return this.#totals.rows()
  }

  /** All records of the list in its order, as one statement. `columns` may contain no parameters. */
  whole(columns: string): Statement {
    const { predicate, order } = this
    const where = [...this.conditions, ...(this.#candidates === null ? [] : [`t.id = any(array(${this.#candidates}))`])]
    const text = `select ${columns} from ${this.#source} t where ${where.join(' and ')} order by ${order.sql('t')}`
    return { text, values: predicate.values.list }
  }

  /** Must be async: it then rejects instead of throwing, so that the caller still awaits a count that already runs. */
  async #rows(selected: ReadonlySet<string>, range: PageRange, extraColumns = ''): Promise<Row[]> {
    const { definition, order, rules } = this
    const columns =
      selectList(definition, withFields(selected, order.columnNames), 't', rules) + order.selected('t') + extraColumns
    const rows = await this.#page(columns, range)
    this.ctx.answered?.records(definition, rows)
    return rows
  }

  async #page(columns: string, range: PageRange): Promise<Row[]> {
    const { limit, offset = 0 } = range
    const kind = offset > listOffsetMax ? 'SCAN' : this.kind
    const run = ({ text, values }: Statement): Promise<Row[]> => this.ctx.db.query(text, values, kind)
    const isInWindow = limit + offset <= windowPageMax
    const pages = this.#pages
    const fewest = await this.#fewestRows()
    if (fewest && this.order.isByCreation) return run(pages.ofIds(columns, range, fewest.inOrder(this.order)))
    const sorted = (): Promise<Row[]> => run(pages.sorted(columns, range, fewest?.ids))
    if (fewest && fewest.count <= windowRows(range)) return sorted()
    if (this.#rowsInOrder) {
      const { has, ids } = this.#rowsInOrder
      if (has === 'ALL') return run(pages.ofIds(columns, range, ids))
      const isCompared = has === 'CANDIDATES'
      const first = isCompared ? pages.inWindowOfIds(columns, range, ids) : pages.ofIds(columns, range, ids)
      const rows = isInWindow ? await run(first) : []
      return rows.length === limit ? rows : sorted()
    }
    if (!this.order.isIndexed) return sorted()
    if (this.#isInOrder) return run(pages.inOrder(columns, range, this.#ordered))
    if (this.#isSkippedInOrder && !isInWindow) return run(pages.inOrder(columns, range, this.conditions))
    if (!this.#isByIds && isInWindow) {
      const rows = await run(pages.inWindow(columns, range))
      if (rows.length === limit) return rows
    }
    const rangeOfDays = this.#rangeByDay
    const byDay: IdsOf = (of, _rows, values) => this.#sections.idsByDay(rangeOfDays!, of, values)
    if (this.#isRangeByDay) return run(pages.ofIds(columns, range, byDay))
    if (rangeOfDays && isInWindow) {
      const rows = await run(pages.inWindowOfIds(columns, range, byDay))
      if (rows.length === limit) return rows
    }
    return sorted()
  }

  /** The field whose conditions leave the fewest rows of the index of values; null if none leaves few, and where rows are in the order of the list anyway. */
  async #fewestRows(): Promise<FewestRows | null> {
    const fields = this.#valueFields
    if (fields.length === 0 || this.#rowsInOrder?.has === 'ALL') return null
    const { list } = this.predicate.values
    const [row] = await this.ctx.db.query<{ counts: number[] }>(countValueRows(fields), list.slice(), 'SCAN')
    return FewestRows.of(fields, row!.counts)
  }

  get #source(): string {
    return readSource(this.definition)
  }

  async #count(): Promise<number> {
    const { list } = this.predicate.values
    const [row] = await this.ctx.db.query<{ total: number }>(
      `select ${this.#totals.counted()} as total`,
      list.slice(),
      'SCAN',
    )
    return row!.total
  }
}

/** Whether the filter excludes the shared records of a private type, so that the caller sees the own ones only. */
function isOfOwnOnly({ kind }: Caller, { privateUnless }: RecordShape, filter: ListArgs['filter']): boolean {
  if (privateUnless === undefined || kind === 'SYSTEM') return false
  const condition = filter?.[privateUnless] as FilterInput | null | undefined
  return condition?.['eq'] === false
}
