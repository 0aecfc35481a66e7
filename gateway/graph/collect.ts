import {
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** The values of the variables that `@skip` and `@include` read. */
export type Flags = Readonly<Record<string, unknown>>

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** What a selection is read against: the schema, the document's fragments and the values of its conditions. */
export interface Reading {
  readonly schema: GraphQLSchema
  readonly fragments: Fragments
  readonly flags: Flags
}

/** One response name of an object, with every field node that contributes to it. */
export interface CollectedField {
  readonly key: string
  readonly name: string
  /** The type that the first contributing selection was written on; completion errors name it. */
  readonly parentName: string
  readonly nodes: FieldNode[]
}

function isIncluded(node: SelectionNode, flags: Flags): boolean {
  for (const directive of node.directives ?? []) {
    const name = directive.name.value
    if (name !== 'skip' && name !== 'include') continue
    const condition = directive.arguments?.[0]?.value
    const holds =
      condition?.kind === Kind.VARIABLE
        ? flags[condition.name.value] === true
        : condition?.kind === Kind.BOOLEAN && condition.value
    if (holds === (name === 'skip')) return false
  }
  return true
}

function appliesTo(schema: GraphQLSchema, condition: string | undefined, type: GraphQLCompositeType): boolean {
  if (condition === undefined || condition === type.name) return true
  const conditional = schema.getType(condition)
  if (!isAbstractType(conditional)) return false
  return 'getFields' in type && schema.isSubType(conditional, type)
}

/**
 * The fields of an object of `type`, in the order of the GraphQL specification's CollectFields: fragments are expanded,
 * skipped selections are left out.
 */
export function collectFields(
  reading: Reading,
  type: GraphQLCompositeType,
  selectionSets: Iterable<SelectionSetNode>,
): Map<string, CollectedField> {
  const collected = new Map<string, CollectedField>()
  const spread = new Set<string>()
  const visit = (selectionSet: SelectionSetNode, parentName: string): void => {
    for (const node of selectionSet.selections) {
      if (!isIncluded(node, reading.flags)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const known = collected.get(key)
        if (known) known.nodes.push(node)
        else collected.set(key, { key, name: node.name.value, parentName, nodes: [node] })
        continue
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? reading.fragments.get(node.name.value) : node
      if (!fragment || (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value))) continue
      if (node.kind === Kind.FRAGMENT_SPREAD) spread.add(node.name.value)
      const condition = fragment.typeCondition?.name.value
      if (appliesTo(reading.schema, condition, type)) visit(fragment.selectionSet, condition ?? parentName)
    }
  }
  for (const selectionSet of selectionSets) visit(selectionSet, type.name)
  return collected
}

export const selectionSetsOf = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap((node) => node.selectionSet ?? [])

/** The names of the variables that decide `@skip` and `@include`, sorted. */
export function conditionVariables(operation: OperationDefinitionNode, fragments: Fragments): string[] {
  const names = new Set<string>()
  const seen = new Set<string>()
  const visit = (selectionSet: SelectionSetNode): void => {
    for (const node of selectionSet.selections) {
      for (const directive of node.directives ?? []) {
        const value = directive.arguments?.[0]?.value
        if (value?.kind === Kind.VARIABLE) names.add(value.name.value)
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        if (fragment && !seen.has(node.name.value)) {
          seen.add(node.name.value)
          visit(fragment.selectionSet)
        }
      } else if (node.selectionSet) {
        visit(node.selectionSet)
      }
    }
  }
  visit(operation.selectionSet)
  return [...names].sort()
}
