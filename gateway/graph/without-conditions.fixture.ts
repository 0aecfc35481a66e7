import {
  Kind,
  parse,
  print,
  type DirectiveNode,
  type DocumentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { GeneratedQuery } from './generate-queries.fixture.ts'

const emptyKey = 'selectsNothing'

/**
 * The same operation with conditions evaluated and fragments inlined: skipped selections are removed. Null if nothing is
 * left.
 */
export function withoutConditions({ document, variables }: GeneratedQuery): DocumentNode | null {
  const { definitions } = parse(document)
  const isSkipped = ({ name, arguments: [given] = [] }: DirectiveNode): boolean => {
    const { value } = given!
    const holds =
      value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.BOOLEAN && value.value
    return name.value === 'skip' ? holds === true : holds !== true
  }
  const remainingOf = (selections: readonly SelectionNode[]): SelectionNode[] =>
    selections.flatMap((node): SelectionNode[] => {
      if (node.directives?.some(isSkipped)) return []
      const plain = { ...node, directives: [] }
      if (plain.kind === Kind.FIELD)
        return [plain.selectionSet ? { ...plain, selectionSet: withoutEmpty(plain.selectionSet) } : plain]
      if (plain.kind === Kind.INLINE_FRAGMENT) return inline({ ...plain })
      const fragment = definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === plain.name.value,
      )
      if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) return []
      return inline({
        kind: Kind.INLINE_FRAGMENT,
        typeCondition: fragment.typeCondition,
        selectionSet: fragment.selectionSet,
      })
    })
  const inline = (node: SelectionNode & { readonly kind: Kind.INLINE_FRAGMENT }): SelectionNode[] => {
    const selections = remainingOf(node.selectionSet.selections)
    return selections.length > 0 ? [{ ...node, selectionSet: { ...node.selectionSet, selections } }] : []
  }
  const withoutEmpty = (set: SelectionSetNode): SelectionSetNode => {
    const selections = remainingOf(set.selections)
    if (selections.length > 0) return { ...set, selections }
    const name = (value: string) => ({ kind: Kind.NAME as const, value })
    return { ...set, selections: [{ kind: Kind.FIELD, alias: name(emptyKey), name: name('__typename') }] }
  }
  const operations = definitions.flatMap((node) => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return []
    const selections = remainingOf(node.selectionSet.selections)
    if (selections.length === 0) return []
    const used = print({ ...node.selectionSet, selections })
    const variableDefinitions = node.variableDefinitions?.filter(({ variable }) =>
      new RegExp(`\\$${variable.name.value}\\b`).test(used),
    )
    return {
      ...node,
      variableDefinitions: variableDefinitions ?? [],
      selectionSet: { ...node.selectionSet, selections },
    }
  })
  return operations.length > 0 ? { kind: Kind.DOCUMENT, definitions: operations } : null
}

/** Converts the answer of the operation without conditions to the answer of the conditional one. */
export const asConditional = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data), (key, value: unknown) => (key === emptyKey ? undefined : value))
