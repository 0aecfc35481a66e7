import {
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** The client's response name, by the response name under which a field is fetched. */
export type ClientNames = ReadonlyMap<string, string>

/** The schema and the fragments that are needed to read a selection. */
export interface SelectionContext {
  readonly schema: GraphQLSchema
  readonly fragments: Fragments
  readonly clientNames?: ClientNames | null
}

/** One response name of an object, with every field node that contributes to it. */
export interface CollectedField {
  readonly key: string
  readonly name: string
  /** The type that the first contributing selection was written on; completion errors name it. */
  readonly parentName: string
  readonly nodes: FieldNode[]
}

function appliesTo(schema: GraphQLSchema, condition: string | undefined, type: GraphQLCompositeType): boolean {
  if (condition === undefined || condition === type.name) return true
  const conditional = schema.getType(condition)
  if (!isAbstractType(conditional)) return false
  return 'getFields' in type && schema.isSubType(conditional, type)
}

/**
 * The fields of an object of `type`, in the order of CollectFields of the GraphQL specification, with fragments expanded.
 * Conditional fields count as selected.
 */
export function collectFields(
  reading: SelectionContext,
  type: GraphQLCompositeType,
  selectionSets: Iterable<SelectionSetNode>,
): Map<string, CollectedField> {
  const collected = new Map<string, CollectedField>()
  const spread = new Set<string>()
  const visit = (selectionSet: SelectionSetNode, parentName: string): void => {
    for (const node of selectionSet.selections) {
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
