import {
  getNamedType,
  isInputObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import { valueOfLiteral } from '../../subgraphs/kernel/record/scalars.ts'
import type { Fragments } from './collect.ts'
import type { Variables } from './variable-values.ts'

/** A condition is evaluated on every row that the other conditions leave. */
const conditionCost = 1
/** A text condition reads the whole text, also if PostgreSQL stores it out of line, and no index supports it. */
const textConditionCost = 25
/** A condition on related records looks them up in another table, or reads all that match there. */
const relationCost = 100
/** A search reads several columns, assumed to be four; only the subgraph knows them. */
const searchCost = 4 * textConditionCost
/** Counting the matches of a filter reads all of them, not only a page. */
const countCost = 100

const textOperators = new Set(['contains', 'startsWith', 'endsWith'])
const counts = new Set(['total', 'totalPages', 'totalCount'])

export type Cost = (variables: Variables) => number

const none: Cost = () => 0

/** The cost of the conditions in a value: the sum over its lists and objects. */
function costOfValue(value: unknown, type: GraphQLNamedInputType, cost = conditionCost): number {
  if (value === undefined || value === null) return 0
  if (!isInputObjectType(type)) return cost + textConditionCost * textOperatorsIn(value)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + costOfValue(item, type), 0)
  const fields = type.getFields()
  let sum = 0
  for (const name in value as Variables) {
    const field = fields[name]
    const inner = (value as Variables)[name]
    if (!field || inner === undefined || inner === null) continue
    const innerType = getNamedType(field.type)
    sum += costOfRelation(name, innerType) + costOfValue(inner, innerType, costOfOperator(name))
  }
  return sum
}

/** Counts text operators in conditions on custom fields, which are JSON: `{ nickname: { contains: "x" } }`. Only the subgraph knows the defined fields. */
function textOperatorsIn(json: unknown): number {
  if (!isJsonObject(json)) return 0
  return Object.values(json)
    .flatMap((condition) => (isJsonObject(condition) ? Object.keys(condition) : []))
    .filter((operator) => textOperators.has(operator)).length
}

const combining = new Set(['and', 'or', 'not'])

/** The cost of following a relation: a filter of a record type within another one, under the name of the relation or of a quantifier. */
const costOfRelation = (name: string, type: GraphQLNamedInputType): number =>
  isInputObjectType(type) && !combining.has(name) && 'and' in type.getFields() ? relationCost : 0

const costOfOperator = (name: string): number => (textOperators.has(name) ? textConditionCost : conditionCost)

interface Parts {
  fixed: number
  readonly variable: Cost[]
}

/** Like `costOfValue`, for a literal: its fixed part is summed once, the part in variables with each request. */
function addCost(parts: Parts, value: ValueNode, type: GraphQLNamedInputType, cost = conditionCost): void {
  if (value.kind === Kind.VARIABLE) {
    const name = value.name.value
    parts.variable.push((variables) => costOfValue(variables[name], type, cost))
  } else if (!isInputObjectType(type)) {
    if (value.kind === Kind.OBJECT)
      parts.variable.push((variables) => costOfValue(valueOfLiteral(value, variables), type, cost))
    else parts.fixed += value.kind === Kind.NULL ? 0 : cost
  } else if (value.kind === Kind.LIST) for (const item of value.values) addCost(parts, item, type)
  else if (value.kind === Kind.OBJECT) {
    const fields = type.getFields()
    for (const { name, value: inner } of value.fields) {
      const field = fields[name.value]
      if (!field || inner.kind === Kind.NULL) continue
      const innerType = getNamedType(field.type)
      const ofRelation = costOfRelation(name.value, innerType)
      if (inner.kind !== Kind.VARIABLE) parts.fixed += ofRelation
      else if (ofRelation > 0)
        parts.variable.push((variables) => ((variables[inner.name.value] ?? null) === null ? 0 : ofRelation))
      addCost(parts, inner, innerType, costOfOperator(name.value))
    }
  }
}

function costOfArgument(value: ValueNode, type: GraphQLInputType, cost: number): Cost {
  const parts: Parts = { fixed: 0, variable: [] }
  addCost(parts, value, getNamedType(type), cost)
  const { fixed, variable } = parts
  if (variable.length === 0) return fixed === 0 ? none : () => fixed
  return (variables) => {
    let sum = fixed
    for (const part of variable) sum += part(variables)
    return sum
  }
}

/** The cost of finding the records of a list, without the records themselves: filter and search, doubled if the count is selected. */
export function filterCost(field: GraphQLField<unknown, unknown>, node: FieldNode, fragments: Fragments): Cost | null {
  const costs = (node.arguments ?? []).flatMap(({ name, value }) => {
    if (name.value !== 'filter' && name.value !== 'search') return []
    const argument = field.args.find((candidate) => candidate.name === name.value)
    return argument ? costOfArgument(value, argument.type, name.value === 'search' ? searchCost : conditionCost) : []
  })
  const [first, second = none] = costs.filter((cost) => cost !== none)
  if (!first) return null
  const isCounted = node.selectionSet !== undefined && selectsCount(node.selectionSet, fragments)
  return (variables) => {
    const cost = first(variables) + second(variables)
    return isCounted && cost > 0 ? 2 * cost + countCost : cost
  }
}

const selectsCount = ({ selections }: SelectionSetNode, fragments: Fragments): boolean =>
  selections.some((node) => {
    if (node.kind === Kind.FIELD) return counts.has(node.name.value)
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
    return fragment !== undefined && selectsCount(fragment.selectionSet, fragments)
  })
