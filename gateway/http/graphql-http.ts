import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { cancellationOnDisconnect, type Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { IncomingRequest } from '../edge/address.ts'
import { admitDirectory, presentsScimToken, type FindScimToken } from '../edge/directory.ts'
import type { Admission } from '../edge/edge.ts'
import type { GraphResult } from '../graph/graph.ts'
import { isPageRequest } from '../pages/pages.ts'
import { setReplayedHeader, writeExecuted, writeRefused } from './answer.ts'
import { ApolloFront } from './apollo-front.ts'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import { cancellationOf } from '../edge/cancellation-of.ts'
import { claimOf } from '../edge/idempotency.ts'
import { failedResult, isSentAsEvent, singleResult, writeStream, type GraphqlStreamOptions } from './graphql-stream.ts'
import { writeMultipart } from './graphql-multipart.ts'
import { jsonType, mediaTypeOf, multipartType, singleTypeOf, streamType, type MediaType } from './media-type.ts'
import { namesPersistedQuery, readParameters, refuseUnreadable } from './parameters.ts'
import { admitOperation } from './admit-operation.ts'
import { preferencesOf } from './preferences.ts'
import type { Ports } from './ports.ts'

export interface GraphqlHttpOptions extends Ports, GraphqlStreamOptions {
  /** Finds SCIM tokens, because the directory of an organization may use GraphQL as well. */
  readonly findToken: FindScimToken
  /** The page for browsers that open the endpoint. */
  readonly explorer: RequestHandler
  /** Sent as API-Version with every answer. */
  readonly apiVersion: string
  readonly log: Logger
  /** False only in comparison tests: every operation then runs through Apollo Server. */
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
      if (mediaType === multipartType) return await executeAsMultipart(options, apollo, req, res, admission)
      const result = await execute(options, apollo, req, res, admission)
      writeExecuted(res, mediaType, result as GraphResult)
    } catch (thrown) {
      writeRefused(thrown, req, res, refusalTypeOf(req, mediaType), log)
    }
  }
  return (req, res, next) => {
    // Express also routes the paths below the mount path here.
    if (req.baseUrl !== '' && req.path !== '/') return next()
    res.setHeader('API-Version', apiVersion)
    return isPageRequest(req) ? explorer(req, res, next) : serve(req, res)
  }
}

type ResultStream = AsyncGenerator<GraphResult>

/** Executes the request. A subscription is refused unless `streamCancellation` is given, which ends it. */
async function execute(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
  streamCancellation: Cancellation | null = null,
): Promise<GraphResult | ResultStream> {
  if (req.method === 'GET') return apollo.run({ req, res, admission, posted: null })
  if (req.method !== 'POST') {
    throw new Refusal('METHOD_NOT_ALLOWED', 'Send operations with GET or POST.', { allow: ['GET', 'POST'] })
  }
  refuseOtherThanJson(req.headers)
  const raw = await readBody(req, admission.caller.organizationId)
  const parameters = readParameters(parseBody(raw))
  const { query, operationName, variables, extensions } = parameters
  if (query === null || namesPersistedQuery(extensions) || options.direct === false) {
    return apollo.run({ req, res, admission, posted: { parameters, raw } })
  }
  const prepared = await admitOperation(options, admission, query, operationName, res)
  refuseUnreadable(variables)
  const { caller, requestId } = admission
  if (streamCancellation && prepared.kind === 'subscription') {
    const currentCaller = currentCallerOf(options.edge, req)
    const operation = { document: query, operationName, prepared, variables }
    const context = { caller, requestId, currentCaller, cancellation: streamCancellation }
    return options.subscriptions.open({ ...operation, ...context })
  }
  const idempotency = prepared.kind === 'mutation' ? claimOf(caller, req, raw) : null
  const cancellation = cancellationOf(prepared.kind, res)
  const context = { caller, requestId, idempotency, cancellation, ...preferencesOf(prepared, req, res) }
  return options.graph.execute(prepared, variables, context)
}

/** Answers with a stream of events: all results of a subscription, or the one result of another operation. */
async function executeAsStream(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
): Promise<void> {
  const cancellation = cancellationOnDisconnect(res)
  let results: ResultStream
  try {
    const result = await execute(options, apollo, req, res, admission, cancellation)
    if ('next' in result) {
      // A subscription may last for days, so it is reported as answered when it begins.
      options.edge.finished(admission, 200)
      results = result
    } else {
      setReplayedHeader(res, result)
      results = singleResult(result)
    }
  } catch (thrown) {
    if (!isSentAsEvent(thrown, admission.requestId)) throw thrown
    results = failedResult(thrown)
  }
  await writeStream(res, results, cancellation, options)
}

/** Answers a subscription with the parts of `writeMultipart`. Another operation, and a refused subscription, are answered in JSON. */
async function executeAsMultipart(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
): Promise<void> {
  const cancellation = cancellationOnDisconnect(res)
  const result = await execute(options, apollo, req, res, admission, cancellation)
  if (!('next' in result)) return writeExecuted(res, singleTypeOf(req), result)
  options.edge.finished(admission, 200)
  await writeMultipart(res, result, cancellation, options)
}

/** Checks the credential again. The address is copied, because a closed socket no longer has it. */
function currentCallerOf(edge: Ports['edge'], { headers, socket, method, originalUrl }: Request) {
  const incoming: IncomingRequest = { headers, socket: { remoteAddress: socket.remoteAddress }, method, originalUrl }
  return () => edge.currentCaller(incoming)
}

function refusalTypeOf(req: Request, wanted: MediaType | null): MediaType {
  if (wanted === multipartType) return singleTypeOf(req)
  return wanted === null || wanted === streamType ? jsonType : wanted
}

const notAcceptable = (): Refusal =>
  new Refusal(
    'NOT_ACCEPTABLE',
    'Accept must allow application/json, application/graphql-response+json, text/event-stream or, for subscriptions, multipart/mixed;subscriptionSpec=1.0.',
  )
