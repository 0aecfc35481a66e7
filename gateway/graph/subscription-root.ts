import { GraphQLError, Kind, OperationTypeNode, type SelectionSetNode, type ValidationRule } from 'graphql'

const conditions: ReadonlySet<string> = new Set(['skip', 'include'])

/**
 * A subscription must have one root field without conditions. This rule replaces the rule of graphql-js, which throws an exception
 * on conditions with variables.
 */
export const subscriptionRootRule: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return
    const report = (message: string): void => context.reportError(new GraphQLError(message, { nodes: operation }))
    const keys = new Set<string>()
    const spread = new Set<string>()
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const node of selections) {
        if (node.directives?.some(({ name }) => conditions.has(name.value))) {
          report('The root field of a subscription must have neither @skip nor @include.')
        }
        if (node.kind === Kind.FIELD) {
          keys.add((node.alias ?? node.name).value)
          if (node.name.value.startsWith('__'))
            report('The root field of a subscription must not be an introspection field.')
        } else if (node.kind === Kind.INLINE_FRAGMENT) {
          collect(node.selectionSet)
        } else if (!spread.has(node.name.value)) {
          spread.add(node.name.value)
          const fragment = context.getFragment(node.name.value)
          if (fragment) collect(fragment.selectionSet)
        }
      }
    }
    collect(operation.selectionSet)
    if (keys.size > 1) report('A subscription must have exactly one root field.')
  },
})
