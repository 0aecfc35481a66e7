import 'reflect-metadata'
import { migrations } from './subgraphs/all.ts'
import { localSubgraph, refuseUnknownSubgraphs, subgraphNamed } from './subgraphs/endpoints.ts'
import { bannerOf, loadDemo } from './subgraphs/demo/demo.ts'
import { ConfigError, type Config } from './subgraphs/kernel/config/config.ts'
import { releaseVersion } from './subgraphs/kernel/config/paths.ts'
import { startPrivateServer } from './subgraphs/kernel/operate/private-server.ts'
import { ProcessMetrics } from './subgraphs/kernel/operate/process-metrics.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'
import { serveSubgraph } from './subgraphs/kernel/subgraph/serve.ts'
import type { SubgraphDefinition } from './subgraphs/kernel/subgraph/subgraph.ts'
import { connectGraph } from './open-graph.ts'
import { startBackground } from './worker.ts'
import { startGateway } from './start-gateway.ts'

/** A running component. */
interface Running {
  close(): Promise<void>
}

const addressesOf = (url: string): Record<string, string> => ({
  'GraphQL explorer': `${url}/v1/graphql`,
  REST: `${url}/v1/accounts`,
  'API reference': `${url}/docs`,
})

/** Runs everything in one process. It listens before it loads the demo, because `demo.json` contains the URL; after that it is ready. */
async function runAll(config: Config, services: OpenServices): Promise<Running> {
  let isLoading = config.demo
  const notReady = async (): Promise<Record<string, string>> =>
    isLoading ? { demo: 'is being loaded' } : services.notReady()
  const gateway = await startGateway(config, { ...services, notReady })
  try {
    if (config.demo) {
      const demo = await loadDemo({ services, dataDir: config.dataDir, baseUrl: gateway.url })
      process.stdout.write(`${bannerOf(demo, addressesOf(gateway.url))}\n`)
      isLoading = false
    }
    const background = await startBackground(services)
    return {
      async close() {
        await gateway.close()
        await background.close()
      },
    }
  } catch (error) {
    await gateway.close()
    throw error
  }
}

async function oneSubgraph(definition: SubgraphDefinition, config: Config, services: OpenServices): Promise<Running> {
  const { log, clock, keys } = services
  connectGraph(config, services)
  const server = await serveSubgraph({
    subgraph: await localSubgraph(definition, services),
    callerKey: keys.caller,
    port: config.port,
    host: config.host,
    log,
    clock,
    isReady: async () => Object.keys(await services.notReady()).length === 0,
    isStopping: services.isStopping,
  })
  const privately = await startPrivateServer(config, new ProcessMetrics(services), services.notReady)
  const { name } = definition
  const addresses = { port: server.port, metricsUrl: privately.url }
  log.info({ version: releaseVersion, subgraph: name, ...addresses }, 'the subgraph is listening')
  return {
    async close() {
      await privately.close()
      await server.stop()
    },
  }
}

function starterOf(
  mode: string,
  name: string | undefined,
): (config: Config, services: OpenServices) => Promise<Running> {
  switch (mode) {
    case 'all':
      return runAll
    case 'gateway':
      return startGateway
    case 'subgraph': {
      const definition = subgraphNamed(name)
      return (config, services) => oneSubgraph(definition, config, services)
    }
    default:
      throw new ConfigError(`The mode must be one of: gateway, subgraph <name>; got "${mode}".`)
  }
}

if (import.meta.main) {
  const [mode = 'all', name] = process.argv.slice(2)
  const choose = (config: Config) => {
    refuseUnknownSubgraphs(config)
    return starterOf(mode, name)
  }
  await runProcess(migrations, choose, { drains: true })
}
