import { composeServices } from '@apollo/composition'
import { parse } from 'graphql'

export interface SubgraphSchema {
  readonly name: string
  readonly sdl: string
  readonly url?: string
}

/** Composes the printed schemas of subgraphs into one supergraph; throws one error that names every conflict. */
export function composeSupergraph(subgraphs: readonly SubgraphSchema[]): string {
  const { errors, supergraphSdl } = composeServices(
    subgraphs.map(({ name, sdl, url }) => ({ name, url: url ?? `local://${name}`, typeDefs: parse(sdl) })),
  )
  if (errors || !supergraphSdl) {
    const reasons = (errors ?? []).map((error) => `- ${error.message}`).join('\n')
    throw new Error(`The subgraphs do not compose into one supergraph:\n${reasons}`)
  }
  return supergraphSdl
}
