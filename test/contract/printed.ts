import 'reflect-metadata'
import { globSync } from 'node:fs'
import { composeSupergraph } from '../../gateway/graph/compose.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { printedEvents } from './printed-events.ts'
import { printedRest } from './printed-rest.ts'

/** Every generated file of the contract, by path below `schema/`. */
export async function printedSchema(): Promise<Map<string, string>> {
  const built = await Promise.all(
    subgraphs.map(async (definition) => {
      const { sdl, schema } = await buildSubgraph(definition)
      return { name: definition.name, sdl, schema, areas: definition.resources.flatMap(({ rest }) => rest ?? []) }
    }),
  )
  return new Map([
    ...built.map(({ name, sdl }) => [`subgraphs/${name}.graphql`, sdl] as const),
    ['supergraph.graphql', composeSupergraph(built)] as const,
    ...(await printedEvents()),
    ...(await Promise.all(built.flatMap(({ schema, areas }) => areas.map((area) => printedRest(schema, area))))).flat(),
  ])
}

/** The existing files in those folders of the REST contract that must contain only printed files. */
export const standardRestFiles = (): string[] => globSync('rest/*/standard/*', { cwd: schemaPath() }).toSorted()
