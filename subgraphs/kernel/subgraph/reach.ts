import {
  getOperationAST,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** Root fields that follow each other and reach equally far. */
export interface Part {
  readonly document: DocumentNode
  /** Whether its statements reach the rows of all organizations. */
  readonly isAbove: boolean
}

interface Group {
  readonly isAbove: boolean
  readonly selections: FieldNode[]
}

/**
 * A document as parts of which each stands on one side of the wall between tenants, in the order of the root fields: nothing gets
 * over the wall because of what it was asked together with.
 */
export function partsByReach(document: DocumentNode, aboveTenants: ReadonlySet<string>): Part[] {
  const operation = getOperationAST(document)!
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  const groups: Group[] = []
  const byKey = new Map<string, Group>()
  for (const field of rootFieldsOf(operation.selectionSet, byName)) {
    const isAbove = aboveTenants.has(field.name.value)
    const key = field.alias?.value ?? field.name.value
    const last = groups.at(-1)
    // A field that is asked for twice is one field, where it is first.
    const group = byKey.get(key) ?? (last?.isAbove === isAbove ? last : { isAbove, selections: [] })
    if (group.selections.length === 0) groups.push(group)
    group.selections.push(field)
    byKey.set(key, group)
  }
  if (groups.length === 1) return [{ document, isAbove: groups[0]!.isAbove }]
  return groups.map(({ isAbove, selections }) => {
    const part = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } } as const
    return { document: { kind: Kind.DOCUMENT, definitions: [part, ...fragments] }, isAbove }
  })
}

/** Without the fragments around them; the gateway has decided all conditions. */
function rootFieldsOf(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node]
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)!
    return rootFieldsOf(inner.selectionSet, fragments)
  })
}
