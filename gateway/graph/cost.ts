import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type ArgumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { Fragments } from './collect.ts'
import { filterCost, type Cost } from './filter-cost.ts'
import type { Variables } from './variable-values.ts'

/** The assumed size of a list without `first` or `limit`. */
const assumedListSize = 10

const sizeArguments = new Set(['first', 'limit'])

/** A node of the cost tree: objects, and how often their children may be repeated. */
export interface CostNode {
  readonly objects: number
  /** The cost of finding the objects: the filter, and rows that are read but not returned. */
  readonly readCost: Cost | null
  /** How often the children are repeated, given the variables. */
  readonly size: (variables: Variables) => number
  readonly children: readonly CostNode[]
}

const once = (): number => 1

function sizeOf(value: ValueNode | undefined, fallback: number): (variables: Variables) => number {
  const validSize = (size: unknown): number => (typeof size === 'number' && size >= 1 ? size : fallback)
  if (value?.kind === Kind.VARIABLE) return (variables) => validSize(variables[value.name.value])
  const fixed = value?.kind === Kind.INT ? validSize(Number(value.value)) : fallback
  return () => fixed
}

/** The requested size of a field, or null if it has no size argument. */
function requestedSize(field: GraphQLField<unknown, unknown>, given: readonly ArgumentNode[]): CostNode['size'] | null {
  const sizes = field.args
    .filter(({ name }) => sizeArguments.has(name))
    .map((argument) => {
      const value = given.find(({ name }) => name.value === argument.name)?.value
      const isDefaulted = typeof argument.defaultValue === 'number'
      return { value, size: sizeOf(value, isDefaulted ? Number(argument.defaultValue) : assumedListSize), isDefaulted }
    })
  // A size argument that is not given is ignored if another one is given or has a default.
  const givenSizes = sizes.filter(({ value }) => value)
  const defaulted = sizes.filter(({ isDefaulted }) => isDefaulted)
  const [first, ...others] = givenSizes.length > 0 ? givenSizes : defaulted.length > 0 ? defaulted : sizes
  if (!first) return null
  return (variables) => others.reduce((most, { size }) => Math.max(most, size(variables)), first.size(variables))
}

/** Computes the cost tree once; all conditions of the document are assumed to hold. */
export function costOf(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments): CostNode[] {
  const visitSelection = (selectionSet: SelectionSetNode, parent: GraphQLCompositeType, paged: boolean): CostNode[] =>
    selectionSet.selections.flatMap((node) => {
      if (node.kind === Kind.FIELD) return visitField(node, parent, paged)
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
      if (!fragment) return []
      const type = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : parent
      return isCompositeType(type) ? visitSelection(fragment.selectionSet, type, paged) : []
    })

  const visitField = (node: FieldNode, parent: GraphQLCompositeType, paged: boolean): CostNode[] => {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    if (!field || !isCompositeType(type) || !node.selectionSet) return []
    const size = requestedSize(field, node.arguments ?? [])
    const isList = isListType(getNullableType(field.type))
    // A page has the size of the list inside it, which must not be counted twice.
    const isPage = size !== null && !isList && isObjectType(type)
    const children = visitSelection(node.selectionSet, type, isPage)
    const filter = filterCost(field, node, fragments)
    if (isPage) return [{ objects: 1, readCost: readCostOf(filter, children.length > 0 ? null : size), size, children }]
    const repeated = isList ? (size ?? (paged ? once : () => assumedListSize)) : once
    const each = { objects: 1, readCost: null, size: once, children }
    return [{ objects: 0, readCost: filter, size: repeated, children: [each] }]
  }

  const root = schema.getRootType(operation.operation)
  return root ? visitSelection(operation.selectionSet, root, false) : []
}

/** A page reads its rows even if only their number is selected. */
function readCostOf(filter: Cost | null, rows: Cost | null): Cost | null {
  if (!filter || !rows) return filter ?? rows
  return (variables) => filter(variables) + rows(variables)
}

function totalCost(nodes: readonly CostNode[], variables: Variables): number {
  let total = 0
  for (const { objects, readCost, size, children } of nodes) {
    total += objects
    if (readCost) total += readCost(variables)
    if (children.length > 0) total += size(variables) * totalCost(children, variables)
  }
  return total
}

/** The cost of the introspection fields of an operation. */
export interface IntrospectionCost {
  /** This many values of the answer cost as much as one object of data. */
  readonly valuesPerObject: number
  /** Counts the values of the answer and may stop soon after `valuesMax`. */
  count(valuesMax: number): number
}

/** Refuses an operation that costs more than `max` objects. */
export function refuseCostly(
  nodes: readonly CostNode[],
  variables: Variables,
  max: number,
  introspected: IntrospectionCost | null,
): void {
  const valuesPerObject = introspected?.valuesPerObject ?? 1
  const valuesMax = max * valuesPerObject
  const values = introspected?.count(valuesMax) ?? 0
  const cost = totalCost(nodes, variables) + Math.ceil(values / valuesPerObject)
  if (cost <= max) return
  const found = introspected && values > valuesMax ? `at least ${cost}` : `${cost}`
  throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', `Cost limit of ${max} objects exceeded, found ${found}.`, {
    cost,
    limit: max,
  })
}
