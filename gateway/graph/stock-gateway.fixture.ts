import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway'
import { parse, print, type GraphQLError } from 'graphql'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { withoutSecurity } from './requirements.ts'

export interface StockAnswer {
  readonly data: unknown
  readonly errors: readonly GraphQLError[]
  readonly extensions: Record<string, unknown> | undefined
}

export type StockGateway = (document: string, variables: Record<string, unknown>) => Promise<StockAnswer>

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const dataSource = (endpoint: SubgraphEndpoint, context: OperationContext): GraphQLDataSource => ({
  async process({ request: { query = '', variables = {} } }) {
    const { data, errors } = await endpoint.execute({ document: query, variables, context })
    return { data: data ?? null, ...(errors && { errors: [...errors] }) }
  },
})

/** The stock gateway on the same supergraph and endpoints; `Graph` is compared with it. */
export async function stockGateway(
  supergraphSdl: string,
  endpoints: readonly SubgraphEndpoint[],
  context: OperationContext,
): Promise<StockGateway> {
  const gateway = new ApolloGateway({
    supergraphSdl: print(withoutSecurity(parse(supergraphSdl))),
    logger: silent,
    // The same planner options as in Graph, because errors of siblings come in the order of a plan's fields.
    queryPlannerConfig: { reuseQueryFragments: false, debug: { maxEvaluatedPlans: 100 } },
    buildService({ name }) {
      const endpoint = endpoints.find((candidate) => candidate.name === name)
      if (!endpoint) throw new Error(`no such subgraph: ${name}`)
      return dataSource(endpoint, context)
    },
  })
  const { schema } = await gateway.load()
  return async (source, variables) => {
    const request = {
      request: { query: source, variables },
      document: parse(source),
      queryHash: source,
      source,
      schema,
      context,
      metrics: {},
      logger: silent,
    }
    const { data, errors, extensions } = await gateway.executor(
      request as unknown as Parameters<typeof gateway.executor>[0],
    )
    return { data, errors: (errors ?? []) as GraphQLError[], extensions }
  }
}
