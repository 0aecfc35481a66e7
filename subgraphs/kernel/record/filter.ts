import { invalid, type FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { isId } from '../ids.ts'
import type { Column } from './column.ts'
import { columnKinds } from './column-kind.ts'
import { customFieldsName } from './custom-field-column.ts'
import { columnOf, type Relation, type RecordShape } from './definition.ts'
import { fieldRules, hiddenKeysOf, notReadable } from './field-security.ts'
import { shapeFor, type OrganizationShapes } from './shape-source.ts'
import { conditionOf, operandInWords, operandOf, operatorSql } from './operators.ts'
import type { TenantPredicate } from './predicate.ts'
import { isStorable } from './scalars.ts'

export type FilterInput = { readonly [field: string]: unknown }

const filterDepthMax = 8
const listItemsMax = 500
/** Of one filter, all levels together. Every condition is work for the database, on every row that the others leave. */
export const filterConditionsMax = 100

/**
 * A filter as a predicate. Fields of one object are joined by `and`; an operator or a field that is absent filters nothing,
 * so that a stored document may name every parameter it knows. Related records count only when the caller may see them.
 */
export function filterPredicate(
  shapes: OrganizationShapes | null,
  scope: TenantPredicate,
  definition: RecordShape,
  filter: FilterInput,
  alias: string,
): string | null {
  const problems: FieldProblem[] = []
  const withheld: string[] = []
  const predicate = new FilterCompiler(shapes, scope, problems, withheld).object(definition, filter, alias, 'filter', 0)
  if (withheld.length > 0) throw notReadable(withheld)
  if (problems.length > 0) throw invalid(...problems)
  return predicate
}

const hasOperand = (value: unknown): boolean =>
  Object.values(value as FilterInput).some((operand) => operand !== undefined && operand !== null)

class FilterCompiler {
  #conditions = 0

  constructor(
    readonly shapes: OrganizationShapes | null,
    private readonly scope: TenantPredicate,
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
      ? ([this.#target(relation), relation.from] as const)
      : ([definition, relation?.by ?? name] as const)
    // That there is a related record, or JSON at all, is told by an empty condition as well.
    const tells = relation?.by !== undefined || shape.columns.byName.get(field)?.kind === 'json' || hasOperand(value)
    if (tells && this.#withholds(shape, field, value, path)) return null
    if (relation) return this.#related(definition, name, value as FilterInput, alias, path, depth)
    const column = definition.columns.byName.get(name)
    if (!column) return null
    if (column.kind !== 'json') return this.#operators(column, value as FilterInput, column.sql(alias), path)
    if (name === customFieldsName && definition.columns.customFields.size > 0 && isJsonObject(value))
      return this.#customFields(definition, column, value, alias, path)
    this.#count(path)
    return this.#holds(column, value, column.sql(alias))
  }

  /** Defined custom fields take the operators of their kind; of the others each must have the given value. */
  #customFields(
    { columns: { customFields } }: RecordShape,
    column: Column,
    value: FilterInput,
    alias: string,
    path: string,
  ): string | null {
    const members = Object.entries(value)
    const free = members.filter(([key]) => !customFields.has(key))
    const parts: string[] = []
    for (const [key, condition] of members) {
      const field = customFields.get(key)
      const part = field && this.#operators(field, conditionOf(field, condition), field.sql(alias), `${path}.${key}`)
      if (part) parts.push(part)
    }
    if (free.length > 0 || members.length === 0) {
      this.#count(path)
      parts.push(this.#holds(column, Object.fromEntries(free), column.sql(alias)))
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #target(relation: Relation): RecordShape {
    return shapeFor(this, relation.to())
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
    const target = this.#target(relation)
    const other = this.scope.alias()
    const joint = relation.by
      ? `${other}.id = ${columnOf(definition, relation.by).sql(alias)}`
      : `${columnOf(target, relation.from!).sql(other)} = ${alias}.id`
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
    for (const [operator, given] of Object.entries(operators)) {
      if (given === undefined || given === null) continue
      this.#count(`${path}.${operator}`)
      if (!this.#fits(column, given, `${path}.${operator}`)) continue
      // The graph knows the types of columns of a table only.
      const operand = column.key === undefined ? given : this.#customOperand(column, operator, given, path)
      if (operand !== undefined) parts.push(operatorSql(column, sql, operator, operand, this.scope.values))
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #customOperand(column: Column, operator: string, given: unknown, path: string): unknown {
    if (!columnKinds[column.kind].operators.includes(operator)) {
      const message = `${column.name} takes the operators ${columnKinds[column.kind].operators.join(', ')}.`
      this.problems.push({ path: `${path}.${operator}`, code: 'UNKNOWN_OPERATOR', message })
      return undefined
    }
    const operand = operandOf(column, operator, given)
    if (operand === undefined)
      this.problems.push({
        path: `${path}.${operator}`,
        code: 'WRONG_TYPE',
        message: `${operator} of ${column.name} takes ${operandInWords(column, operator)}.`,
      })
    return operand
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
