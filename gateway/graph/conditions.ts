import { Kind, visit, type DirectiveNode, type DocumentNode, type SelectionSetNode, type ValueNode } from 'graphql'
import type { Variables } from './variable-values.ts'

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include'

const conditionOf = (directive: DirectiveNode): ValueNode | undefined =>
  directive.arguments?.find(({ name }) => name.value === 'if')?.value

/** The names of the variables that decide `@skip` and `@include`, sorted; null when nothing is conditional. */
export function conditionVariables(document: DocumentNode): string[] | null {
  const names = new Set<string>()
  let isConditional = false
  visit(document, {
    Directive(node) {
      if (!isCondition(node)) return
      isConditional = true
      const value = conditionOf(node)
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return isConditional ? [...names].sort() : null
}

/** The document as these variables have it, without conditions. A selection may be left empty. */
export function withConditionsDecided(document: DocumentNode, variables: Variables): DocumentNode {
  const isLeftOut = (directive: DirectiveNode): boolean => {
    const value = conditionOf(directive)
    const holds =
      value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.BOOLEAN && value.value
    return (holds === true) === (directive.name.value === 'skip')
  }
  const leaveOut = ({ directives = [] }: { readonly directives?: readonly DirectiveNode[] }) =>
    directives.some((directive) => isCondition(directive) && isLeftOut(directive)) ? null : undefined
  return visit(document, {
    Field: leaveOut,
    InlineFragment: leaveOut,
    FragmentSpread: leaveOut,
    Directive: (node) => (isCondition(node) ? null : undefined),
  })
}

/** The same document where every selection selects something: the type name, where it was left empty. */
export function withoutEmptySelections(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: (node): SelectionSetNode | undefined =>
      node.selections.length > 0
        ? undefined
        : { ...node, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] },
  })
}

/** The variables that the document still uses are declared, and no others. */
export function withoutUnusedVariables(document: DocumentNode): DocumentNode {
  const used = new Set<string>()
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) })
  return visit(document, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null) })
}
