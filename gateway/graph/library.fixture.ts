import { buildSubgraphSchema } from '@apollo/subgraph'
import { graphql, GraphQLError, parse, type GraphQLSchema } from 'graphql'
import type { Caller, OperationContext } from '../../subgraphs/kernel/context.ts'
import type { SubgraphEndpoint, SubgraphRequest } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { composeSupergraph } from './compose.ts'
import { catalogResolvers, catalogSdl } from './library/catalog.fixture.ts'
import { peopleResolvers, peopleSdl } from './library/people.fixture.ts'
import { reviewsResolvers, reviewsSdl } from './library/reviews.fixture.ts'

// A library in three subgraphs, with every federation feature that the executor supports.
const sources = [
  { name: 'catalog', sdl: catalogSdl, resolvers: catalogResolvers },
  { name: 'people', sdl: peopleSdl, resolvers: peopleResolvers },
  { name: 'reviews', sdl: reviewsSdl, resolvers: reviewsResolvers },
]

const federation = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires",
  "@provides", "@shareable", "@requiresScopes", "@interfaceObject"])`

const schemas: ReadonlyMap<string, GraphQLSchema> = new Map(
  sources.map(({ name, sdl, resolvers }) => [
    name,
    buildSubgraphSchema([{ typeDefs: parse(`${federation}\n${sdl}`), resolvers }]),
  ]),
)

export const librarySupergraph = composeSupergraph(
  sources.map(({ name, sdl }) => ({ name, sdl: `${federation}\n${sdl}` })),
)

/** A subgraph of the library that counts its calls and can be switched off. */
export class LibraryEndpoint implements SubgraphEndpoint {
  readonly name: string
  readonly requests: SubgraphRequest[] = []
  isUnavailable = false

  constructor(name: string) {
    this.name = name
  }

  async execute(request: SubgraphRequest) {
    this.requests.push(request)
    if (this.isUnavailable) throw new Error(`connect ECONNREFUSED ${this.name}`)
    const schema = schemas.get(this.name)
    if (!schema) throw new Error(`no such subgraph: ${this.name}`)
    const { data, errors } = await graphql({
      schema,
      source: request.document,
      variableValues: request.variables,
      contextValue: request.context,
    })
    return { data: data as Record<string, unknown>, ...(errors && { errors: errors.map((error) => error.toJSON()) }) }
  }
}

export const libraryEndpoints = (): LibraryEndpoint[] => sources.map(({ name }) => new LibraryEndpoint(name))

export function aCaller(changes: Partial<Caller> = {}): Caller {
  return {
    kind: 'SESSION',
    organizationId: 'organization-1',
    userId: 'user-1',
    role: 'OWNER',
    visibility: 'ALL',
    ownerIds: null,
    fields: null,
    entitlements: [],
    scopes: [],
    credentialId: 'session-1',
    ip: '127.0.0.1',
    userAgent: 'test',
    ...changes,
  }
}

export const aContext = (caller: Caller = aCaller()): OperationContext => ({
  caller,
  requestId: 'request-1',
  idempotency: null,
})

export function refusal(code: string): GraphQLError {
  return new GraphQLError(`Refused with ${code}.`, { extensions: { code, hint: 'fixture' } })
}
