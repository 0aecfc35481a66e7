import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway'
import { parse, print, type GraphQLError, type GraphQLSchema } from 'graphql'
import { withoutSecurity } from './requirements.ts'

export interface ReferenceAnswer {
  readonly data: unknown
  readonly errors: readonly GraphQLError[]
  readonly extensions: Record<string, unknown> | undefined
}

export type Reference = (document: string, variables: Record<string, unknown>) => Promise<ReferenceAnswer>

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** The stock gateway on the same supergraph: what `Graph` is compared with. Test support. */
export async function stockGateway(
  supergraphSdl: string,
  schemas: ReadonlyMap<string, GraphQLSchema>,
  context: unknown,
): Promise<Reference> {
  const gateway = new ApolloGateway({
    supergraphSdl: print(withoutSecurity(parse(supergraphSdl))),
    logger: silent,
    queryPlannerConfig: { reuseQueryFragments: false, debug: { maxEvaluatedPlans: 100 } },
    buildService: ({ name }) => {
      const schema = schemas.get(name)
      if (!schema) throw new Error(`no such subgraph: ${name}`)
      return new LocalGraphQLDataSource(schema)
    },
  })
  const { schema } = await gateway.load()
  return async (source, variables) => {
    const response = await gateway.executor({
      request: { query: source, variables },
      document: parse(source),
      queryHash: source,
      source,
      schema,
      context,
      metrics: {},
      logger: silent,
    } as unknown as Parameters<typeof gateway.executor>[0])
    const { data, errors, extensions } = response
    return { data, errors: (errors ?? []) as GraphQLError[], extensions }
  }
}
