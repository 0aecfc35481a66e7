import 'reflect-metadata'
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import express, { type Express, type RequestHandler } from 'express'
import { Cors } from './gateway/edge/cors.ts'
import { Edge } from './gateway/edge/edge.ts'
import { EventStreams } from './gateway/edge/event-streams.ts'
import { StreamSlots } from './gateway/edge/stream-slots.ts'
import { Graph } from './gateway/graph/graph.ts'
import { Connections, requestTimeouts } from './gateway/http/connections.ts'
import { graphqlHttp } from './gateway/http/graphql-http.ts'
import { isGraphqlSocketUpgrade, graphqlSocket } from './gateway/http/graphql-socket.ts'
import { answerMalformedRequests, headerBytesMax } from './gateway/http/malformed-request.ts'
import { schemaFile } from './gateway/http/schema-file.ts'
import { startListening, stopGracefully } from './gateway/http/listen.ts'
import { oauthRouter } from './gateway/oauth/router.ts'
import { healthRouter } from './gateway/operate/health.ts'
import { Metrics } from './gateway/operate/metrics.ts'
import { explorerPage, pagesRouter } from './gateway/pages/pages.ts'
import { Subscriptions } from './gateway/subscriptions/subscriptions.ts'
import { loadContract, type Contract } from './rest-adapter/contract.ts'
import { restRouter } from './rest-adapter/routes.ts'
import { scimBase } from './rest-adapter/scim/scim-call.ts'
import { scimRouter } from './rest-adapter/scim/scim-router.ts'
import { migrations, subgraphs } from './subgraphs/all.ts'
import { bannerOf, loadDemo } from './subgraphs/demo/demo.ts'
import { credentialSource, oauthScopes, oauthService, findScimToken, UsageBuffer } from './subgraphs/identity/public.ts'
import { ConfigError, type Config } from './subgraphs/kernel/config/config.ts'
import { Listener } from './subgraphs/kernel/database/listen.ts'
import { notFound } from './subgraphs/kernel/errors.ts'
import { schemaPath } from './subgraphs/kernel/config/paths.ts'
import { publicJwks } from './subgraphs/kernel/credentials/public.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'
import type { SubgraphEndpoint } from './subgraphs/kernel/subgraph/endpoint.ts'
import { LocalSubgraph } from './subgraphs/kernel/subgraph/local.ts'
import { RemoteSubgraph } from './subgraphs/kernel/subgraph/remote.ts'
import { serveSubgraph } from './subgraphs/kernel/subgraph/serve.ts'
import { buildSubgraph, type SubgraphDefinition } from './subgraphs/kernel/subgraph/subgraph.ts'
import { startBackground } from './worker.ts'

/** A running component. */
interface Running {
  close(): Promise<void>
}

export interface RunningGateway extends Running {
  readonly url: string
  /** Writes the usage counted so far to the database; without this call it takes two seconds. */
  settled(): Promise<void>
}

async function localSubgraph(definition: SubgraphDefinition, services: OpenServices): Promise<LocalSubgraph> {
  return new LocalSubgraph(definition.name, await buildSubgraph(definition), services)
}

/** The endpoints of all subgraphs: remote if a URL is configured, otherwise in this process. */
function endpointsOf({ subgraphUrls }: Config, services: OpenServices): Promise<SubgraphEndpoint[]> {
  const { keys, log, clock } = services
  return Promise.all(
    subgraphs.map(async (definition) => {
      const { name } = definition
      const url = subgraphUrls[name]
      return url
        ? new RemoteSubgraph({ name, url, callerKey: keys.caller, log, clock })
        : localSubgraph(definition, services)
    }),
  )
}

interface GatewayParts {
  readonly contract: Contract
  readonly edge: Edge
  readonly graph: Graph
  readonly usage: UsageBuffer
  readonly publicUrl: () => Promise<string>
  readonly subscriptions: Subscriptions
  readonly eventStreams: EventStreams
  readonly streamSlots: StreamSlots
}

/** The Express app with all HTTP routes. */
async function appOf(
  config: Config,
  services: OpenServices,
  { contract, edge, graph, usage, publicUrl, subscriptions, eventStreams, streamSlots }: GatewayParts,
): Promise<Express> {
  const { database, log, clock, keys } = services
  const { version: apiVersion } = contract
  const metrics = new Metrics(database.pool, streamSlots)
  const explorer = explorerPage({ demo: config.demo })
  const findToken = (hash: string) => findScimToken(database, hash, clock.now())
  const app = express().disable('x-powered-by').disable('etag')
  app.use(healthRouter(() => services.notReady()))
  app.get('/metrics', metrics.serve)
  app.use(metrics.observe)
  app.get('/.well-known/jwks.json', jwksJson(keys))
  app.use(
    ['/v1/graphql', '/graphql'],
    graphqlHttp({ graph, edge, subscriptions, eventStreams, findToken, explorer, apiVersion, log }),
  )
  app.get('/schema.graphql', schemaFile({ graph, edge }))
  app.use(pagesRouter({ demo: config.demo }))
  const port = oauthService(services)
  const issuer = async () => `${await publicUrl()}/v1/oauth`
  app.use(oauthRouter({ config, edge, port, apiVersion, scopes: oauthScopes, issuer, secret: keys.encryption, log }))
  const onDefect = (thrown: unknown, requestId: string) =>
    log.error({ err: thrown, requestId }, 'a SCIM request failed')
  app.use(scimBase, scimRouter({ edge, apiVersion, graph, findToken, publicUrl, onDefect }))
  app.use(await restRouter({ contract, edge, graph, clock, deprecatedCalls: usage, eventStreams, streamSlots }))
  app.use((req, res) => edge.refuse(notFound('This path'), req, res))
  return app
}

/** Starts the gateway: edge, GraphQL over HTTP and websocket, REST, pages, health and metrics. */
export async function startGateway(config: Config, services: OpenServices): Promise<RunningGateway> {
  const { database, databaseUrl, log, clock, keys, counters } = services
  // The contract is loaded before the graph: parsing it needs the most memory, and this memory is released before the graph is loaded.
  const contract = loadContract(schemaPath('rest'))
  const usage = new UsageBuffer(database, log)
  const source = credentialSource(database)
  const verifying = createPublicKey(keys.signing)
  const edge = new Edge({ config, counters, source, usage, verifying, csrfKey: keys.encryption, clock, log })
  const listener = await Listener.open(databaseUrl, 'credentials_changed', (id) => edge.forget(id), log)
  const graph = Graph.create({
    supergraphSdl: readFileSync(schemaPath('supergraph.graphql'), 'utf8'),
    endpoints: await endpointsOf(config, services),
    openIntrospection: config.openIntrospection,
    onDefect: (thrown, { requestId }) => log.error({ err: thrown, requestId }, 'an operation failed'),
  })
  const { promise: listenUrl, resolve: setListenUrl } = Promise.withResolvers<string>()
  const publicUrl = async () => config.publicUrl ?? (await listenUrl)
  const eventStreams = new EventStreams()
  const streamSlots = new StreamSlots()
  const subscriptions = new Subscriptions({ graph, events: services.events, slots: streamSlots, log })
  const streams = { subscriptions, eventStreams, streamSlots }
  const app = await appOf(config, services, { contract, edge, graph, usage, publicUrl, ...streams })
  const connections = new Connections(config.trustProxy)
  const cors = new Cors(config.cors)
  const shouldUpgradeCallback = (req: IncomingMessage) =>
    !connections.refusalOf(req.socket) && isGraphqlSocketUpgrade(req)
  const server = createServer(
    { ...requestTimeouts, maxHeaderSize: headerBytesMax, shouldUpgradeCallback },
    (req, res) => {
      cors.allow(req, res)
      const refusal = connections.refusalOf(req.socket)
      if (!refusal) return cors.answersPreflight(req, res) || app(req, res)
      res.shouldKeepAlive = false
      edge.refuse(refusal, req, res)
    },
  )
  connections.watch(server)
  answerMalformedRequests(server, { edge, apiVersion: contract.version })
  const socket = graphqlSocket({ server, graph, edge, subscriptions, log, apiVersion: contract.version })
  const closeBackground = async (): Promise<void> => {
    await listener.close()
    await usage.close()
  }
  const url = await startListening(server, config).catch(async (error: unknown) => {
    await closeBackground()
    throw error
  })
  setListenUrl(url)
  if (!config.publicUrl) services.settings.publicUrl = url
  return {
    url,
    settled: () => usage.flush(),
    async close() {
      await stopGracefully(server, () => {
        subscriptions.close()
        eventStreams.close()
        return socket.close()
      })
      await closeBackground()
    },
  }
}

/** The public keys that verify access tokens (RFC 7517). */
function jwksJson(keys: OpenServices['keys']): RequestHandler {
  const jwks = publicJwks(keys)
  return (_req, res) => void res.set('Cache-Control', 'public, max-age=300').type('application/jwk-set+json').send(jwks)
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

function subgraphNamed(name: string | undefined): SubgraphDefinition {
  const definition = subgraphs.find((candidate) => candidate.name === name)
  if (!definition)
    throw new ConfigError(`The subgraph must be one of: ${subgraphs.map((known) => known.name).join(', ')}.`)
  return definition
}

async function oneSubgraph(definition: SubgraphDefinition, config: Config, services: OpenServices): Promise<Running> {
  const { log, clock, keys } = services
  const server = await serveSubgraph({
    subgraph: await localSubgraph(definition, services),
    callerKey: keys.caller,
    port: config.port,
    host: config.host,
    log,
    clock,
    isReady: async () => Object.keys(await services.notReady()).length === 0,
  })
  log.info({ subgraph: definition.name, port: server.port }, 'the subgraph is listening')
  return { close: () => server.stop() }
}

/** Refuses a misspelt name in SUBGRAPH_<NAME>_URL; otherwise that subgraph would run in this process without a warning. */
function refuseUnknownSubgraphs({ subgraphUrls }: Config): void {
  const names = subgraphs.map(({ name }) => name)
  const unknown = Object.keys(subgraphUrls).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new ConfigError(`SUBGRAPH_${unknown.toUpperCase()}_URL: the subgraph must be one of ${names.join(', ')}.`)
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
  await runProcess(migrations, (config) => {
    refuseUnknownSubgraphs(config)
    return starterOf(mode, name)
  })
}
