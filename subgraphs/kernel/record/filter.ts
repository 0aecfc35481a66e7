import { invalid, type FieldProblem } from '../errors.ts'
import { isJsonObject } from '../exact-number.ts'
import { isId } from '../ids.ts'
import type { Column } from './column.ts'
import { layoutOf, type RecordShape } from './definition.ts'
import { fieldRules, hiddenKeysOf, notReadable } from './field-security.ts'
import type { Scope } from './predicate.ts'
import { isStorable } from './scalars.ts'

export type FilterInput = { readonly [field: string]: unknown }

const filterDepthMax = 8
const listItemsMax = 500
/** Of one filter, all levels together. Every condition is work for the database, on every row that the others leave. */
export const filterConditionsMax = 100

const comparison: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }
const castOf: Partial<Record<Column['kind'], string>> = {
  id: '::uuid[]',
  timestamp: '::timestamptz[]',
  integer: '::int[]',
  number: '::float8[]',
  money: '::numeric[]',
}

/** `%`, `_` and `\` mean themselves. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/**
 * A filter as a predicate. Fields of one object are joined by `and`; an operator or a field that is absent filters nothing,
 * so that a stored document may name every parameter it knows. Related records count only when the caller may see them.
 */
export function filterPredicate(
  scope: Scope,
  definition: RecordShape,
  filter: FilterInput,
  alias: string,
): string | null {
  const problems: FieldProblem[] = []
  const withheld: string[] = []
  const predicate = new FilterCompiler(scope, problems, withheld).object(definition, filter, alias, 'filter', 0)
  if (withheld.length > 0) throw notReadable(withheld)
  if (problems.length > 0) throw invalid(...problems)
  return predicate
}

const hasOperand = (value: unknown): boolean =>
  Object.values(value as FilterInput).some((operand) => operand !== undefined && operand !== null)

class FilterCompiler {
  #conditions = 0

  constructor(
    private readonly scope: Scope,
    private readonly problems: FieldProblem[],
    /** Paths of what the caller's profile hides. */
    private readonly withheld: string[],
  ) {}

  object(definition: RecordShape, filter: FilterInput, alias: string, path: string, depth: number): string | null {
    if (depth > filterDepthMax)
      throw invalid({ path, code: 'TOO_DEEP', message: `A filter nests at most ${filterDepthMax} levels.` })
    const parts: string[] = []
    for (const [name, value] of Object.entries(filter)) {
      if (value === undefined || value === null) continue
      const part = this.#member(definition, name, value, alias, `${path}.${name}`, depth)
      if (part) parts.push(part)
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #member(
    definition: RecordShape,
    name: string,
    value: unknown,
    alias: string,
    path: string,
    depth: number,
  ): string | null {
    switch (name) {
      case 'and':
      case 'or':
        return this.#all(definition, value as FilterInput[], alias, path, depth, name)
      case 'not': {
        const inner = this.object(definition, value as FilterInput, alias, path, depth + 1)
        // A comparison with an absent value is unknown; "not" must still include that row.
        return inner && `coalesce(not (${inner}), true)`
      }
      default:
    }
    const relation = definition.relations?.[name]
    const [shape, field] = relation?.from
      ? ([relation.to(), relation.from] as const)
      : ([definition, relation?.by ?? name] as const)
    // That there is a related record, or JSON at all, is told by an empty condition as well.
    const tells = relation?.by !== undefined || layoutOf(shape).byName.get(field)?.kind === 'json' || hasOperand(value)
    if (tells && this.#withholds(shape, field, value, path)) return null
    if (relation) return this.#related(definition, name, value as FilterInput, alias, path, depth)
    const column = layoutOf(definition).byName.get(name)
    if (!column) return null
    if (column.kind === 'json') {
      this.#count(path)
      return this.#holds(column, value, `${alias}.${column.column}`)
    }
    return this.#operators(column, value as FilterInput, `${alias}.${column.column}`, path)
  }

  /** A custom field without a value is not stored, so null asks for records that lack it. */
  #holds({ name }: Column, value: unknown, sql: string): string {
    const members = name === 'customFields' && isJsonObject(value) ? Object.entries(value) : []
    const absent = members.filter(([, member]) => member === null).map(([key]) => key)
    const held = absent.length === 0 ? value : Object.fromEntries(members.filter(([, member]) => member !== null))
    const holds = `${sql} @> ${this.scope.values.add(JSON.stringify(held))}::jsonb`
    return absent.length === 0 ? holds : `(${holds} and not ${sql} ?| ${this.scope.values.add(absent)}::text[])`
  }

  #count(path: string): void {
    if (++this.#conditions <= filterConditionsMax) return
    const message = `A filter has at most ${filterConditionsMax} conditions, all levels together.`
    throw invalid({ path, code: 'TOO_MANY', message })
  }

  /** Whether a condition would tell what is hidden from the caller. */
  #withholds(definition: RecordShape, name: string, value: unknown, path: string): boolean {
    const rules = fieldRules(this.scope.caller, definition)
    if (!rules) return false
    if (name === 'customFields') {
      const hidden = rules.hidden.has(name) ? [path] : hiddenKeysOf(rules, value).map((key) => `${path}.${key}`)
      this.withheld.push(...hidden)
      return hidden.length > 0
    }
    if (!rules.hidden.has(name)) return false
    this.withheld.push(path)
    return true
  }

  #all(
    definition: RecordShape,
    filters: FilterInput[],
    alias: string,
    path: string,
    depth: number,
    joint: 'and' | 'or',
  ): string | null {
    const parts = filters.map((filter, index) => {
      const at = `${path}.${index}`
      const before = this.#conditions
      const part = this.object(definition, filter, alias, at, depth + 1)
      // One that says nothing is a condition too, lest a list of them be endless.
      if (this.#conditions === before) this.#count(at)
      return part ?? 'true'
    })
    return parts.length > 0 ? `(${parts.map((part) => `(${part})`).join(` ${joint} `)})` : null
  }

  #related(
    definition: RecordShape,
    name: string,
    value: FilterInput,
    alias: string,
    path: string,
    depth: number,
  ): string | null {
    const relation = definition.relations![name]!
    const target = relation.to()
    const other = this.scope.alias()
    const column = (of: RecordShape, field: string) => layoutOf(of).byName.get(field)!.column
    const joint = relation.by
      ? `${other}.id = ${alias}.${column(definition, relation.by)}`
      : `${other}.${column(target, relation.from!)} = ${alias}.id`
    const exists = (inner: string | null) =>
      `exists (select 1 from ${target.table} ${other} where ${this.scope.live(target, other)} and ${joint}${inner ? ` and ${inner}` : ''})`
    if (relation.by) {
      this.#count(path)
      return exists(this.object(target, value, other, path, depth + 1))
    }
    const parts: string[] = []
    for (const quantifier of ['some', 'every', 'none'] as const) {
      const nested = value[quantifier] as FilterInput | null | undefined
      if (nested === undefined || nested === null) continue
      this.#count(`${path}.${quantifier}`)
      const inner = this.object(target, nested, other, `${path}.${quantifier}`, depth + 1)
      if (quantifier === 'some') parts.push(exists(inner))
      else if (quantifier === 'none') parts.push(`not ${exists(inner)}`)
      else if (inner) parts.push(`not ${exists(`not coalesce((${inner}), false)`)}`)
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #operators(column: Column, operators: FilterInput, sql: string, path: string): string | null {
    const parts: string[] = []
    for (const [operator, operand] of Object.entries(operators)) {
      if (operand === undefined || operand === null) continue
      this.#count(`${path}.${operator}`)
      if (!this.#fits(column, operand, `${path}.${operator}`)) continue
      parts.push(this.#operator(column, operator, operand, sql))
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #operator(column: Column, operator: string, operand: unknown, sql: string): string {
    const { values } = this.scope
    const cast = castOf[column.kind] ?? '::text[]'
    const like = (pattern: string) => `${sql} ilike ${values.add(pattern)}`
    switch (operator) {
      case 'eq':
        return `${sql} = ${values.addOf(column.kind, operand)}`
      case 'ne':
        return `${sql} is distinct from ${values.addOf(column.kind, operand)}`
      case 'in':
        return `${sql} = any(${values.add(operand)}${cast})`
      case 'notIn':
        return `coalesce(not (${sql} = any(${values.add(operand)}${cast})), true)`
      case 'isNull':
        return operand ? `${sql} is null` : `${sql} is not null`
      case 'contains':
        return like(`%${literalPattern(operand as string)}%`)
      case 'startsWith':
        return like(`${literalPattern(operand as string)}%`)
      case 'endsWith':
        return like(`%${literalPattern(operand as string)}`)
      case 'has':
        return `${sql} @> array[${values.add(operand)}]::text[]`
      case 'hasAny':
        return `${sql} && ${values.add(operand)}::text[]`
      case 'hasAll':
        return `${sql} @> ${values.add(operand)}::text[]`
      case 'isEmpty':
        return operand ? `cardinality(${sql}) = 0` : `cardinality(${sql}) > 0`
      default:
        return `${sql} ${comparison[operator]!} ${values.addOf(column.kind, operand)}`
    }
  }

  #fits(column: Column, operand: unknown, path: string): boolean {
    const items = Array.isArray(operand) ? operand : [operand]
    const before = this.problems.length
    if (items.length > listItemsMax)
      this.problems.push({ path, code: 'TOO_MANY', message: `A list holds at most ${listItemsMax} items.` })
    for (const item of items) {
      if (typeof item !== 'string') continue
      if (column.kind === 'id' && !isId(item))
        this.problems.push({ path, code: 'NOT_AN_ID', message: `${column.name} takes ids (UUIDs).` })
      else if (!isStorable(item))
        this.problems.push({
          path,
          code: 'NOT_TEXT',
          message: 'Text contains a NUL character or half of a surrogate pair.',
        })
    }
    return this.problems.length === before
  }
}
