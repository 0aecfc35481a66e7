import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import { parse, type GraphQLSchema } from 'graphql'
import { buildSchema, createResolversMap, type NonEmptyArray } from 'type-graphql'
import type { RecordShape } from '../record/definition.ts'
import { readReference } from '../record/read.ts'
import { fieldsAsked, type Asked } from '../record/selection.ts'
import { DateTime, Json } from '../record/scalars.ts'
import type { RequestContext } from '../request.ts'

type ResolverClass = new () => object

/** One domain: its resolvers, and the records that other subgraphs may point at. */
export interface SubgraphDefinition {
  readonly name: string
  readonly resolvers: NonEmptyArray<ResolverClass>
  /** Records by the name of their GraphQL type. */
  readonly entities: Readonly<Record<string, RecordShape>>
}

export interface SubgraphSchema {
  readonly schema: GraphQLSchema
  /** The schema as it is published to the gateway. */
  readonly sdl: string
}

const federation = `extend schema @link(
  url: "https://specs.apollo.dev/federation/v2.9"
  import: ["@key", "@shareable", "@external", "@requires", "@provides", "@requiresScopes"]
)`

export async function buildSubgraph({ resolvers, entities }: SubgraphDefinition): Promise<SubgraphSchema> {
  const schema = await buildSchema({
    resolvers,
    orphanedTypes: [],
    skipCheck: true,
    validate: false,
    scalarsMap: [
      { type: Date, scalar: DateTime },
      { type: Object, scalar: Json },
    ],
  })
  const sdl = `${federation}\n\n${printSchemaWithDirectives(schema)}\n`
  const references = Object.fromEntries(
    Object.entries(entities).map(([type, definition]) => [
      type,
      {
        __resolveReference: async (reference: { id: string }, ctx: RequestContext, info: Asked) => {
          const row = await readReference(ctx, definition, reference.id, fieldsAsked(info))
          // A subgraph may resolve a field from what the gateway sends along (@requires).
          return row && { ...reference, ...row }
        },
      },
    ]),
  )
  const resolversMap = createResolversMap(schema) as Record<string, object>
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(resolversMap), ...Object.keys(references)])].map((type) => [
      type,
      type in references ? { ...resolversMap[type], ...references[type] } : resolversMap[type],
    ]),
  )
  return { schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: merged as never }]), sdl }
}
