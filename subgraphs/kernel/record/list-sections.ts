import { columnOf, type RecordShape } from './definition.ts'
import { powerOfTwoFrom } from './list-window.ts'
import type { CursorPath, Order } from './order.ts'
import type { TenantPredicate, Values } from './predicate.ts'
import { readSource } from './read-source.ts'

export interface PageRange {
  readonly limit: number
  readonly offset?: number
  readonly cursor: string | null
  readonly cursorPath?: CursorPath
}

/** SQL of the ids of records in the order of a list, after its cursor; at least `rows` of them. */
export type IdsOf = (range: PageRange, rows: number, values: Values) => string

/** Rows of another table in the order of a list. */
export interface RowsInOrder {
  /**
   * Which ids they give: those of `ALL` records of the list; the `FIRST` of them, so that a page that is not full can be incomplete; or, as `CANDIDATES`, the first
   * of more ids, which have to be compared with the conditions of the list.
   */
  readonly has: 'ALL' | 'FIRST' | 'CANDIDATES'
  readonly ids: IdsOf
}

/** The rows of a list in the order of an index of the table. */
export class ListSections {
  constructor(
    private readonly definition: RecordShape,
    private readonly order: Order,
    private readonly predicate: TenantPredicate,
    /** Whether the list begins with the private or with the shared records of a private type, and its order has an index. */
    private readonly isByShared: boolean,
  ) {}

  /** PostgreSQL reads the sections one after the other, as far as the limit around them needs. `rows` is at least that limit. */
  sql(
    columns: string,
    { cursor, cursorPath }: PageRange,
    rows: number,
    values: Values,
    conditions: readonly string[],
  ): string {
    const { order } = this
    // A limit of its own makes PostgreSQL plan the section for few rows.
    const limit = powerOfTwoFrom(rows)
    const found = this.isByShared
      ? this.#byShared(cursor, values, cursorPath)
      : order.sections(cursor, 't', values, cursorPath)
    const inSection = order.sectionSql('t', this.isByShared ? 1 : 0)
    const sections = found.map((section) => {
      const where = section ? [...conditions, section] : conditions
      return `select ${columns} from ${this.#source} t where ${where.join(' and ')} order by ${inSection}`
    })
    return sections.length === 1
      ? sections[0]!
      : `select * from (${sections.map((section) => `(${section} limit ${limit})`).join(' union all ')}) t`
  }

  /** The ids of the tenant's rows in a range of a column, in the order of creation, from an index that has them for each day. */
  idsByDay(rangeByDay: string, { cursor, cursorPath }: PageRange, values: Values): string {
    const { definition, order, predicate } = this
    const after = cursor === null ? [] : [order.afterByDay(cursor, 't', values, cursorPath)]
    const where = [predicate.tenant(definition, 't'), rangeByDay, ...after]
    return `select t.id from ${this.#source} t where ${where.join(' and ')} order by ${order.byDaySql('t')}`
  }

  /**
   * The shared records, and the private ones of the caller, which are a range of an index by owner. The visibility, which is one of the conditions,
   * has added the parameter of the caller.
   */
  #byShared(cursor: string | null, values: Values, path: CursorPath | undefined): string[] {
    const { definition, order, predicate } = this
    const isShared = columnOf(definition, definition.privateUnless!).sql('t')
    return order.sectionsByFlag(cursor, 't', values, path).map(({ flag, after }) => {
      const seen = flag ? [isShared] : [`not ${isShared}`, predicate.own('t')]
      return [...seen, ...(after ? [after] : [])].join(' and ')
    })
  }

  get #source(): string {
    return readSource(this.definition)
  }
}
