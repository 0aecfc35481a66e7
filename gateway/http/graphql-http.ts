import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { cancellationBy, type Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { IncomingRequest } from '../edge/address.ts'
import { admitDirectory, presentsScimToken, type FindScimToken } from '../edge/directory.ts'
import type { Admission } from '../edge/edge.ts'
import type { GraphResult } from '../graph/graph.ts'
import { asksForPage } from '../pages/pages.ts'
import { noteReplay, writeExecuted, writeRefused } from './answer.ts'
import { ApolloFront } from './apollo-front.ts'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import { cancellationOf } from '../edge/cancellation-of.ts'
import { claimOf } from '../edge/idempotency.ts'
import { failing, isToldInStream, onlyResult, writeStream, type GraphqlStreamOptions } from './graphql-stream.ts'
import { jsonType, mediaTypeOf, streamType } from './media-type.ts'
import { namesPersistedQuery, readParameters, refuseUnreadable } from './parameters.ts'
import { permit } from './permit.ts'
import type { Ports } from './ports.ts'

export interface GraphqlHttpOptions extends Ports, GraphqlStreamOptions {
  /** A directory may ask for what SCIM does here as well. */
  readonly findToken: FindScimToken
  /** Answers a browser that navigates here. */
  readonly explorer: RequestHandler
  /** Sent as API-Version with every answer. */
  readonly apiVersion: string
  readonly log: Logger
  /** Off only to compare: every operation then goes through Apollo Server. */
  readonly direct?: boolean
}

/** GraphQL over HTTP. Mount it at its paths for all methods. */
export function graphqlHttp(options: GraphqlHttpOptions): RequestHandler {
  const { explorer, apiVersion, edge, findToken, log } = options
  const apollo = new ApolloFront(options, log)
  const serve = async (req: Request, res: Response): Promise<void> => {
    const mediaType = mediaTypeOf(req)
    try {
      const isDirectory = presentsScimToken(req.headers)
      const admission = await (isDirectory ? admitDirectory(edge, findToken, req, res) : edge.admit(req, res))
      if (admission.usage) admission.usage.operation = 'graphql'
      if (mediaType === null) throw notAcceptable()
      if (mediaType === streamType) return await executeAsStream(options, apollo, req, res, admission)
      const result = await execute(options, apollo, req, res, admission)
      writeExecuted(res, mediaType, result as GraphResult)
    } catch (thrown) {
      writeRefused(thrown, req, res, mediaType === null || mediaType === streamType ? jsonType : mediaType, log)
    }
  }
  return (req, res, next) => {
    // Mounted at a path, Express also sends what lies below it.
    if (req.baseUrl !== '' && req.path !== '/') return next()
    res.setHeader('API-Version', apiVersion)
    return asksForPage(req) ? explorer(req, res, next) : serve(req, res)
  }
}

type Results = AsyncGenerator<GraphResult>

/** One result, or those of a subscription where `live` can end them; without it a subscription is refused. */
async function execute(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
  live: Cancellation | null = null,
): Promise<GraphResult | Results> {
  if (req.method === 'GET') return apollo.run({ req, res, admission, posted: null })
  if (req.method !== 'POST') {
    throw new Refusal('METHOD_NOT_ALLOWED', 'Operations are sent with GET or POST.', { allow: ['GET', 'POST'] })
  }
  refuseOtherThanJson(req.headers)
  const raw = await readBody(req)
  const parameters = readParameters(parseBody(raw))
  const { query, operationName, variables, extensions } = parameters
  if (query === null || namesPersistedQuery(extensions) || options.direct === false) {
    return apollo.run({ req, res, admission, posted: { parameters, raw } })
  }
  const prepared = await permit(options, admission, query, operationName, res)
  refuseUnreadable(variables)
  const { caller, requestId } = admission
  if (live && prepared.kind === 'subscription') {
    const currentCaller = currentCallerOf(options.edge, req)
    const operation = { document: query, operationName, prepared, variables }
    return options.subscriptions.open({ ...operation, caller, requestId, currentCaller, cancellation: live })
  }
  const idempotency = prepared.kind === 'mutation' ? claimOf(caller, req, raw) : null
  const cancellation = cancellationOf(prepared.kind, res)
  return options.graph.execute(prepared, variables, { caller, requestId, idempotency, cancellation })
}

/** The answer as a stream of events: of a subscription as long as it lives, of anything else with one result. */
async function executeAsStream(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
): Promise<void> {
  const cancellation = cancellationBy(res)
  let results: Results
  try {
    const result = await execute(options, apollo, req, res, admission, cancellation)
    if ('next' in result) {
      // It may live for days: it counts as answered when it begins.
      options.edge.finished(admission, 200)
      results = result
    } else {
      noteReplay(res, result)
      results = onlyResult(result)
    }
  } catch (thrown) {
    if (!isToldInStream(thrown, admission.requestId)) throw thrown
    results = failing(thrown)
  }
  await writeStream(res, results, cancellation, options)
}

/** Asks again who calls. A closed socket forgets the address, so it is kept. */
function currentCallerOf(edge: Ports['edge'], { headers, socket, method, originalUrl }: Request) {
  const incoming: IncomingRequest = { headers, socket: { remoteAddress: socket.remoteAddress }, method, originalUrl }
  return () => edge.currentCaller(incoming)
}

const notAcceptable = (): Refusal =>
  new Refusal('NOT_ACCEPTABLE', 'Answers are application/json, application/graphql-response+json or text/event-stream.')
