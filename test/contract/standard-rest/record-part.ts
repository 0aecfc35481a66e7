import type { GraphQLSchema } from 'graphql'
import type { RestArea } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { PrintedPart } from '../printed-rest.ts'
import { standardDocuments } from './documents.ts'
import { standardPaths } from './paths.ts'
import { recordApi, standardOperations } from './record-api.ts'
import { standardSchemas } from './schemas.ts'

/** The contract and the stored documents of the standard operations of one record type. */
export function recordPart(schema: GraphQLSchema, area: RestArea): PrintedPart {
  const api = recordApi(schema, area)
  return {
    folder: area.folder,
    isRecord: true,
    tags: [{ name: api.Many, ...(api.description && { description: api.description }) }],
    paths: standardPaths(api),
    schemas: standardSchemas(api),
    documents: standardDocuments(
      api,
      standardOperations.filter((operation) => api.offers(operation)),
    ),
  }
}
