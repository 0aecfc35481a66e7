import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { admitDirectory, presentsScimToken, type FindScimToken } from '../edge/directory.ts'
import type { Admission } from '../edge/edge.ts'
import type { GraphResult } from '../graph/graph.ts'
import { asksForPage } from '../pages/pages.ts'
import { writeExecuted, writeRefused } from './answer.ts'
import { ApolloFront } from './apollo-front.ts'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import { cancellationOf } from '../edge/cancellation-of.ts'
import { claimOf } from '../edge/idempotency.ts'
import { jsonType, mediaTypeOf } from './media-type.ts'
import { namesPersistedQuery, readParameters, refuseUnreadable } from './parameters.ts'
import { permit } from './permit.ts'
import type { Ports } from './ports.ts'

export interface GraphqlHttpOptions extends Ports {
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
      const result = await execute(options, apollo, req, res, admission)
      writeExecuted(res, mediaType, result)
    } catch (thrown) {
      writeRefused(thrown, req, res, mediaType ?? jsonType, log)
    }
  }
  return (req, res, next) => {
    // Mounted at a path, Express also sends what lies below it.
    if (req.baseUrl !== '' && req.path !== '/') return next()
    res.setHeader('API-Version', apiVersion)
    return asksForPage(req) ? explorer(req, res, next) : serve(req, res)
  }
}

async function execute(
  options: GraphqlHttpOptions,
  apollo: ApolloFront,
  req: Request,
  res: Response,
  admission: Admission,
): Promise<GraphResult> {
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
  const idempotency = prepared.kind === 'mutation' ? claimOf(caller, req, raw) : null
  const cancellation = cancellationOf(prepared.kind, res)
  return options.graph.execute(prepared, variables, { caller, requestId, idempotency, cancellation })
}

const notAcceptable = (): Refusal =>
  new Refusal('NOT_ACCEPTABLE', 'Answers are application/json or application/graphql-response+json.')
