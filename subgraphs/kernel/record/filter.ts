import { invalid, type FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { CompiledFilter } from './compiled-filter.ts'
import type { Column } from './column.ts'
import { noteFields } from './note-fields.ts'
import type { RequestContext } from '../request.ts'
import { customFieldsName } from './custom-field-column.ts'
import { columnOf, type Relation, type RecordShape } from './definition.ts'
import { fieldRules, hiddenKeysOf, fieldNotReadable } from './field-security.ts'
import { shapeFor } from './shape-source.ts'
import { jsonCondition, jsonOf, operatorConditions } from './filter-operators.ts'
import { hasOperand, isEquality, isRange, namesIds, type FilterInput } from './filter-input.ts'
import { operatorsOf } from './operators.ts'
import type { TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'
import type { ValueCondition } from './value-index/value-range.ts'

const filterDepthMax = 8
/**
 * Maximum relations one inside the other. PostgreSQL joins the tables of all of them, in the worst case row by row: when it has no
 * statistics of the tables yet.
 */
export const filterRelationsMax = 4
/** Maximum conditions of one filter on all levels together, because the database evaluates them for many rows. */
export const filterConditionsMax = 100

/**
 * Compiles a filter to SQL conditions. Fields of one object are combined with `and`. An absent operator or field is ignored, so that
 * a stored document can contain a variable for every parameter. Only related records that the caller can see are compared.
 */
export function compileFilter(
  ctx: RequestContext,
  predicate: TenantPredicate,
  definition: RecordShape,
  filter: FilterInput,
  alias: string,
): CompiledFilter {
  const problems: FieldProblem[] = []
  const hiddenPaths: string[] = []
  const compiled = new FilterCompiler(ctx, predicate, problems, hiddenPaths).compile(definition, filter, alias)
  if (hiddenPaths.length > 0) throw fieldNotReadable(hiddenPaths)
  if (problems.length > 0) throw invalid(...problems)
  return compiled
}

const tooDeep = (path: string, message: string) => invalid({ path, code: 'TOO_DEEP', message })

class FilterCompiler {
  #conditions = 0
  /** The relations around the part that is compiled. */
  #relations = 0
  readonly #columns = new Set<string>()
  /** What the index of values has of the conditions of the part that is compiled. */
  readonly #inValueIndex: ValueCondition[] = []
  /** What the totals of rollups have of them. */
  readonly #candidates: string[] = []
  #isOwnColumnsOnly = true

  constructor(
    private readonly ctx: RequestContext,
    private readonly predicate: TenantPredicate,
    private readonly problems: FieldProblem[],
    /** Paths in the filter that name hidden fields. */
    private readonly hiddenPaths: string[],
  ) {}

  compile(definition: RecordShape, filter: FilterInput, alias: string): CompiledFilter {
    const equalities = new Map<string, string>()
    const others: string[] = []
    const ranges = new Map<string, string>()
    const inValueIndex: ValueCondition[] = []
    const candidates: string[] = []
    for (const [name, value] of Object.entries(filter)) {
      if (value === undefined || value === null) continue
      const part = this.#member(definition, name, value, alias, `filter.${name}`, 0)
      const [found, parents] = [this.#inValueIndex.splice(0), this.#candidates.splice(0)]
      // A condition inside of another one can concern a part of the records.
      if (name === customFieldsName) {
        inValueIndex.push(...found)
        candidates.push(...parents)
      }
      const isParent = definition.visibleThrough?.by === name
      const isIndexed = (isParent || definition.columns.byName.get(name)?.indexed) && isEquality(value)
      if (part && isIndexed) equalities.set(name, part)
      else if (part) others.push(part)
      if (part && !isIndexed && definition.columns.byName.has(name) && isRange(value)) ranges.set(name, part)
    }
    const isByIds = namesIds(filter)
    const isInValueIndexOnly = inValueIndex.length > 0 && inValueIndex.length === this.#conditions
    const columns = this.#isOwnColumnsOnly ? this.#columns : null
    return { equalities, others, ranges, inValueIndex, candidates, isInValueIndexOnly, isByIds, columns }
  }

  object(definition: RecordShape, filter: FilterInput, alias: string, path: string, depth: number): string | null {
    if (depth > filterDepthMax) throw tooDeep(path, `A filter must be nested at most ${filterDepthMax} levels deep.`)
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
        // In SQL, a comparison with null is neither true nor false; `not` must include that row.
        return inner && `coalesce(not (${inner}), true)`
      }
      default:
    }
    const relation = definition.relations?.[name]
    const [shape, field] = relation?.from
      ? ([this.#target(relation), relation.from] as const)
      : ([definition, relation?.by ?? name] as const)
    // Without an operand, only a condition on a relation or on JSON reveals something: whether there is a value.
    const isRevealing =
      relation?.by !== undefined || shape.columns.byName.get(field)?.kind === 'json' || hasOperand(value)
    if (isRevealing && this.#isHidden(shape, field, value, path)) return null
    if (relation) return this.#related(definition, name, value as FilterInput, alias, path, depth)
    const column = definition.columns.byName.get(name)
    if (!column) return null
    if (column.kind !== 'json') {
      const part = this.#operators(definition, column, value as FilterInput, alias, path)
      if (part) this.#columns.add(name)
      return part
    }
    this.#isOwnColumnsOnly = false
    if (name === customFieldsName && definition.columns.customFields.size > 0 && isJsonObject(value))
      return this.#customFields(definition, column, value, alias, path)
    this.#count(path)
    return jsonCondition(column, value, jsonOf(definition, column, alias), this.predicate.values)
  }

  /** A defined custom field supports the operators of its kind. Any other key must have the given value. */
  #customFields(
    definition: RecordShape,
    column: Column,
    value: FilterInput,
    alias: string,
    path: string,
  ): string | null {
    const { customFields } = definition.columns
    const members = Object.entries(value)
    const undefinedFields = members.filter(([key]) => !customFields.has(key))
    noteFields(this.ctx, definition, Object.keys(value))
    const parts = members.flatMap(([key, condition]) => {
      const field = customFields.get(key)
      return (field && this.#operators(definition, field, operatorsOf(field, condition), alias, `${path}.${key}`)) ?? []
    })
    if (undefinedFields.length > 0 || members.length === 0) {
      this.#count(path)
      const json = jsonOf(definition, column, alias)
      parts.push(jsonCondition(column, Object.fromEntries(undefinedFields), json, this.predicate.values))
    }
    return parts.length > 0 ? parts.join(' and ') : null
  }

  #target(relation: Relation): RecordShape {
    return shapeFor(this.ctx, relation.to())
  }

  #count(path: string): void {
    if (++this.#conditions <= filterConditionsMax) return
    const message = `A filter must have at most ${filterConditionsMax} conditions on all levels together.`
    throw invalid({ path, code: 'TOO_MANY', message })
  }

  /** Whether the field of a condition is hidden from the caller. Collects its path. */
  #isHidden(definition: RecordShape, name: string, value: unknown, path: string): boolean {
    const rules = fieldRules(this.predicate.caller, definition)
    if (!rules) return false
    if (name === 'customFields') {
      const hidden = rules.hidden.has(name) ? [path] : hiddenKeysOf(rules, value).map((key) => `${path}.${key}`)
      this.hiddenPaths.push(...hidden)
      return hidden.length > 0
    }
    if (!rules.hidden.has(name)) return false
    this.hiddenPaths.push(path)
    return true
  }

  #all(
    definition: RecordShape,
    filters: FilterInput[],
    alias: string,
    path: string,
    depth: number,
    conjunction: 'and' | 'or',
  ): string | null {
    const parts = filters.map((filter, index) => {
      const at = `${path}.${index}`
      const before = this.#conditions
      const part = this.object(definition, filter, alias, at, depth + 1)
      // An empty filter counts as one condition, so that a list of empty filters is limited as well.
      if (this.#conditions === before) this.#count(at)
      return part ?? 'true'
    })
    return parts.length > 0 ? `(${parts.map((part) => `(${part})`).join(` ${conjunction} `)})` : null
  }

  #related(
    definition: RecordShape,
    name: string,
    value: FilterInput,
    alias: string,
    path: string,
    depth: number,
  ): string | null {
    this.#isOwnColumnsOnly = false
    if (this.#relations === filterRelationsMax)
      throw tooDeep(path, `A filter must follow at most ${filterRelationsMax} relations, one inside the other.`)
    this.#relations += 1
    const condition = this.#relatedRecords(definition, name, value, alias, path, depth)
    this.#relations -= 1
    return condition
  }

  #relatedRecords(
    definition: RecordShape,
    name: string,
    value: FilterInput,
    alias: string,
    path: string,
    depth: number,
  ): string | null {
    const relation = definition.relations![name]!
    const target = this.#target(relation)
    const other = this.predicate.alias()
    const joinCondition = relation.by
      ? `${other}.id = ${columnOf(definition, relation.by).sql(alias)}`
      : `${columnOf(target, relation.from!).sql(other)} = ${alias}.id`
    const listed = relation.from && columnOf(target, relation.from).kind === 'textList' ? relation.from : null
    // PostgreSQL can join the ids of the lists, but not rows by the operator of lists.
    const exists = (inner: string | null) =>
      listed
        ? `${alias}.id in (select listed.id::uuid from ${readSource(target)} ${other} cross join lateral unnest(${columnOf(target, listed).sql(other)}) as listed(id) where ${this.predicate.live(target, other)}${inner ? ` and ${inner}` : ''})`
        : `exists (select 1 from ${readSource(target)} ${other} where ${this.predicate.live(target, other)} and ${joinCondition}${inner ? ` and ${inner}` : ''})`
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

  #operators(
    definition: RecordShape,
    column: Column,
    operators: FilterInput,
    alias: string,
    path: string,
  ): string | null {
    const parts = Object.entries(operators).flatMap(([operator, operand]) => {
      if (operand === undefined || operand === null) return []
      const given = { operator, operand, path: `${path}.${operator}` }
      this.#count(given.path)
      const found = operatorConditions(definition, column, given, alias, this.predicate, this.problems)
      if (found.inValueIndex) this.#inValueIndex.push(found.inValueIndex)
      if (found.candidates) this.#candidates.push(found.candidates)
      return found.conditions
    })
    return parts.length > 0 ? parts.join(' and ') : null
  }
}
