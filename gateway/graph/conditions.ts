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

/** The document with its conditions evaluated and removed. A selection may become empty. */
export function withConditionsEvaluated(document: DocumentNode, variables: Variables): DocumentNode {
  const isSkipped = (directive: DirectiveNode): boolean => {
    const value = conditionOf(directive)
    const holds =
      value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.BOOLEAN && value.value
    return (holds === true) === (directive.name.value === 'skip')
  }
  const removeSkipped = ({ directives = [] }: { readonly directives?: readonly DirectiveNode[] }) =>
    directives.some((directive) => isCondition(directive) && isSkipped(directive)) ? null : undefined
  return visit(document, {
    Field: removeSkipped,
    InlineFragment: removeSkipped,
    FragmentSpread: removeSkipped,
    Directive: (node) => (isCondition(node) ? null : undefined),
  })
}

/** The same document with `__typename` in every empty selection. */
export function withoutEmptySelections(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: (node): SelectionSetNode | undefined =>
      node.selections.length > 0
        ? undefined
        : { ...node, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] },
  })
}

/** Removes the declarations of variables that the document does not use. */
export function withoutUnusedVariables(document: DocumentNode): DocumentNode {
  const used = new Set<string>()
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) })
  return visit(document, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null) })
}
