import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { loadContract } from '../../rest-adapter/contract.ts'
import { parseYaml } from '../../rest-adapter/parse-yaml.ts'
import type { Json } from './event-file.ts'
import { graphDescriptions } from './graph-descriptions.ts'

interface Handwritten {
  readonly properties?: Readonly<Record<string, unknown>>
}

/** The schemas that an area writes by hand, with their properties in the order of the file. */
export function handwrittenSchemas(folder: string): Readonly<Record<string, Handwritten>> {
  const file = join(folder, 'openapi.yaml')
  if (!existsSync(file)) return {}
  const { components } = parseYaml(readFileSync(file, 'utf8')) as {
    components?: { schemas?: Record<string, Handwritten> }
  }
  return components?.schemas ?? {}
}

export const areaFolders = (rest: string): string[] =>
  readdirSync(rest, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

const inOrderOf = (properties: Readonly<Record<string, unknown>>, described: Json): Json =>
  Object.fromEntries(
    Object.keys(properties).flatMap((name) => (described[name] === undefined ? [] : [[name, described[name]]])),
  )

/**
 * The descriptions of handwritten schemas, by area: each property of a response or a body has the description of the field of the graph
 * that it comes from, so it is written in one place.
 */
export function printedDescriptions(
  rest: string,
  graph: GraphQLSchema,
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  const described = graphDescriptions(loadContract(rest), graph)
  return new Map(
    areaFolders(rest).map((area) => {
      const schemas = Object.entries(handwrittenSchemas(join(rest, area))).flatMap(([name, schema]) => {
        const properties = described[name]?.['properties'] as Json | undefined
        // A page of REST leaves out properties that a page of the graph has, so it has descriptions of its own.
        if (!properties || !schema.properties || (name.endsWith('Page') && 'data' in properties)) return []
        return [[name, { properties: inOrderOf(schema.properties, properties) }] as const]
      })
      return [area, Object.fromEntries(schemas)] as const
    }),
  )
}
