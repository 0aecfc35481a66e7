import type { RequestHandler, Router as ExpressRouter } from 'express'
import { Router } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { PublishedFile } from '../gateway/edge/published-file.ts'
import { notFound, Refusal } from '../subgraphs/kernel/errors.ts'
import type { Contract } from './contract.ts'
import type { RestOperation } from './rest-operation.ts'
import { Endpoint, type Dependencies } from './serve.ts'
import { Validator } from './validate.ts'

export interface RestOptions extends Omit<Dependencies, 'version' | 'validator' | 'customHandlers'> {
  readonly contract: Contract
  /** The address of the platform for clients, which the served document names as its server. */
  readonly publicUrl: () => Promise<string>
  readonly customHandlers?: Dependencies['customHandlers']
}

export interface RestRoutes {
  /** The routes of the area that the address names; null if the contract has no such area. Unknown paths in it are answered with 404. */
  readonly areaOf: (req: IncomingMessage) => RequestHandler | null
  /**
   * All routes that the contract describes, under /v1 and under aliases outside of it, and /openapi.json. Mount it at the root, after
   * all other routes under /v1, because it answers unknown paths there with 404.
   */
  readonly router: ExpressRouter
}

export async function restRoutes({
  contract,
  publicUrl,
  customHandlers = new Map(),
  ...options
}: RestOptions): Promise<RestRoutes> {
  const validator = await Validator.of(contract)
  const dependencies: Dependencies = { ...options, customHandlers, validator, version: contract.version }
  const areas = new Map<string, ExpressRouter>()
  for (const [path, operations] of byPath(contract.operations)) {
    const prefix = prefixOf(path)
    let area = areas.get(prefix)
    if (!area) areas.set(prefix, (area = Router({ caseSensitive: true })))
    addPath(area, path, operations, dependencies)
  }

  // The area is found by its name, so a request is compared with the routes of its own area only.
  const handlers = new Map(
    Array.from(areas, ([prefix, area]): [string, RequestHandler] => [prefix, answering(area, dependencies)]),
  )
  const unknown = answering(null, dependencies)
  const root = Router({ caseSensitive: true })
  root.get('/openapi.json', openApiJson(contract, publicUrl))
  root.use((req, res, next) => {
    if (!req.url.startsWith('/')) req.url = originForm(req.url)
    const area = handlers.get(prefixOf(req.url))
    if (area) return area(req, res, next)
    return /^\/v1(?:[/?]|$)/.test(req.url) ? unknown(req, res, next) : next()
  })
  return { areaOf: ({ url }) => handlers.get(prefixOf(url!)) ?? null, router: root }
}

/** Answers every request: what the area does not is unknown. */
const answering =
  (area: ExpressRouter | null, dependencies: Dependencies): RequestHandler =>
  (req, res) => {
    res.setHeader('API-Version', dependencies.version)
    const unknown = (thrown?: unknown): void => void refuseUnknown(thrown, req, res, dependencies)
    if (area) area(req, res, unknown)
    else unknown()
  }

/** Some proxies send scheme and host in the request line; servers must accept this (RFC 9112, 3.2.2). */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '')

/** The prefix up to the area: `/v1/accounts` of `/v1/accounts/{id}?x=y`, and `/forecasts` of `/forecasts?x=y`. */
function prefixOf(url: string): string {
  const start = url.startsWith('/v1/') ? '/v1/'.length : 1
  const end = url.slice(start).search(/[/?]/)
  return end < 0 ? url : url.slice(0, end + start)
}

/** Sorts fixed segments before placeholders, so that `/stats` does not match as an id. */
function byPath(operations: readonly RestOperation[]): [string, RestOperation[]][] {
  const groups = Map.groupBy(operations, ({ path }) => path)
  const rank = (path: string): string =>
    path
      .split('/')
      .map((segment) => (segment.startsWith('{') ? '\uffff' : segment))
      .join('/')
  return [...groups].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
}

function addPath(
  area: ExpressRouter,
  path: string,
  operations: readonly RestOperation[],
  dependencies: Dependencies,
): void {
  const route = area.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
  const reading = operations.find(({ method, document }) => method === 'get' && document !== null) ?? null
  for (const operation of operations) {
    const endpoint = new Endpoint(operation, dependencies, operation.readOnly && reading)
    route[operation.method](endpoint.serve as unknown as RequestHandler)
  }
  const allow = operations.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  const refusal = new Refusal('METHOD_NOT_ALLOWED', `Send one of these methods: ${allow.join(', ')}.`, { allow })
  const sendAllow = (res: ServerResponse): void => void res.writeHead(204, { Allow: allow.join(', ') }).end()
  route.all((req, res) => {
    if (req.method === 'OPTIONS') void whenAdmitted(req, res, dependencies, () => sendAllow(res))
    else void refuseUnknown(refusal, req, res, dependencies)
  })
}

/** A request for an unknown path is authenticated and counted like any other request before it is refused. */
const refuseUnknown = (
  thrown: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  dependencies: Pick<Dependencies, 'edge'>,
): Promise<void> =>
  whenAdmitted(req, res, dependencies, () => dependencies.edge.refuse(thrown ?? notFound('This path'), req, res))

async function whenAdmitted(
  req: IncomingMessage,
  res: ServerResponse,
  { edge }: Pick<Dependencies, 'edge'>,
  answer: () => void,
): Promise<void> {
  try {
    const admission = await edge.admit(req, res, () => {})
    await edge.spend(admission, res)
    answer()
  } catch (refused) {
    edge.refuse(refused, req, res)
  }
}

const compressedDocuments = new WeakMap<Contract, Buffer>()

/** It depends only on the contract, so it is compressed once, also if a process opens several platforms, as tests do. */
function compressedDocument(contract: Contract): Buffer {
  const known = compressedDocuments.get(contract) ?? gzipSync(JSON.stringify(contract.document))
  compressedDocuments.set(contract, known)
  return known
}

/**
 * The document with the address of this platform as its server. The address is known when the first request arrives. Until then the
 * document is kept compressed, which takes a twentieth of its memory.
 */
function openApiJson(contract: Contract, publicUrl: RestOptions['publicUrl']): RequestHandler {
  const compressed = compressedDocument(contract)
  let file: PublishedFile | null = null
  return async (req, res) => {
    const servers = [{ url: await publicUrl() }]
    file ??= new PublishedFile(
      JSON.stringify({ ...(JSON.parse(gunzipSync(compressed).toString()) as object), servers }),
    )
    if (!res.hasHeader('Access-Control-Allow-Origin')) res.setHeader('Access-Control-Allow-Origin', '*')
    await file.send(req, res, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'public, max-age=60',
    })
  }
}
