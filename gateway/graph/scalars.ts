import { GraphQLError, isScalarType, type GraphQLSchema } from 'graphql'
import { DateTime, Decimal, Json } from '../../subgraphs/kernel/record/scalars.ts'

/** Of a scalar SDL says the name alone: this gives the schema the checks of ours, for literals and for variables. */
export function giveScalarsTheirChecks(schema: GraphQLSchema): void {
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
