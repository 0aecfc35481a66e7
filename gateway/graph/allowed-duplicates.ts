import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLSchema,
  Kind,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql'

// `mutation @allowDuplicates`: the rules of duplicates of the organization refuse nothing. The gateway checks and removes the directive, and tells the
// subgraphs. `Prefer: duplicates=allow` is the same for a whole request.

const allowDuplicates = new GraphQLDirective({
  name: 'allowDuplicates',
  locations: [DirectiveLocation.MUTATION],
  description:
    'The mutation is carried out although it makes records that are duplicates of others by the rules of the organization; without it, a rule with the action BLOCK refuses it with DUPLICATE_DETECTED. `Prefer: duplicates=allow` does the same.',
})

/** The schema of clients with `@allowDuplicates`, which is part of no subgraph. */
export const withAllowDuplicates = (schema: GraphQLSchema): GraphQLSchema => {
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, directives: [...config.directives, allowDuplicates] })
}

const isAllowDuplicates = ({ name }: { readonly name: { readonly value: string } }): boolean =>
  name.value === allowDuplicates.name

export const hasAllowDuplicates = ({ directives = [] }: OperationDefinitionNode): boolean =>
  directives.some(isAllowDuplicates)

/** The document of one operation without the directive, as it is planned. */
export const withoutAllowDuplicates = (document: DocumentNode): DocumentNode => ({
  ...document,
  definitions: document.definitions.map((node) =>
    node.kind === Kind.OPERATION_DEFINITION && hasAllowDuplicates(node)
      ? { ...node, directives: node.directives!.filter((one) => !isAllowDuplicates(one)) }
      : node,
  ),
})
