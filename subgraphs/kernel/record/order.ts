import { invalid } from '../errors.ts'
import { columnOf, type RecordShape } from './definition.ts'
import type { Values } from './predicate.ts'

export interface OrderInput {
  readonly field?: string | null
  readonly direction?: string | null
}

interface Term {
  readonly name: string
  readonly column: string
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
      const { name, column, nullable } = columnOf(definition, field ?? 'createdAt')
      return { name, column, nullable, descending: (direction ?? 'DESC').toUpperCase() === 'DESC' }
    })
    const distinct = terms.filter((term, index) => terms.findIndex((other) => other.name === term.name) === index)
    const withoutId = distinct.findIndex((term) => term.name === 'id')
    const last = distinct.at(-1)!
    this.terms =
      withoutId >= 0
        ? distinct.slice(0, withoutId + 1)
        : [...distinct, { name: 'id', column: 'id', nullable: false, descending: last.descending }]
  }

  sql(alias: string): string {
    return this.terms
      .map(
        ({ column, nullable, descending }) =>
          `${alias}.${column} ${descending ? 'desc' : 'asc'}${nullable ? ' nulls last' : ''}`,
      )
      .join(', ')
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

  /** Rows after the cursor in this order. */
  after(cursor: string, alias: string, values: Values): string {
    const position = this.#parse(cursor)
    const [first] = this.terms
    const uniform = this.terms.every((term) => !term.nullable && term.descending === first!.descending)
    if (uniform) {
      const columns = this.terms.map((term) => `${alias}.${term.column}`).join(', ')
      return `(${columns}) ${first!.descending ? '<' : '>'} (${position.map((value) => values.add(value)).join(', ')})`
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
      const placeholder = values.add(value)
      const beyond = `${sql} ${term.descending ? '<' : '>'} ${placeholder}`
      alternatives.push([...equal, term.nullable ? `(${beyond} or ${sql} is null)` : beyond].join(' and '))
      equal.push(`${sql} = ${placeholder}`)
    })
    return `(${alternatives.map((alternative) => `(${alternative})`).join(' or ')})`
  }

  #signature(): string {
    return this.terms.map(({ name, descending }) => `${name}${descending ? '-' : '+'}`).join(',')
  }

  #parse(cursor: string): unknown[] {
    const refused = (message: string) => invalid({ path: 'cursor', code: 'NOT_A_CURSOR', message })
    let parsed: unknown
    try {
      parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    } catch {
      throw refused('The cursor is not one that this API gave.')
    }
    if (!Array.isArray(parsed) || parsed.length !== this.terms.length + 1)
      throw refused('The cursor belongs to another list or order.')
    const [signature, ...position] = parsed as unknown[]
    if (signature !== this.#signature()) throw refused('The cursor belongs to another list or order.')
    const fits = position.every((value, index) => {
      const { kind } = columnOf(this.definition, this.terms[index]!.name)
      return value === null ? this.terms[index]!.nullable : fitsKind(kind, value)
    })
    if (!fits) throw refused('The cursor is not one that this API gave.')
    return position
  }
}

function fitsKind(kind: string, value: unknown): boolean {
  switch (kind) {
    case 'integer':
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31
    case 'number':
    case 'money':
      return Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'id':
      return typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value)
    case 'timestamp':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
    default:
      return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
  }
}
