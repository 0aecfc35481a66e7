import { GraphQLSchema, Kind, type DocumentNode, type GraphQLDirective, type OperationDefinitionNode } from 'graphql'

/** A directive on mutations that the gateway carries out: it is part of no subgraph, and is removed before an operation is planned. */
export class MutationDirective {
  constructor(private readonly directive: GraphQLDirective) {}

  /** The schema of clients with the directive. */
  addedTo(schema: GraphQLSchema): GraphQLSchema {
    const config = schema.toConfig()
    return new GraphQLSchema({ ...config, directives: [...config.directives, this.directive] })
  }

  isOn({ directives = [] }: OperationDefinitionNode): boolean {
    return directives.some(this.#isOne)
  }

  /** The document of one operation as it is planned. */
  removedFrom(document: DocumentNode): DocumentNode {
    return {
      ...document,
      definitions: document.definitions.map((node) =>
        node.kind === Kind.OPERATION_DEFINITION && this.isOn(node)
          ? { ...node, directives: node.directives!.filter((one) => !this.#isOne(one)) }
          : node,
      ),
    }
  }

  readonly #isOne = ({ name }: { readonly name: { readonly value: string } }): boolean =>
    name.value === this.directive.name
}
