import { invalid } from '../errors.ts'
import { parseJsonExactly } from '../json/exact-json.ts'
import type { Column } from './column.ts'
import { columnKinds } from './column-kind.ts'
import { customFieldKey } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import type { Values } from './predicate.ts'

export interface OrderInput {
  readonly field?: string | null
  readonly direction?: string | null
}

const newestFirst: readonly OrderInput[] = [{}]

const indexed: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'id'])

export type CursorPath = 'cursor' | 'after'

interface SortTerm extends Pick<Column, 'name' | 'kind' | 'nullable' | 'sql'> {
  readonly descending: boolean
  /** The name of the value in a result row. Custom fields have no column in the row, so their values are selected under an alias. */
  readonly rowName: string
}

function termOf(definition: RecordShape, name: string, descending: boolean, index: number): SortTerm {
  const column = definition.columns.byName.get(name)
  if (!column || !columnKinds[column.kind].isSortable)
    throw invalid({ path: 'orderBy', code: 'NOT_SORTABLE', message: `Records cannot be ordered by ${name}.` })
  const { kind, nullable, sql, key } = column
  return { name, kind, nullable, sql, descending, rowName: key === undefined ? name : `order${index}` }
}

/**
 * A total order: the requested columns, then `id`, so that rows with equal values keep their order between pages. Null values
 * come last in both directions.
 */
export class Order {
  readonly terms: readonly SortTerm[]
  readonly names: readonly string[]
  readonly #hasCustomFields: boolean

  constructor(definition: RecordShape, requested: readonly OrderInput[] | null | undefined) {
    const terms = (requested?.length ? requested : newestFirst).map(({ field, direction }, index) =>
      termOf(definition, field ?? 'createdAt', (direction ?? 'DESC').toUpperCase() === 'DESC', index),
    )
    const distinct = terms.filter((term, index) => terms.findIndex((other) => other.name === term.name) === index)
    const withoutId = distinct.findIndex((term) => term.name === 'id')
    const last = distinct.at(-1)!
    this.terms =
      withoutId >= 0 ? distinct.slice(0, withoutId + 1) : [...distinct, termOf(definition, 'id', last.descending, 0)]
    this.names = this.terms.map((term) => term.name)
    this.#hasCustomFields = this.terms.some(({ name, rowName }) => name !== rowName)
  }

  sql(alias: string): string {
    return this.terms
      .map(
        ({ sql, nullable, descending }) =>
          `${sql(alias)} ${descending ? 'desc' : 'asc'}${nullable ? ' nulls last' : ''}`,
      )
      .join(', ')
  }

  /** Whether every table has an index for this order. */
  get isIndexed(): boolean {
    return indexed.has(this.terms[0]!.name) && this.terms.length <= 2
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

  cursorOf(row: Readonly<Record<string, unknown>>): string {
    return Buffer.from(
      JSON.stringify([this.#signature(), ...this.terms.map(({ rowName }) => row[rowName] ?? null)]),
    ).toString('base64url')
  }

  /** The condition for rows after the cursor. `path` is the argument with the cursor, for error messages. */
  after(cursor: string, alias: string, values: Values, path: CursorPath = 'cursor'): string {
    const position = this.#parse(cursor, path)
    const [first] = this.terms
    const isUniform = this.terms.every((term) => !term.nullable && term.descending === first!.descending)
    if (isUniform) {
      const columns = this.terms.map((term) => term.sql(alias)).join(', ')
      return `(${columns}) ${first!.descending ? '<' : '>'} (${position.map((value, index) => values.addOf(this.terms[index]!.kind, value)).join(', ')})`
    }
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

  #signature(): string {
    return this.terms.map(({ name, descending }) => `${name}${descending ? '-' : '+'}`).join(',')
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
