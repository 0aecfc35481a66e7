import type { GraphQLSchema } from 'graphql'
import { format, resolveConfig } from 'prettier'
import type { RestArea } from '../../subgraphs/kernel/record/rest-area.ts'
import { standardDocuments } from './standard-rest/documents.ts'
import { standardPaths } from './standard-rest/paths.ts'
import { recordApi, standardOperations } from './standard-rest/record-api.ts'
import type { Json } from './event-file.ts'
import { standardSchemas } from './standard-rest/schemas.ts'

const notice = 'Printed by `npm run schema` from the definition of the record. Do not edit.'
const areaNotice = 'Printed by `npm run schema` from the descriptions of the graph. Do not edit.'

async function formatted(text: string, parser: 'json' | 'graphql'): Promise<string> {
  return format(text, { ...(await resolveConfig(import.meta.filename)), parser })
}

/** Schemas with descriptions, by name. */
type Descriptions = Readonly<Record<string, Json>>

/** The contract of an area without a record type: the descriptions that the graph has for its handwritten schemas. */
export async function printedArea(area: string, schemas: Descriptions): Promise<[path: string, text: string]> {
  const contract = { $comment: areaNotice, components: { schemas } }
  return [`rest/${area}/standard/openapi.json`, await formatted(JSON.stringify(contract), 'json')]
}

const without = (known: Json, added: Json): Json =>
  Object.fromEntries(Object.entries(added).filter(([name]) => known[name] === undefined))

/** Standard schemas, with the descriptions of the properties that the area adds to them by hand. */
const describedBy = (descriptions: Descriptions, schemas: Json): Descriptions =>
  Object.fromEntries(
    Object.entries(schemas as Descriptions).map(([name, schema]) => {
      const added = descriptions[name]?.['properties'] as Json | undefined
      const properties = schema['properties'] as Json | undefined
      return [
        name,
        added && properties ? { ...schema, properties: { ...properties, ...without(properties, added) } } : schema,
      ]
    }),
  )

/** The contract and the stored documents of the standard operations of one record type, by path below `schema/`. */
export async function printedRest(
  schema: GraphQLSchema,
  area: RestArea,
  descriptions: Descriptions = {},
): Promise<[path: string, text: string][]> {
  const api = recordApi(schema, area)
  const folder = `rest/${area.folder}/standard`
  const tag = { name: api.Many, ...(api.description && { description: api.description }) }
  const contract = {
    $comment: notice,
    tags: [tag],
    paths: standardPaths(api),
    components: { schemas: { ...descriptions, ...describedBy(descriptions, standardSchemas(api)) } },
  }
  const documents = standardDocuments(
    api,
    standardOperations.filter((operation) => api.offers(operation)),
  )
  return Promise.all([
    formatted(JSON.stringify(contract), 'json').then((text): [string, string] => [`${folder}/openapi.json`, text]),
    ...documents.map(async ([name, text]): Promise<[string, string]> => [
      `${folder}/${name}.graphql`,
      await formatted(`# ${notice}\n${text}`, 'graphql'),
    ]),
  ])
}
