import type { Request, Response } from 'express'
import inject from 'light-my-request'
import { spendAutomationCall } from '../subgraphs/kernel/automation/automation-limit.ts'
import type { Caller } from '../subgraphs/kernel/context.ts'
import { notFound, Refusal } from '../subgraphs/kernel/errors.ts'
import { largestLimits, usualLimits } from '../subgraphs/kernel/operation-limits.ts'
import type { Services } from '../subgraphs/kernel/request.ts'
import type {
  RestAnswer,
  RestCall,
  RestOperationInfo,
  RestPort,
  RestRequest,
} from '../subgraphs/kernel/rest-port/rest-port.ts'
import { scopesToGrant } from '../subgraphs/kernel/scope-areas.ts'
import type { Contract } from './contract.ts'
import { refusingBulkHandlers } from './bulk-content.ts'
import { refusingFileHandlers } from './file-content.ts'
import { eventCatalogHandlers } from './event-catalog.ts'
import { InProcessEdge } from './in-process-edge.ts'
import { operationsIn } from './operations-in.ts'
import type { GraphPort } from './ports.ts'
import { restRoutes, type RestRoutes } from './routes.ts'

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const pathCharactersMax = 8_192

/** REST as subgraphs use it: the routes of clients, behind an edge that knows the caller. */
export async function restPort(contract: Contract, graph: GraphPort & object, services: Services): Promise<RestPort> {
  const { clock, log, settings } = services
  const edge = new InProcessEdge(log)
  const routes = await restRoutes({
    contract,
    publicUrl: () => Promise.resolve(settings.publicUrl),
    edge,
    graph,
    shapes: services.shapes,
    clock,
    // No call is counted for a credential, so there is nobody to tell of a deprecated operation.
    deprecatedCalls: { record: () => {} },
    streams: null,
    customHandlers: new Map([...eventCatalogHandlers(graph), ...refusingFileHandlers, ...refusingBulkHandlers]),
  })
  const described = operationInfos(contract)
  return {
    operations: () => Promise.resolve(described),
    async call(request, caller, call) {
      const prepared = preparedRequest(request)
      await spendAutomationCall(services, caller)
      return answerOf(await served({ routes, edge, version: contract.version }, prepared, caller, call))
    },
  }
}

function operationInfos({ document }: Contract): RestOperationInfo[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    operationsIn(item).flatMap(([method, operation]): RestOperationInfo[] => {
      const { operationId: id, summary = '', deprecated, 'x-alias-of': original } = operation
      const { 'x-api-key-scopes': listed, 'x-required-roles': roles = null, 'x-every-role': everyRole } = operation
      const isForKeys = operation['x-api-key-blocked'] !== true
      if (original !== undefined) return []
      const isDeprecated = deprecated ?? false
      const scopes = scopesToGrant(listed)
      const isForReaders = method === 'get' || everyRole === true
      const info = {
        id,
        method: method.toUpperCase() as RestRequest['method'],
        path,
        summary,
        scopes,
        isForKeys,
        roles,
      }
      return [{ ...info, isForReaders, isDeprecated }]
    }),
  )
}

interface Prepared {
  readonly method: string
  readonly url: string
  readonly payload: string | undefined
}

interface Served {
  readonly routes: RestRoutes
  readonly edge: InProcessEdge
  readonly version: string
}

/** The path is normalised as clients do it, so that `..` leads to no other part of the platform. */
function preparedRequest({ method, path, body }: RestRequest): Prepared {
  if (!methods.has(method))
    throw new Refusal('METHOD_NOT_ALLOWED', `The method must be one of: ${[...methods].join(', ')}.`)
  const isPlain = typeof path === 'string' && path.length <= pathCharactersMax && /^\/v1\/[\x21-\x7e]*$/.test(path)
  const url = isPlain ? URL.parse(path, 'http://localhost') : null
  if (!url?.pathname.startsWith('/v1/')) throw notFound('This path')
  const payload = method === 'GET' || body === undefined ? undefined : JSON.stringify(body)
  const { bodyBytes } = largestLimits
  if (payload !== undefined && Buffer.byteLength(payload) > bodyBytes)
    throw new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${bodyBytes} bytes.`)
  return { method, url: `${url.pathname}${url.search}`, payload }
}

async function served(
  { routes, edge, version }: Served,
  { method, url, payload }: Prepared,
  caller: Caller,
  { requestId, idempotencyKey, dryRun, timeoutMs }: RestCall,
): Promise<inject.Response> {
  let isLate = false
  let timer: NodeJS.Timeout | undefined
  const headers = {
    ...(payload !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
    ...(dryRun && { prefer: 'dry-run' }),
  }
  const serve: inject.DispatchFunc = (incoming, outgoing) => {
    const [req, res] = [incoming as Request, outgoing as Response]
    edge.begin(req, res, caller, requestId)
    res.setHeader('API-Version', version)
    // As if the client had left: a read is cancelled, and a change goes on.
    timer = setTimeout(() => {
      isLate = true
      res.destroy()
    }, timeoutMs)
    req.originalUrl = req.url
    req.baseUrl = ''
    const unknown = (thrown?: unknown): void => edge.refuse(thrown ?? notFound('This path'), req, res)
    const area = routes.areaOf(req)
    if (area) area(req, res, unknown)
    else unknown()
  }
  try {
    return await inject(serve, { method, url, headers, payload: payload ?? '' })
  } catch (error) {
    if (!isLate) throw error
    const made =
      method === 'GET' || dryRun
        ? 'Nothing has been changed.'
        : idempotencyKey === null
          ? 'A change may have been made.'
          : 'A change may have been made; repeat it with the same idempotency key.'
    throw new Refusal('UNAVAILABLE', `The operation did not answer within ${timeoutMs} ms. ${made}`, { retryAfter: 1 })
  } finally {
    clearTimeout(timer)
  }
}

/** The body of a file is its base64 text. */
function answerOf({ statusCode: status, headers, rawPayload }: inject.Response): RestAnswer {
  const { answerBytes } = usualLimits
  if (rawPayload.length > answerBytes)
    throw new Refusal('ANSWER_TOO_LARGE', `The answer must have at most ${answerBytes} bytes; ask for fewer records.`)
  const isJson = /json/.test(String(headers['content-type']))
  const text = rawPayload.toString(isJson ? 'utf8' : 'base64')
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return {
    status,
    headers: Object.fromEntries(texts) as Record<string, string>,
    body: rawPayload.length === 0 ? null : isJson ? JSON.parse(text) : text,
  }
}
