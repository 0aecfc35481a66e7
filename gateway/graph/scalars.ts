import { GraphQLError, isScalarType, type GraphQLSchema } from 'graphql'
import { DateTime, Decimal, Json } from '../../subgraphs/kernel/record/scalars.ts'

/** SDL has only the name of a scalar: this adds the checks of our scalars to the schema, for literals and variables. */
export function addScalarChecks(schema: GraphQLSchema): void {
  for (const scalar of [DateTime, Decimal, Json]) {
    const type = schema.getType(scalar.name)
    if (!isScalarType(type)) continue
    type.parseValue = scalar.parseValue
    type.parseLiteral = (node, variables) => {
      try {
        return scalar.parseLiteral(node, variables)
      } catch (thrown) {
        if (!(thrown instanceof GraphQLError)) throw thrown
        throw new GraphQLError(thrown.message, { nodes: node })
      }
    }
  }
}
