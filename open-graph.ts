import { readFileSync } from 'node:fs'
import { Graph } from './gateway/graph/graph.ts'
import { graphPort } from './gateway/graph/graph-port.ts'
import { LoadedSupergraph } from './gateway/graph/supergraph.ts'
import { loadContract } from './rest-adapter/contract.ts'
import { restPort } from './rest-adapter/rest-port.ts'
import { endpointsOf } from './subgraphs/endpoints.ts'
import type { Config } from './subgraphs/kernel/config/config.ts'
import { schemaPath } from './subgraphs/kernel/config/paths.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

let loaded: LoadedSupergraph | undefined

/** The graph of this process: its subgraphs run in it unless they have a URL. */
export async function openGraph(config: Config, services: OpenServices): Promise<Graph> {
  return Graph.create({
    // It depends only on the file, so it is loaded once, also if a process opens several platforms, as tests do.
    supergraph: (loaded ??= new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))),
    endpoints: await endpointsOf(config, services),
    openIntrospection: config.openIntrospection,
    onDefect: (thrown, { requestId }) => services.log.error({ err: thrown, requestId }, 'an operation failed'),
  })
}

/** For processes without a gateway: the graph and REST are loaded when something uses them for the first time, with one graph for both. */
export function connectGraph(config: Config, services: OpenServices): void {
  let opened: Promise<Graph> | null = null
  const graph = (): Promise<Graph> =>
    (opened ??= openGraph(config, services).catch((error: unknown) => {
      opened = null
      throw error
    }))
  services.graph.connect(async () => graphPort(await graph(), services))
  services.rest.connect(async () => restPort(loadContract(schemaPath('rest')), await graph(), services))
}
