import { invalid } from '../errors.ts'
import { parseJsonExactly } from '../exact-json.ts'
import { isExactNumber, plainDigits, textOfNumber } from '../exact-number.ts'
import { isId } from '../ids.ts'
import type { ColumnKind } from './column.ts'
import { columnOf, type RecordShape } from './definition.ts'
import type { Values } from './predicate.ts'
import { isStorable, normalizeTimestamp } from './scalars.ts'

export interface OrderInput {
  readonly field?: string | null
  readonly direction?: string | null
}

const indexed: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'id'])

export type CursorPath = 'cursor' | 'after'

interface Term {
  readonly name: string
  readonly column: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  readonly descending: boolean
}

/**
 * A total order: the wanted columns, then `id`, so that equal rows never change places between pages. Absent values come
 * last in both directions.
 */
export class Order {
  readonly terms: readonly Term[]

  constructor(
    private readonly definition: RecordShape,
    wanted: readonly OrderInput[] | null | undefined,
  ) {
    const terms = (wanted?.length ? wanted : [{}]).map(({ field, direction }) => {
      const { name, column, kind, nullable } = columnOf(definition, field ?? 'createdAt')
      return { name, column, kind, nullable, descending: (direction ?? 'DESC').toUpperCase() === 'DESC' }
    })
    const distinct = terms.filter((term, index) => terms.findIndex((other) => other.name === term.name) === index)
    const withoutId = distinct.findIndex((term) => term.name === 'id')
    const last = distinct.at(-1)!
    this.terms =
      withoutId >= 0
        ? distinct.slice(0, withoutId + 1)
        : [...distinct, { name: 'id', column: 'id', kind: 'id', nullable: false, descending: last.descending }]
  }

  sql(alias: string): string {
    return this.terms
      .map(
        ({ column, nullable, descending }) =>
          `${alias}.${column} ${descending ? 'desc' : 'asc'}${nullable ? ' nulls last' : ''}`,
      )
      .join(', ')
  }

  /** Every kind of record has these indexes. */
  get isIndexed(): boolean {
    return indexed.has(this.terms[0]!.name) && this.terms.length <= 2
  }

  /** Columns a row must carry so that a cursor can be made of it. */
  get names(): readonly string[] {
    return this.terms.map((term) => term.name)
  }

  cursorOf(row: Readonly<Record<string, unknown>>): string {
    return Buffer.from(
      JSON.stringify([this.#signature(), ...this.terms.map(({ name }) => row[name] ?? null)]),
    ).toString('base64url')
  }

  /** Rows after the cursor in this order; `path` is where the caller gave it. */
  after(cursor: string, alias: string, values: Values, path: CursorPath = 'cursor'): string {
    const position = this.#parse(cursor, path)
    const [first] = this.terms
    const uniform = this.terms.every((term) => !term.nullable && term.descending === first!.descending)
    if (uniform) {
      const columns = this.terms.map((term) => `${alias}.${term.column}`).join(', ')
      return `(${columns}) ${first!.descending ? '<' : '>'} (${position.map((value, index) => values.addOf(this.terms[index]!.kind, value)).join(', ')})`
    }
    const alternatives: string[] = []
    const equal: string[] = []
    this.terms.forEach((term, index) => {
      const sql = `${alias}.${term.column}`
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
      throw refused('The cursor is not one that this API gave.')
    }
    if (!Array.isArray(parsed) || parsed.length !== this.terms.length + 1)
      throw refused('The cursor belongs to another list or order.')
    const [signature, ...position] = parsed as unknown[]
    if (signature !== this.#signature()) throw refused('The cursor belongs to another list or order.')
    const fits = position.every((value, index) => {
      const { kind, nullable } = this.terms[index]!
      return value === null ? nullable : fitsKind(kind, value)
    })
    if (!fits) throw refused('The cursor is not one that this API gave.')
    return position
  }
}

function fitsKind(kind: ColumnKind, value: unknown): boolean {
  switch (kind) {
    case 'integer':
      return Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31
    case 'number':
      return Number.isFinite(value)
    case 'money':
      return isExactNumber(value) && plainDigits(textOfNumber(value)) !== null
    case 'boolean':
      return typeof value === 'boolean'
    case 'id':
      return isId(value)
    case 'timestamp':
      return typeof value === 'string' && normalizeTimestamp(value) === value
    default:
      return typeof value === 'string' && isStorable(value)
  }
}
