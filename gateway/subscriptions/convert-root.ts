import {
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql'
import { withoutUnusedVariables } from '../graph/conditions.ts'
import type { OperationParts } from '../graph/operation.ts'

export interface RootConversion {
  /** Kind of the resulting operation. */
  readonly operation: OperationTypeNode
  /** The replacement of the root field. */
  readonly field: (node: FieldNode) => FieldNode
  readonly variables?: readonly VariableDefinitionNode[]
}

/** Replaces the root field of a subscription, wherever fragments have it; the selection below it is unchanged. */
export function convertRoot(
  schema: GraphQLSchema,
  { document }: OperationParts,
  { operation, field, variables = [] }: RootConversion,
): DocumentNode {
  const subscription = schema.getSubscriptionType()!.name
  const isQuery = operation === OperationTypeNode.QUERY
  const root = isQuery ? schema.getQueryType()!.name : subscription
  const typeInfo = new TypeInfo(schema)
  const onRoot = <T extends { readonly typeCondition?: { readonly name: { readonly value: string } } | undefined }>(
    node: T,
  ): T | undefined =>
    node.typeCondition?.name.value === subscription
      ? { ...node, typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: root } } }
      : undefined
  const converted = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: { leave: (node) => (typeInfo.getParentType()?.name === subscription ? field(node) : undefined) },
      InlineFragment: { leave: onRoot },
      FragmentDefinition: { leave: onRoot },
      OperationDefinition: {
        leave: (node) => ({
          ...node,
          operation,
          variableDefinitions: [...(node.variableDefinitions ?? []), ...variables],
        }),
      },
    }),
  )
  return withoutUnusedVariables(converted)
}
