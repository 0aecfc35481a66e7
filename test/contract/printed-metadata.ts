import { format, resolveConfig } from 'prettier'
import { MetadataSchemaType } from '../../subgraphs/extensions/metadata/metadata-type.ts'
import { fileSchemaOf } from '../../subgraphs/extensions/metadata/schemas.ts'

/** The JSON Schema of each kind of file of the metadata format, by path below `schema/`. */
export async function printedMetadata(): Promise<[path: string, text: string][]> {
  const options = { ...(await resolveConfig(import.meta.filename)), parser: 'json' }
  const types = Object.keys(MetadataSchemaType) as MetadataSchemaType[]
  return Promise.all(
    types.map(async (type): Promise<[string, string]> => {
      const name = type.toLowerCase().replaceAll('_', '-')
      return [`metadata/${name}.schema.json`, await format(JSON.stringify(fileSchemaOf(type).schema), options)]
    }),
  )
}
