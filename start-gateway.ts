import 'reflect-metadata'
import { createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import express, { type Request, type Response } from 'express'
import { Cors } from './gateway/edge/cors.ts'
import { Edge } from './gateway/edge/edge.ts'
import { EventStreams } from './gateway/edge/event-streams.ts'
import { StreamSlots } from './gateway/edge/stream-slots.ts'
import type { Graph } from './gateway/graph/graph.ts'
import { graphPort } from './gateway/graph/graph-port.ts'
import { Connections, requestTimeouts } from './gateway/http/connections.ts'
import { graphqlHttp } from './gateway/http/graphql-http.ts'
import { isGraphqlSocketUpgrade, graphqlSocket } from './gateway/http/graphql-socket.ts'
import { answerMalformedRequests, headerBytesMax } from './gateway/http/malformed-request.ts'
import { organizationSchemaFile, schemaFile } from './gateway/http/schema-file.ts'
import { startListening, stopGracefully } from './gateway/http/listen.ts'
import { jwksJson } from './gateway/oauth/jwks.ts'
import { oauthRouter } from './gateway/oauth/router.ts'
import { confirmPage } from './gateway/mcp/confirm-page.ts'
import { mcpRouter } from './gateway/mcp/router.ts'
import { operateRouter } from './gateway/operate/operate-router.ts'
import { requestLines } from './gateway/operate/request-line.ts'
import { RequestMetrics } from './gateway/operate/request-metrics.ts'
import { explorerPage, pagesRouter } from './gateway/pages/pages.ts'
import { publicAiTriggersRouter } from './gateway/public-ai-triggers/router.ts'
import { workflowHooksRouter } from './gateway/workflow-hooks/router.ts'
import { publicInvoicesRouter } from './gateway/public-invoices/router.ts'
import { publicLogosRouter } from './gateway/public-logos/router.ts'
import { mailLinksRouter } from './gateway/mail-links/router.ts'
import { publicQuotesRouter } from './gateway/public-quotes/router.ts'
import { sourcesOf } from './gateway/subscriptions/sources.ts'
import { Subscriptions } from './gateway/subscriptions/subscriptions.ts'
import { answerStreamHandlers } from './rest-adapter/answer-stream.ts'
import { bulkHandlers } from './rest-adapter/bulk-content.ts'
import { fileHandlers } from './rest-adapter/file-content.ts'
import { loadContract, type Contract } from './rest-adapter/contract.ts'
import { eventCatalogHandlers } from './rest-adapter/event-catalog.ts'
import { publicFilesRouter } from './rest-adapter/public-files.ts'
import { restPort } from './rest-adapter/rest-port.ts'
import { restRoutes } from './rest-adapter/routes.ts'
import { scimBase } from './rest-adapter/scim/scim-call.ts'
import { scimRouter } from './rest-adapter/scim/scim-router.ts'
import { answerStreams, documentFiles, toolService } from './subgraphs/assistant/public.ts'
import { recordFiles } from './subgraphs/crm/public.ts'
import { LiveEvents, notificationMailService } from './subgraphs/events/public.ts'
import { credentialSource, oauthService, findScimToken, UsageBuffer } from './subgraphs/identity/public.ts'
import { appScopes } from './subgraphs/kernel/scope-areas.ts'
import type { Config } from './subgraphs/kernel/config/config.ts'
import { trackingService } from './subgraphs/outreach/public.ts'
import { Listener } from './subgraphs/kernel/database/listen.ts'
import { notFound, Refusal } from './subgraphs/kernel/errors.ts'
import { releaseVersion, schemaPath } from './subgraphs/kernel/config/paths.ts'
import { startPrivateServer } from './subgraphs/kernel/operate/private-server.ts'
import { ProcessMetrics } from './subgraphs/kernel/operate/process-metrics.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'
import { bulkJobFiles, jobNotices } from './subgraphs/records/public.ts'
import { openGraph } from './open-graph.ts'

export interface RunningGateway {
  readonly url: string
  /** Writes the usage counted so far to the database; without this call it takes two seconds. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface GatewayParts {
  readonly contract: Contract
  readonly edge: Edge
  readonly cors: Cors
  readonly graph: Graph
  readonly usage: UsageBuffer
  readonly publicUrl: () => Promise<string>
  readonly subscriptions: Subscriptions
  readonly eventStreams: EventStreams
  readonly streamSlots: StreamSlots
  readonly metrics: ProcessMetrics
  readonly requestMetrics: RequestMetrics
}

const graphqlUrl = /^\/v1\/graphql(?:\?|$)/

/** All HTTP routes. */
async function routesOf(config: Config, services: OpenServices, parts: GatewayParts): Promise<RequestListener> {
  const { contract, edge, cors, graph, usage, publicUrl, subscriptions, eventStreams, streamSlots, metrics } = parts
  const { database, log, clock, keys } = services
  const { version: apiVersion } = contract
  const explorer = explorerPage({ demo: config.demo })
  const files = recordFiles(services)
  const findToken = (hash: string) => findScimToken(database, hash, clock.now())
  const app = express().disable('x-powered-by').disable('etag')
  const rest = await restRoutes({
    contract,
    publicUrl,
    edge,
    graph,
    shapes: services.shapes,
    clock,
    deprecatedCalls: usage,
    streams: { eventStreams, streamSlots, subscriptions },
    customHandlers: new Map([
      ...eventCatalogHandlers(graph),
      ...answerStreamHandlers(answerStreams(services)),
      ...bulkHandlers(bulkJobFiles(services)),
      ...fileHandlers({ knowledgeDocument: documentFiles(services), file: files }),
    ]),
  })
  const { observe } = parts.requestMetrics
  const graphql = graphqlHttp({ graph, edge, subscriptions, eventStreams, findToken, explorer, apiVersion, log })
  app.use(operateRouter(services.notReady, config.metricsPort === null ? metrics : null))
  app.use(observe)
  app.get('/.well-known/jwks.json', jwksJson(keys))
  app.get('/v1/graphql/schema', organizationSchemaFile({ graph, edge, extensions: services.extensions }))
  app.all('/v1/graphql/schema', (req, res) =>
    edge.refuse(new Refusal('METHOD_NOT_ALLOWED', 'Send GET.', { allow: ['GET'] }), req, res),
  )
  app.use(['/v1/graphql', '/graphql'], graphql)
  app.get('/schema.graphql', schemaFile({ graph, edge }))
  app.use(pagesRouter({ demo: config.demo, introduction: contract.document.info['description'] as string }))
  const port = oauthService(services)
  const issuer = async () => `${await publicUrl()}/v1/oauth`
  app.use(oauthRouter({ config, edge, port, apiVersion, scopes: appScopes, issuer, secret: keys.encryption, log }))
  const onDefect = (thrown: unknown, requestId: string) =>
    log.error({ err: thrown, requestId }, 'a SCIM request failed')
  app.use(scimBase, scimRouter({ edge, apiVersion, graph, findToken, publicUrl, onDefect }))
  app.use(publicQuotesRouter({ config, edge, graph }))
  app.use(
    mailLinksRouter({
      config,
      edge,
      tracking: trackingService(services),
      notifications: notificationMailService(services),
    }),
  )
  app.use(publicInvoicesRouter({ config, edge, graph }))
  app.use(publicLogosRouter({ config, edge, graph }))
  app.use(publicFilesRouter({ config, edge, graph, openLinked: files.openLinked }))
  app.use(publicAiTriggersRouter({ config, edge, graph }))
  app.use(confirmPage({ edge, graph }))
  app.use(
    mcpRouter({
      edge,
      permitsOrigin: (origin) => cors.permits(origin),
      scopes: appScopes,
      issuer,
      publicUrl,
      secret: keys.encryption,
      version: apiVersion,
      log,
      tools: toolService(services),
    }),
  )
  app.use(workflowHooksRouter({ config, edge, graph }))
  app.use(rest.router)
  app.use((req, res) => edge.refuse(notFound('This path'), req, res))
  // Most requests do not pass Express: comparing them with all its routes and giving them its prototypes takes a tenth of the time of a read.
  return (incoming, outgoing) => {
    const isGraphql = incoming.method === 'POST' && graphqlUrl.test(incoming.url!)
    const handler = isGraphql ? graphql : rest.areaOf(incoming)
    if (!handler) return void app(incoming, outgoing)
    const [req, res] = [incoming as Request, outgoing as Response]
    req.originalUrl = req.url
    req.baseUrl = ''
    observe(req, res, () => handler(req, res, (error) => edge.refuse(error ?? notFound('This path'), req, res)))
  }
}

/** Starts the gateway: edge, GraphQL over HTTP and websocket, REST, pages, health and metrics. `loaded` is the contract, if it is known. */
export async function startGateway(config: Config, services: OpenServices, loaded?: Contract): Promise<RunningGateway> {
  const { database, databaseUrl, log, clock, keys, counters } = services
  // The contract is loaded before the graph: parsing it needs the most memory, and this memory is released before the graph is loaded.
  const contract = loaded ?? loadContract(schemaPath('rest'))
  const usage = new UsageBuffer(database, log)
  const source = credentialSource(database)
  const verifying = createPublicKey(keys.signing)
  const edge = new Edge({ config, counters, source, usage, verifying, csrfKey: keys.encryption, clock, log })
  const listener = await Listener.open(databaseUrl, 'credentials_changed', (id) => edge.forget(id), log)
  const graph = await openGraph(config, services)
  services.graph.connect(async () => graphPort(graph, services))
  services.rest.connect(() => restPort(contract, graph, services))
  const { promise: listenUrl, resolve: setListenUrl } = Promise.withResolvers<string>()
  const publicUrl = async () => config.publicUrl ?? (await listenUrl)
  const eventStreams = new EventStreams()
  const streamSlots = new StreamSlots()
  const live = new LiveEvents(services)
  const jobs = jobNotices(databaseUrl, log)
  const sources = sourcesOf(live, jobs, log)
  const subscriptions = new Subscriptions({ graph, events: services.events, slots: streamSlots, log, sources })
  const streams = { subscriptions, eventStreams, streamSlots }
  const metrics = new ProcessMetrics(services)
  const requestMetrics = new RequestMetrics(metrics.registry, streamSlots, requestLines(log))
  const measured = { metrics, requestMetrics }
  const cors = new Cors(config.cors)
  const routes = await routesOf(config, services, {
    contract,
    edge,
    cors,
    graph,
    usage,
    publicUrl,
    ...streams,
    ...measured,
  })
  const connections = new Connections(config.trustProxy)
  const shouldUpgradeCallback = (req: IncomingMessage) =>
    !connections.refusalOf(req.socket) && isGraphqlSocketUpgrade(req)
  const server = createServer(
    { ...requestTimeouts, maxHeaderSize: headerBytesMax, shouldUpgradeCallback },
    (req, res) => {
      if (services.isStopping()) res.shouldKeepAlive = false
      cors.allow(req, res)
      const refusal = connections.refusalOf(req.socket)
      if (!refusal) return cors.answersPreflight(req, res) || routes(req, res)
      res.shouldKeepAlive = false
      edge.refuse(refusal, req, res)
    },
  )
  connections.watch(server)
  answerMalformedRequests(server, { edge, apiVersion: contract.version })
  const onOperation = requestMetrics.socketOperation
  const socket = graphqlSocket({ server, graph, edge, subscriptions, log, apiVersion: contract.version, onOperation })
  const closeBackground = async (): Promise<void> => {
    await listener.close()
    await usage.close()
    await live.close()
    await jobs.close()
  }
  const url = await startListening(server, config).catch(async (error: unknown) => {
    await closeBackground()
    throw error
  })
  setListenUrl(url)
  if (!config.publicUrl) services.settings.publicUrl = url
  const close = async (): Promise<void> => {
    await stopGracefully(server, async () => {
      await subscriptions.close()
      eventStreams.close()
      return socket.close()
    })
    await closeBackground()
  }
  const privately = await startPrivateServer(config, metrics, services.notReady).catch(async (error: unknown) => {
    await close()
    throw error
  })
  log.info({ version: releaseVersion, url, metricsUrl: privately.url }, 'the gateway is listening')
  return {
    url,
    settled: () => usage.flush(),
    async close() {
      await privately.close()
      await close()
    },
  }
}
