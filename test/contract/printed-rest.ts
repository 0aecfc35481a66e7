import { format, resolveConfig } from 'prettier'
import { patched } from '../../rest-adapter/patch.ts'
import type { Json } from './event-file.ts'

const formatted = async (text: string, parser: 'json' | 'graphql'): Promise<string> =>
  format(text, { ...(await resolveConfig(import.meta.filename)), parser })

/** Schemas with descriptions, by name. */
export type Descriptions = Readonly<Record<string, Json>>

/** A printed part of the contract of one folder. */
export interface PrintedPart {
  readonly folder: string
  /** Whether it is printed from the definition of a record, otherwise from declared operations. */
  readonly isRecord: boolean
  /** Whether it changes what other parts print, or what is written by hand. */
  readonly isChange?: boolean
  readonly tags: readonly Json[]
  readonly paths: Readonly<Record<string, Json>>
  /** Parameters of several of its operations, by name. */
  readonly parameters?: Readonly<Record<string, Json>>
  readonly schemas: Readonly<Record<string, Json>>
  /** Stored documents by name. */
  readonly documents: readonly (readonly [name: string, text: string])[]
}

const without = (known: Json, added: Json): Json =>
  Object.fromEntries(Object.entries(added).filter(([name]) => known[name] === undefined))

/** Printed schemas, with the descriptions of the properties that the area adds to them by hand. */
const describedBy = (descriptions: Descriptions, schemas: Descriptions): Descriptions =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const added = descriptions[name]?.['properties'] as Json | undefined
      const properties = schema['properties'] as Json | undefined
      return [
        name,
        added && properties ? { ...schema, properties: { ...properties, ...without(properties, added) } } : schema,
      ]
    }),
  )

function mergedPaths(parts: readonly PrintedPart[]): Json {
  let paths: Record<string, Json> = {}
  for (const part of parts) {
    if (part.isChange) paths = patched(paths, part.paths) as Record<string, Json>
    else for (const [path, item] of Object.entries(part.paths)) paths[path] = { ...paths[path], ...item }
  }
  return paths
}

const mergedSchemas = (parts: readonly PrintedPart[]): Descriptions =>
  parts.reduce<Descriptions>(
    (all, { isChange, schemas }) => (isChange ? (patched(all, schemas) as Descriptions) : { ...all, ...schemas }),
    {},
  )

/** Stored documents by name; the fragments of all parts are one document. */
function mergedDocuments(parts: readonly PrintedPart[]): Map<string, string> {
  const all = new Map<string, string>()
  for (const { isRecord, documents } of parts)
    for (const [name, text] of documents) {
      const before = all.get(name)
      all.set(name, before === undefined ? `# ${isRecord ? notice : operationNotice}\n${text}` : `${before}\n\n${text}`)
    }
  return all
}

const areaNotice = 'Printed by `npm run schema` from the descriptions of the graph. Do not edit.'
const notice = 'Printed by `npm run schema` from the definition of the record. Do not edit.'
const operationNotice = 'Printed by `npm run schema` from the declaration of the operation. Do not edit.'

/**
 * The printed files of one folder of the contract, by path below `schema/`: its record types and declared operations, and the descriptions
 * that the graph has for its handwritten schemas. The tags of the first part stay.
 */
export async function printedFolder(
  folder: string,
  parts: readonly PrintedPart[],
  descriptions: Descriptions,
): Promise<[path: string, text: string][]> {
  const schemas = mergedSchemas(parts)
  const tags = parts[0]?.tags ?? []
  const parameters: Json = Object.assign({}, ...parts.map((part) => part.parameters ?? {})) as Json
  const contract = {
    $comment: parts.length === 0 ? areaNotice : parts.some(({ isRecord }) => isRecord) ? notice : operationNotice,
    ...(tags.length > 0 && { tags }),
    ...(parts.length > 0 && { paths: mergedPaths(parts) }),
    components: {
      ...(Object.keys(parameters).length > 0 && { parameters }),
      schemas: { ...descriptions, ...describedBy(descriptions, schemas) },
    },
  }
  return Promise.all([
    formatted(JSON.stringify(contract), 'json').then((text): [string, string] => [
      `rest/${folder}/standard/openapi.json`,
      text,
    ]),
    ...[...mergedDocuments(parts)].map(async ([name, text]): Promise<[string, string]> => [
      `rest/${folder}/standard/${name}.graphql`,
      await formatted(text, 'graphql'),
    ]),
  ])
}
