import type { Caller } from '../context.ts'
import { invalid, type FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { operatorsWithMoments } from '../time/days.ts'
import { requireScopes } from '../unmet-scopes.ts'
import { columnKinds } from './column-kind.ts'
import type { Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import type { FilterInput } from './filter-input.ts'
import { operandDescription, parseOperand } from './operators.ts'
import { knownReadScope } from './requires-scope.ts'
import { shapeFor, type WithShapes } from './shape-source.ts'

const depthMax = 8
const itemsMax = 100
const quantifiers = ['some', 'every', 'none'] as const

/** What a filter that did not come through GraphQL is read with. */
export interface FilterReading {
  /** The path of the filter in the request. */
  readonly path: string
  /** Time zone of the organization. */
  readonly zone: string
}

/**
 * A filter that did not come through GraphQL, in the form that its filter inputs would give it: only fields, relations and operators that they have, with
 * operands of their types. A filter on related records needs the scope to read them.
 */
export function jsonFilter(
  ctx: WithShapes & { readonly caller: Caller },
  definition: RecordShape,
  filter: unknown,
  reading: FilterReading,
): FilterInput {
  const reader = new FilterReader(ctx, reading)
  const read = reader.object(definition, filter, reading.path, 0)
  if (reader.problems.length > 0) throw invalid(...reader.problems)
  return read
}

class FilterReader {
  readonly problems: FieldProblem[] = []

  constructor(
    private readonly ctx: WithShapes & { readonly caller: Caller },
    private readonly reading: FilterReading,
  ) {}

  #refuse(path: string, code: string, message: string): undefined {
    this.problems.push({ path, code, message })
  }

  object(definition: RecordShape, filter: unknown, path: string, depth: number): FilterInput {
    const read: Record<string, unknown> = {}
    if (!isJsonObject(filter)) {
      this.#refuse(path, 'WRONG_TYPE', `${path} must be an object.`)
      return read
    }
    if (depth > depthMax) {
      this.#refuse(path, 'TOO_DEEP', `A filter must be nested at most ${depthMax} levels deep.`)
      return read
    }
    for (const [name, value] of Object.entries(filter))
      if (value !== null) read[name] = this.#member(definition, name, value, `${path}.${name}`, depth)
    return read
  }

  #member(definition: RecordShape, name: string, value: unknown, path: string, depth: number): unknown {
    if (name === 'not') return this.object(definition, value, path, depth + 1)
    if (name === 'and' || name === 'or') return this.#all(definition, value, path, depth)
    const relations = definition.relations ?? {}
    if (Object.hasOwn(relations, name)) {
      const { to, from } = relations[name]!
      const target = shapeFor(this.ctx, to())
      const scope = knownReadScope(target.entity)
      if (scope !== null) requireScopes(this.ctx.caller, [[[scope]]])
      return from ? this.#quantified(target, value, path, depth) : this.object(target, value, path, depth + 1)
    }
    const column = definition.columns.byName.get(name)
    if (!column || column.internal || column.key !== undefined || column.structure)
      return this.#refuse(
        path,
        'UNKNOWN_FIELD',
        `${definition.object} has no field ${name} by which it can be filtered.`,
      )
    if (column.kind !== 'json') return this.#operators(column, value, path)
    if (name === customFieldsName && !isJsonObject(value))
      return this.#refuse(path, 'WRONG_TYPE', `${path} must be an object.`)
    return value
  }

  #all(definition: RecordShape, filters: unknown, path: string, depth: number): unknown {
    if (!Array.isArray(filters) || filters.length > itemsMax)
      return this.#refuse(path, 'WRONG_TYPE', `${path} must be a list of at most ${itemsMax} filters.`)
    return filters.map((filter, index) => this.object(definition, filter, `${path}.${index}`, depth + 1))
  }

  #quantified(target: RecordShape, value: unknown, path: string, depth: number): unknown {
    if (!isJsonObject(value)) return this.#refuse(path, 'WRONG_TYPE', `${path} must be an object.`)
    const read: Record<string, unknown> = {}
    for (const [name, nested] of Object.entries(value)) {
      if (!(quantifiers as readonly string[]).includes(name))
        this.#refuse(`${path}.${name}`, 'UNKNOWN_OPERATOR', `${path} may have ${quantifiers.join(', ')}.`)
      else if (nested !== null) read[name] = this.object(target, nested, `${path}.${name}`, depth + 1)
    }
    return read
  }

  #operators(column: Column, value: unknown, path: string): unknown {
    const { operators } = columnKinds[column.kind]
    if (!isJsonObject(value))
      return this.#refuse(path, 'WRONG_TYPE', `${path} must be an object with operators: ${operators.join(', ')}.`)
    const given: Record<string, unknown> = {}
    const read: Record<string, unknown> = {}
    for (const [operator, operand] of Object.entries(value)) {
      const at = `${path}.${operator}`
      if (!operators.includes(operator)) {
        this.#refuse(at, 'UNKNOWN_OPERATOR', `The operator for ${column.name} must be one of ${operators.join(', ')}.`)
        continue
      }
      if (operand === null) continue
      const parsed = parseOperand(column, operator, operand)
      if (parsed === undefined) this.#refuse(at, 'WRONG_TYPE', `${at} must be ${operandDescription(column, operator)}.`)
      given[operator] = operand
      read[operator] = parsed
    }
    if (column.kind !== 'timestamp' || !column.day || this.problems.length > 0) return read
    return operatorsWithMoments(given, column.day, this.reading.zone)
  }
}
