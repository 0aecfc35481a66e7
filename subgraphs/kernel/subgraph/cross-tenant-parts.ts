import {
  getOperationAST,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** Consecutive root fields with the same access: one tenant, or all organizations. */
export interface Part {
  readonly document: DocumentNode
  /** True: its statements bypass row-level security and can reach the rows of all organizations. */
  readonly isCrossTenant: boolean
}

interface Group {
  readonly isCrossTenant: boolean
  readonly selections: FieldNode[]
}

/**
 * Splits a document so that each part contains only root fields under row-level security, or only root fields that bypass it. The
 * order of the root fields is kept. A root field never bypasses row-level security because of another field in the same request.
 */
export function crossTenantParts(document: DocumentNode, crossTenantFields: ReadonlySet<string>): Part[] {
  const operation = getOperationAST(document)!
  const fragments = fragmentsOf(document)
  const groups: Group[] = []
  const byKey = new Map<string, Group>()
  for (const field of rootFieldsIn(document)) {
    const isCrossTenant = crossTenantFields.has(field.name.value)
    const key = field.alias?.value ?? field.name.value
    const last = groups.at(-1)
    // A field that is selected twice is executed once, at its first position.
    const group = byKey.get(key) ?? (last?.isCrossTenant === isCrossTenant ? last : { isCrossTenant, selections: [] })
    if (group.selections.length === 0) groups.push(group)
    group.selections.push(field)
    byKey.set(key, group)
  }
  if (groups.length === 1) return [{ document, isCrossTenant: groups[0]!.isCrossTenant }]
  return groups.map(({ isCrossTenant, selections }) => {
    const part = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } } as const
    return { document: { kind: Kind.DOCUMENT, definitions: [part, ...fragments] }, isCrossTenant }
  })
}

const fragmentsOf = ({ definitions }: DocumentNode): FragmentDefinitionNode[] =>
  definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)

/** The root fields of the operation, also inside fragments. */
export function rootFieldsIn(document: DocumentNode): FieldNode[] {
  const byName = new Map(fragmentsOf(document).map((fragment) => [fragment.name.value, fragment]))
  return rootFieldsOf(getOperationAST(document)!.selectionSet, byName)
}

/** Root fields, also inside fragments. There are no @skip or @include here, because the gateway has evaluated them. */
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
