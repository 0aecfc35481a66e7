import { readFileSync } from 'node:fs'
import { Graph } from './gateway/graph/graph.ts'
import { graphPort } from './gateway/graph/graph-port.ts'
import { LoadedSupergraph } from './gateway/graph/supergraph.ts'
import { endpointsOf } from './subgraphs/endpoints.ts'
import type { Config } from './subgraphs/kernel/config/config.ts'
import { schemaPath } from './subgraphs/kernel/config/paths.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

let loaded: LoadedSupergraph | undefined

/** The graph of this process: its subgraphs run in it unless they have a URL. */
export async function openGraph(config: Config, services: OpenServices): Promise<Graph> {
  const supergraphSdl = readFileSync(schemaPath('supergraph.graphql'), 'utf8')
  return Graph.create({
    supergraphSdl,
    // It depends only on the file, so it is loaded once, also if a process opens several platforms, as tests do.
    supergraph: (loaded ??= new LoadedSupergraph(supergraphSdl)),
    endpoints: await endpointsOf(config, services),
    openIntrospection: config.openIntrospection,
    onDefect: (thrown, { requestId }) => services.log.error({ err: thrown, requestId }, 'an operation failed'),
  })
}

/** For processes without a gateway: the graph is loaded when something reads it for the first time. */
export function connectGraph(config: Config, services: OpenServices): void {
  services.graph.connect(async () => graphPort(await openGraph(config, services), services))
}
