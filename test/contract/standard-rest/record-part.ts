import type { GraphQLSchema } from 'graphql'
import type { LoadedSupergraph } from '../../../gateway/graph/supergraph.ts'
import { columnOf } from '../../../subgraphs/kernel/record/definition.ts'
import type { RestArea } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { PrintedPart } from '../printed-rest.ts'
import { aggregateDocument, standardDocuments } from './documents.ts'
import { standardPaths } from './paths.ts'
import { recordApi, standardOperations } from './record-api.ts'
import { shapeParameters } from './relations.ts'
import { enumSchemas, standardSchemas } from './schemas.ts'

/** The contract and the stored documents of the standard operations of one record type. */
export function recordPart(schema: GraphQLSchema, area: RestArea, graph: LoadedSupergraph): PrintedPart {
  const api = recordApi(schema, area, graph)
  return {
    folder: area.folder,
    isRecord: true,
    tags: [{ name: api.Many, ...(api.description && { description: api.description }) }],
    paths: standardPaths(api),
    parameters: shapeParameters(api),
    schemas: standardSchemas(api),
    documents: standardDocuments(
      api,
      standardOperations.filter((operation) => api.offers(operation)),
    ),
  }
}

/** The aggregate of a type that has no other standard operations. `isElsewhere` says which schemas another part has, or are written by hand. */
export function aggregatePart(
  schema: GraphQLSchema,
  area: RestArea,
  graph: LoadedSupergraph,
  isElsewhere: (schema: string) => boolean,
): PrintedPart {
  const api = recordApi(schema, area, graph)
  const filtered = area.filters.map(({ column }) => columnOf(area.definition, column))
  return {
    folder: area.folder,
    isRecord: false,
    tags: [],
    paths: standardPaths(api, ['Aggregate']),
    schemas: Object.fromEntries(Object.entries(enumSchemas(filtered)).filter(([name]) => !isElsewhere(name))),
    documents: [aggregateDocument(api)],
  }
}
