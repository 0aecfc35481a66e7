import 'reflect-metadata'
import { globSync } from 'node:fs'
import { composeSupergraph } from '../../gateway/graph/compose.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { printedEvents } from './printed-events.ts'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { printedDescriptions } from './printed-descriptions.ts'
import { printedArea, printedRest } from './printed-rest.ts'

/** Every generated file of the contract, by path below `schema/`. */
export async function printedSchema(): Promise<Map<string, string>> {
  const built = await Promise.all(
    subgraphs.map(async (definition) => {
      const { sdl, schema } = await buildSubgraph(definition)
      return { name: definition.name, sdl, schema, areas: definition.resources.flatMap(({ rest }) => rest ?? []) }
    }),
  )
  const supergraph = composeSupergraph(built)
  const descriptions = printedDescriptions(schemaPath('rest'), new LoadedSupergraph(supergraph).apiSchema)
  const records = built.flatMap(({ schema, areas }) => areas.map((area) => ({ schema, area })))
  const areasOfRecords = new Set(records.map(({ area }) => area.folder))
  const otherAreas = [...descriptions].filter(
    ([area, schemas]) => !areasOfRecords.has(area) && Object.keys(schemas).length > 0,
  )
  return new Map([
    ...built.map(({ name, sdl }) => [`subgraphs/${name}.graphql`, sdl] as const),
    ['supergraph.graphql', supergraph] as const,
    ...(await printedEvents()),
    ...(await Promise.all(otherAreas.map(([area, schemas]) => printedArea(area, schemas)))),
    ...(
      await Promise.all(records.map(({ schema, area }) => printedRest(schema, area, descriptions.get(area.folder))))
    ).flat(),
  ])
}

/** The existing files in those folders of the REST contract that must contain only printed files. */
export const standardRestFiles = (): string[] => globSync('rest/*/standard/*', { cwd: schemaPath() }).toSorted()
