import 'reflect-metadata'
import { composeSupergraph } from '../../gateway/graph/compose.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { buildSubgraph } from '../../subgraphs/kernel/subgraph/subgraph.ts'
import { printedEvents } from './printed-events.ts'

/** Every generated file of the contract, by path below `schema/`. */
export async function printedSchema(): Promise<Map<string, string>> {
  const built = await Promise.all(
    subgraphs.map(async (definition) => ({ name: definition.name, sdl: (await buildSubgraph(definition)).sdl })),
  )
  return new Map([
    ...built.map(({ name, sdl }) => [`subgraphs/${name}.graphql`, sdl] as const),
    ['supergraph.graphql', composeSupergraph(built)] as const,
    ...(await printedEvents()),
  ])
}
