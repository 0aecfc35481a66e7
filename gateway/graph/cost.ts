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
import { sizedByArguments } from '../../subgraphs/kernel/record/aggregate/answer-lists.ts'
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

/** How many items an argument has. */
function itemsOf(value: ValueNode | undefined): CostNode['size'] {
  if (value?.kind === Kind.LIST) return () => value.values.length
  if (value?.kind !== Kind.VARIABLE) return () => (value && value.kind !== Kind.NULL ? 1 : 0)
  return (variables) => {
    const items = variables[value.name.value]
    return Array.isArray(items) ? items.length : items === undefined || items === null ? 0 : 1
  }
}

interface Root {
  readonly size: CostNode['size'] | null
  readonly given: readonly ArgumentNode[]
}

/** The size of a list in the answer that arguments of the root field decide; null if none does. */
function sizeByArguments(parent: string, field: string, { size, given }: Root): CostNode['size'] | null {
  const [first, ...needed] = sizedByArguments[parent]?.[field] ?? []
  if (first === undefined) return null
  const items = (named: string | readonly string[]): Cost => {
    const parts = [named].flat().map((one) => itemsOf(given.find(({ name }) => name.value === one)?.value))
    return (variables) => parts.reduce((all, part) => all + part(variables), 0)
  }
  const own = typeof first === 'string' && sizeArguments.has(first) ? (size ?? once) : items(first)
  const others = needed.map(items)
  return (variables) => (others.every((other) => other(variables) > 0) ? own(variables) : 0)
}

/** How often a field is selected: never if a variable of its `@include` is false. Any other condition is assumed to hold. */
function included({ directives = [] }: FieldNode): CostNode['size'] {
  const [condition] = directives.flatMap(({ name, arguments: [argument] = [] }) =>
    name.value === 'include' && argument?.value.kind === Kind.VARIABLE ? [argument.value.name.value] : [],
  )
  return condition === undefined ? once : (variables) => (variables[condition] === false ? 0 : 1)
}

/** Computes the cost tree once. */
export function costOf(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments): CostNode[] {
  const visitSelection = (
    selectionSet: SelectionSetNode,
    parent: GraphQLCompositeType,
    paged: boolean,
    root: Root | null,
  ): CostNode[] =>
    selectionSet.selections.flatMap((node) => {
      if (node.kind === Kind.FIELD) return visitField(node, parent, paged, root)
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
      if (!fragment) return []
      const type = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : parent
      return isCompositeType(type) ? visitSelection(fragment.selectionSet, type, paged, root) : []
    })

  const visitField = (node: FieldNode, parent: GraphQLCompositeType, paged: boolean, root: Root | null): CostNode[] => {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    if (!field || !isCompositeType(type) || !node.selectionSet) return []
    const size = requestedSize(field, node.arguments ?? [])
    const isList = isListType(getNullableType(field.type))
    // A page has the size of the list inside it, which must not be counted twice.
    const isPage = size !== null && !isList && isObjectType(type) && !Object.hasOwn(sizedByArguments, type.name)
    const ofRoot = root ?? { size, given: node.arguments ?? [] }
    const children = visitSelection(node.selectionSet, type, isPage, ofRoot)
    const filter = filterCost(field, node, fragments)
    if (isPage) return [{ objects: 1, readCost: readCostOf(filter, children.length > 0 ? null : size), size, children }]
    const sized = size ?? sizeByArguments(parent.name, node.name.value, ofRoot)
    const listed = isList ? (sized ?? (paged ? once : () => assumedListSize)) : once
    const isIncluded = included(node)
    const repeated: CostNode['size'] = (variables) => isIncluded(variables) * listed(variables)
    const each = { objects: 1, readCost: null, size: once, children }
    return [{ objects: 0, readCost: filter, size: repeated, children: [each] }]
  }

  const rootType = schema.getRootType(operation.operation)
  return rootType ? visitSelection(operation.selectionSet, rootType, false, null) : []
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
