import { Kind, type DocumentNode, type SelectionSetNode } from 'graphql'

/**
 * The number of fields in a document, with the fields of a fragment counted at every spread. The size of compiled code and of query
 * plans grows with this number. Each fragment is visited once, so nested fragments that double at every level cost no more to count.
 */
export function fieldsIn({ definitions }: DocumentNode): number {
  const fragments = new Map<string, SelectionSetNode>()
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet)
  }
  const counted = new Map<string, number>()
  const inFragment = (name: string): number => {
    const known = counted.get(name)
    if (known !== undefined) return known
    counted.set(name, 0)
    const selectionSet = fragments.get(name)
    const fields = selectionSet ? inSelection(selectionSet) : 0
    counted.set(name, fields)
    return fields
  }
  const inSelection = ({ selections }: SelectionSetNode): number => {
    let fields = 0
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields += 1 + (node.selectionSet ? inSelection(node.selectionSet) : 0)
      else fields += node.kind === Kind.FRAGMENT_SPREAD ? inFragment(node.name.value) : inSelection(node.selectionSet)
    }
    return fields
  }
  let fields = 0
  for (const node of definitions) if (node.kind === Kind.OPERATION_DEFINITION) fields += inSelection(node.selectionSet)
  return fields
}
