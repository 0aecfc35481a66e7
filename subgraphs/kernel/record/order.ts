import { invalid } from '../errors.ts'
import { parseJsonExactly } from '../json/exact-json.ts'
import type { Column } from './column.ts'
import { columnKinds } from './column-kind.ts'
import { customFieldKey, customFieldName } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import type { Values } from './predicate.ts'
import { dayOf } from './record-table.ts'
import type { CompiledRollup } from './rollup/rollup-definition.ts'
import { hasMergedOrder, isOrderOfTotals, joinedValue, mergedValueSql } from './rollup/merged-value.ts'
import { indexedCharacters, valueColumns } from './value-index/value-column.ts'

export interface OrderInput {
  readonly field?: string | null
  /** The API name of a custom field to sort by instead. */
  readonly customField?: string | null
  readonly direction?: string | null
}

const newestFirst: readonly OrderInput[] = [{}]

/** Every table of records has an index for these. */
const alwaysIndexed: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'id'])

const newestFirstOf = new WeakMap<RecordShape, Order>()

/** The order of a list. Lists without a requested one share an object. */
export function orderOf(definition: RecordShape, requested: readonly OrderInput[] | null | undefined): Order {
  if (requested?.length) return new Order(termsOf(definition, requested))
  let order = newestFirstOf.get(definition)
  if (!order) newestFirstOf.set(definition, (order = new Order(termsOf(definition, newestFirst))))
  return order
}

export type CursorPath = 'cursor' | 'after'

interface SortTerm extends Pick<Column, 'name' | 'kind' | 'nullable' | 'sql'> {
  readonly isIndexed: boolean
  readonly descending: boolean
  /** The custom field, if the index of values gives its records in order. */
  readonly indexedField: Column | null
  /** The rollup by whose merged totals the records are sorted. */
  readonly rollup: CompiledRollup | null
  /** The name of the value in a result row. Custom fields have no column in the row, so their values are selected under an alias. */
  readonly rowName: string
}

function termOf(definition: RecordShape, name: string, descending: boolean, index: number): SortTerm {
  const column = definition.columns.byName.get(name)
  if (!column || !columnKinds[column.kind].isSortable)
    throw invalid({ path: 'orderBy', code: 'NOT_SORTABLE', message: `Records cannot be ordered by ${name}.` })
  const { kind, key, indexed = false, valueIndex } = column
  const rollup = column.rollup && hasMergedOrder(column.rollup) ? column.rollup : null
  const isIndexed = indexed || alwaysIndexed.has(name)
  const indexedField = valueIndex?.isReady ? column : null
  // The index has the beginning of a long text.
  const isBeginning = indexedField !== null && kind === 'text'
  const sql = (alias: string): string => {
    if (rollup) return mergedValueSql(rollup, alias)
    return isBeginning ? `left(${column.sql(alias)}, ${indexedCharacters})` : column.sql(alias)
  }
  const nullable = column.nullable && !(rollup && isOrderOfTotals(rollup))
  const rowName = key === undefined ? name : `order${index}`
  return { name, kind, nullable, sql, isIndexed, indexedField, rollup, descending, rowName }
}

function termsOf(definition: RecordShape, requested: readonly OrderInput[]): readonly SortTerm[] {
  const terms = requested.map(({ field, customField, direction }, index) => {
    const name = customField ? customFieldName(customField) : (field ?? 'createdAt')
    return termOf(definition, name, (direction ?? 'DESC') === 'DESC', index)
  })
  const distinct = terms.filter((term, index) => terms.findIndex((other) => other.name === term.name) === index)
  const lastUnique = distinct.findIndex((term) => term.name === 'id')
  const { descending } = distinct.at(-1)!
  // The index of totals has no time of creation; ids are in the order of creation, too.
  const isByTotal = distinct.length === 1 && distinct[0]!.rollup !== null && isOrderOfTotals(distinct[0]!.rollup)
  const tieBreakers = (isByTotal ? ['id'] : ['createdAt', 'id'])
    .filter((name) => distinct.every((term) => term.name !== name))
    .map((name) => termOf(definition, name, descending, 0))
  return lastUnique >= 0 ? distinct.slice(0, lastUnique + 1) : [...distinct, ...tieBreakers]
}

/** The columns of the index of values that every field has. */
const valueRowColumns: Readonly<Record<string, string>> = { createdAt: 'created_at', id: 'record_id' }

/**
 * A total order: the requested columns, then `createdAt` and `id`, so that rows with equal values keep their order between pages.
 * Null values come last in both directions. An index on `(organization_id, <column>, created_at, id)` serves it in both directions.
 */
export class Order {
  readonly names: readonly string[]
  /** Whether an index of the table has this order. */
  readonly isIndexed: boolean
  /** The custom field by which the records are ordered, if the index of values has this order; otherwise null. */
  readonly indexedField: Column | null
  /** The rollup by whose totals, and then by id, the records are sorted, as an index has them; otherwise null. */
  readonly rollupOfTotals: CompiledRollup | null
  /** Whether the list is in the order of creation, newest or oldest first. */
  readonly isByCreation: boolean
  /** Whether all terms have one direction and only the first one can be null. */
  readonly isUniform: boolean
  readonly #hasCustomFields: boolean
  #parsed: { readonly cursor: string; readonly position: readonly unknown[] } | null = null

  constructor(readonly terms: readonly SortTerm[]) {
    const [first, ...others] = this.terms as [SortTerm, ...SortTerm[]]
    this.isUniform = others.every((term) => !term.nullable && term.descending === first.descending)
    const indexedAfterFirst = ['createdAt', 'id'].filter((name) => name !== first.name && first.name !== 'id')
    const isLikeIndex = this.isUniform && others.map(({ name }) => name).join() === indexedAfterFirst.join()
    this.isIndexed = first.isIndexed && isLikeIndex
    this.indexedField = isLikeIndex ? first.indexedField : null
    const isByTotal = first.rollup !== null && isOrderOfTotals(first.rollup)
    this.rollupOfTotals =
      isByTotal && this.isUniform && others.map(({ name }) => name).join() === 'id' ? first.rollup : null
    this.isByCreation = this.isIndexed && first.name === 'createdAt'
    this.names = this.terms.map((term) => term.name)
    this.#hasCustomFields = this.terms.some(({ name, rowName }) => name !== rowName)
  }

  /** The same order of the rows of an indexed custom field in the index of values (`value-index`). */
  ofValues(): Order {
    const sqlOf = ({ name, indexedField }: SortTerm): string =>
      indexedField ? valueColumns[indexedField.valueIndex!.kind].column : valueRowColumns[name]!
    return new Order(this.terms.map((term) => ({ ...term, sql: (alias) => `${alias}.${sqlOf(term)}` })))
  }

  /** The same order of the totals of a rollup, of which each has the id of its record. */
  ofTotals(): Order {
    return new Order(
      this.terms.map((term) => ({ ...term, sql: (alias) => `${alias}.${term.rollup ? 'total' : 'parent_id'}` })),
    )
  }

  /** The same order with merged values of rollups from joins to the records with the alias, instead of one by one, and these joins. */
  joined(alias: string): { readonly order: Order; readonly joins: string } {
    if (this.terms.every(({ rollup }) => !rollup)) return { order: this, joins: '' }
    const values = this.terms.map(({ rollup }, index) => rollup && joinedValue(rollup, alias, `total${index}`))
    const order = new Order(this.terms.map((term, at) => ({ ...term, sql: (of) => values[at]?.sql ?? term.sql(of) })))
    return { order, joins: values.map((value) => value?.join ?? '').join('') }
  }

  sql(alias: string): string {
    return this.terms
      .map(
        ({ sql, nullable, descending }) =>
          `${sql(alias)} ${descending ? 'desc' : 'asc'}${nullable ? ' nulls last' : ''}`,
      )
      .join(', ')
  }

  /** Columns that a row must contain for its cursor. */
  get columnNames(): readonly string[] {
    return this.#hasCustomFields ? this.names.filter((name) => customFieldKey(name) === null) : this.names
  }

  /** The custom fields of the order for the select list, in addition to `columnNames`. */
  selected(alias: string): string {
    if (!this.#hasCustomFields) return ''
    return this.terms
      .map(({ name, sql, rowName }) => (rowName === name ? '' : `, ${sql(alias)} as "${rowName}"`))
      .join('')
  }

  /** Refuses a cursor that does not belong to this order. */
  validate(cursor: string, path: CursorPath = 'cursor'): void {
    this.positionOf(cursor, path)
  }

  cursorOf(row: Readonly<Record<string, unknown>>): string {
    return Buffer.from(
      JSON.stringify([this.#signature(), ...this.terms.map(({ rowName }) => row[rowName] ?? null)]),
    ).toString('base64url')
  }

  /**
   * The list in sections, each of them one range of an index: records with a value, then records without one. Gives the condition of
   * each section after the cursor; null for a section without a condition. The order within a section is `sectionSql`.
   */
  sections(
    cursor: string | null,
    alias: string,
    values: Values,
    path: CursorPath = 'cursor',
  ): readonly (string | null)[] {
    const [first] = this.terms as [SortTerm]
    if (!this.isUniform) return [cursor && this.after(cursor, alias, values, path)]
    const position = cursor === null ? null : this.positionOf(cursor, path)
    const sql = first.sql(alias)
    const withoutValue = `${sql} is null`
    if (!position) return first.nullable ? [`${sql} is not null`, withoutValue] : [null]
    if (position[0] === null) return [`${withoutValue} and ${this.#beyond(position, 1, alias, values)}`]
    const beyond = this.#beyond(position, 0, alias, values)
    return first.nullable ? [beyond, withoutValue] : [beyond]
  }

  /**
   * The list in sections by the value of its first column, which is boolean and has an index. Gives the condition of each section after the
   * cursor; null for a section without one. The order within a section is `sectionSql` without the first column.
   */
  sectionsByFlag(
    cursor: string | null,
    alias: string,
    values: Values,
    path: CursorPath = 'cursor',
  ): readonly { readonly flag: boolean; readonly after: string | null }[] {
    const flags = this.terms[0]!.descending ? [true, false] : [false, true]
    if (cursor === null) return flags.map((flag) => ({ flag, after: null }))
    const position = this.positionOf(cursor, path)
    return flags
      .slice(flags.indexOf(position[0] as boolean))
      .map((flag, index) => ({ flag, after: index === 0 ? this.#beyond(position, 1, alias, values) : null }))
  }

  /** The order within a section: of the terms from `start` on. */
  sectionSql(alias: string, start = 0): string {
    if (!this.isUniform) return this.sql(alias)
    return this.terms
      .slice(start)
      .map(({ sql, descending }) => `${sql(alias)} ${descending ? 'desc' : 'asc'}`)
      .join(', ')
  }

  /** The order of creation with the day before the time, as the indexes of `dayIndexes` have it. */
  byDaySql(alias: string): string {
    const [created] = this.terms as [SortTerm]
    return `${dayOf(created.sql(alias))} ${created.descending ? 'desc' : 'asc'}, ${this.sectionSql(alias)}`
  }

  /** The condition for rows after the cursor in the order of creation, which lets an index of `dayIndexes` begin at the day of the cursor. */
  afterByDay(cursor: string, alias: string, values: Values, path: CursorPath = 'cursor'): string {
    const [{ kind, sql, descending }] = this.terms as [SortTerm]
    const createdAt = `${values.addOf(kind, this.positionOf(cursor, path)[0])}::timestamptz`
    const fromDay = `${dayOf(sql(alias))} ${descending ? '<=' : '>='} ${dayOf(createdAt)}`
    return `${fromDay} and ${this.after(cursor, alias, values, path)}`
  }

  /** The values of the terms for a select list, to be ordered by `sortedSql`. */
  sortColumns(alias: string): string {
    return this.terms.map(({ sql }, index) => `${sql(alias)} as sort${index}`).join(', ')
  }

  sortedSql(alias: string): string {
    return this.terms
      .map(
        ({ nullable, descending }, index) =>
          `${alias}.sort${index} ${descending ? 'desc' : 'asc'}${nullable ? ' nulls last' : ''}`,
      )
      .join(', ')
  }

  /** Compares the terms from `start` on with the position as one row. All of them have values and one direction. */
  #beyond(position: readonly unknown[], start: number, alias: string, values: Values): string {
    const terms = this.terms.slice(start)
    const columns = terms.map((term) => term.sql(alias)).join(', ')
    const operands = terms.map(({ kind }, index) => values.addOf(kind, position[start + index]))
    return `(${columns}) ${terms[0]!.descending ? '<' : '>'} (${operands.join(', ')})`
  }

  /** The condition for rows after the cursor. `path` is the argument with the cursor, for error messages. */
  after(cursor: string, alias: string, values: Values, path: CursorPath = 'cursor'): string {
    const position = this.positionOf(cursor, path)
    if (this.isUniform && !this.terms[0]!.nullable) return this.#beyond(position, 0, alias, values)
    const alternatives: string[] = []
    const equal: string[] = []
    this.terms.forEach((term, index) => {
      const sql = term.sql(alias)
      const value = position[index] ?? null
      if (value === null) {
        equal.push(`${sql} is null`)
        return
      }
      const placeholder = values.addOf(term.kind, value)
      const beyond = `${sql} ${term.descending ? '<' : '>'} ${placeholder}`
      alternatives.push([...equal, term.nullable ? `(${beyond} or ${sql} is null)` : beyond].join(' and '))
      equal.push(`${sql} = ${placeholder}`)
    })
    return `(${alternatives.map((alternative) => `(${alternative})`).join(' or ')})`
  }

  /** The condition for rows that have the first value of the cursor and come after it. The other terms have values and one direction. */
  afterFirst(cursor: string, alias: string, values: Values, path: CursorPath = 'cursor'): string {
    return this.#beyond(this.positionOf(cursor, path), 1, alias, values)
  }

  #signature(): string {
    return this.terms.map(({ name, descending }) => `${name}${descending ? '-' : '+'}`).join(',')
  }

  /** The values of the terms in a cursor of this order. */
  positionOf(cursor: string, path: CursorPath = 'cursor'): readonly unknown[] {
    if (this.#parsed?.cursor !== cursor) this.#parsed = { cursor, position: this.#parse(cursor, path) }
    return this.#parsed.position
  }

  #parse(cursor: string, path: CursorPath): unknown[] {
    const refused = (message: string) => invalid({ path, code: 'NOT_A_CURSOR', message })
    let parsed: unknown
    try {
      parsed = parseJsonExactly(Buffer.from(cursor, 'base64url').toString('utf8'))
    } catch {
      throw refused('The cursor must be a value that this API returned.')
    }
    if (!Array.isArray(parsed) || parsed.length !== this.terms.length + 1)
      throw refused('The cursor belongs to another list or sort order; start again without a cursor.')
    const [signature, ...position] = parsed as unknown[]
    if (signature !== this.#signature())
      throw refused('The cursor belongs to another list or sort order; start again without a cursor.')
    const fits = position.every((value, index) => {
      const { kind, nullable } = this.terms[index]!
      return value === null ? nullable : columnKinds[kind].parse(value) === value
    })
    if (!fits) throw refused('The cursor must be a value that this API returned.')
    return position
  }
}
