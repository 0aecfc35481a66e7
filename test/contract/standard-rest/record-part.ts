import type { GraphQLSchema } from 'graphql'
import type { LoadedSupergraph } from '../../../gateway/graph/supergraph.ts'
import type { RestArea } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { PrintedPart } from '../printed-rest.ts'
import { standardDocuments } from './documents.ts'
import { standardPaths } from './paths.ts'
import { recordApi, standardOperations } from './record-api.ts'
import { shapeParameters } from './relations.ts'
import { standardSchemas } from './schemas.ts'

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
