import type { RecordShape } from './definition.ts'
import type { IdsOf, ListSections, PageRange } from './list-sections.ts'
import { windowRows } from './list-window.ts'
import type { Order } from './order.ts'
import type { TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'

/** From this offset on, the ids of a page are read from the index alone before its rows. */
const idsFirstOffset = 100

/** A list as the statements of its pages need it. */
export interface Listed {
  readonly definition: RecordShape
  readonly predicate: TenantPredicate
  readonly order: Order
  readonly sections: ListSections
  /** All conditions. */
  readonly conditions: readonly string[]
  /** Those that an index answers in the order of the list. */
  readonly ordered: readonly string[]
  /** SQL of the ids of records among which are all that match, from an index; null without one. */
  readonly candidates: string | null
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The statements that read a page of a list. */
export class ListStatements {
  constructor(private readonly list: Listed) {}

  /** The page as a range of an index. */
  inOrder(columns: string, range: PageRange, conditions: readonly string[]): Statement {
    const { limit, offset = 0 } = range
    const values = this.list.predicate.values.copy()
    const isOneStep = offset < idsFirstOffset
    const found = this.list.sections.sql(isOneStep ? columns : 't.id', range, limit + offset, values, conditions)
    const part = `${found} limit ${limit}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return { text: isOneStep ? part : this.#withRows(columns, part), values: values.list }
  }

  /** The matching rows among the first rows of the index. A page that has fewer rows than its limit can be incomplete. */
  inWindow(columns: string, range: PageRange): Statement {
    const { limit, offset = 0 } = range
    const values = this.list.predicate.values.copy()
    const rows = windowRows(range)
    const window = this.list.sections.sql('t.*', range, rows, values, this.list.ordered)
    const text = `select ${columns} from (${window} limit ${rows}) t where ${this.list.conditions.join(' and ')} limit ${limit}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return { text, values: values.list }
  }

  /** The page as a range of other rows, of which `idsOf` gives the ids of the records. */
  ofIds(columns: string, range: PageRange, idsOf: IdsOf): Statement {
    const { limit, offset = 0 } = range
    const values = this.list.predicate.values.copy()
    const ids = `${idsOf(range, limit + offset, values)} limit ${limit}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return { text: this.#withRows(columns, ids), values: values.list }
  }

  /** Like `inWindow`, of the first of these rows. */
  inWindowOfIds(columns: string, range: PageRange, idsOf: IdsOf): Statement {
    const { limit, offset = 0 } = range
    const values = this.list.predicate.values.copy()
    const rows = windowRows(range)
    const window = `${idsOf(range, rows, values)} limit ${rows}`
    const text = `${this.#withRows(columns, window, this.list.conditions)} limit ${limit}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return { text, values: values.list }
  }

  /** Reads ids and sort values of all matching rows and sorts them, then reads the rows of the page. */
  sorted(
    columns: string,
    { limit, offset = 0, cursor, cursorPath }: PageRange,
    candidates = this.list.candidates,
  ): Statement {
    const { conditions, predicate } = this.list
    const values = predicate.values.copy()
    const { order, joins } = this.list.order.joined('t')
    const where = [
      ...conditions,
      ...(candidates === null ? [] : [`t.id = any(array(${candidates}))`]),
      ...(cursor ? [order.after(cursor, 't', values, cursorPath)] : []),
    ]
    // `offset 0` makes PostgreSQL plan the search for all matching rows, so that no estimate leads it to walk through an index.
    const matching = `select t.id, ${order.sortColumns('t')} from ${this.#source} t${joins} where ${where.join(' and ')} offset 0`
    const page = `select m.id from (${matching}) m order by ${order.sortedSql('m')} limit ${limit}${offset > 0 ? ` offset ${values.add(offset)}` : ''}`
    return { text: this.#withRows(columns, page), values: values.list }
  }

  /**
   * Each id is looked up by itself, whatever the statistics are: otherwise PostgreSQL reads all rows of a table that has just been filled or of a new
   * partition, because it takes it for an empty one, or all of a large organization, because it takes it for an average one.
   */
  #withRows(columns: string, ids: string, conditions: readonly string[] = []): string {
    const where = [`t.organization_id = ${this.list.predicate.organization()}`, 't.id = w.id', ...conditions]
    return `select r.* from unnest(array(${ids})) with ordinality w(id, place) cross join lateral (
        select ${columns} from ${this.#source} t where ${where.join(' and ')} offset 0
      ) r order by w.place`
  }

  get #source(): string {
    return readSource(this.list.definition)
  }
}
