import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { asClientsSee } from '../../subgraphs/kernel/own-load.ts'
import { pathOf } from '../edge/blocked-path.ts'
import { setDryRunApplied } from '../edge/dry-run.ts'
import { setCode } from '../edge/exchange.ts'
import { problemOf, requestIdOf } from '../edge/problem.ts'
import { sendJson } from '../edge/send-json.ts'
import type { GraphResult } from '../graph/graph.ts'
import type { MediaType } from './media-type.ts'

/** The body of an answer. `errors` comes first, so that readers see it before long data. */
export interface GraphQLAnswer {
  readonly errors?: readonly GraphQLFormattedError[]
  readonly data?: GraphResult['data']
  readonly extensions?: GraphResult['extensions']
}

export interface RefusedAnswer {
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly GraphQLFormattedError[]
}

/** A problem at a location in the document. */
type DocumentProblem = FieldProblem & { readonly line: number; readonly column: number }

const isDocumentProblem = (problem: FieldProblem): problem is DocumentProblem =>
  typeof problem['line'] === 'number' && typeof problem['column'] === 'number'

/** The answer for an error before execution: GraphQL errors with the message and the members of the REST error body. */
export function refusedAnswer(thrown: unknown, requestId: string): RefusedAnswer {
  const { problem, headers } = problemOf(thrown, '/', requestId)
  const { type: _type, title: _title, instance: _instance, status, detail, ...extensions } = problem
  const { code, errors: problems } = problem
  const inDocument = problems?.filter(isDocumentProblem) ?? []
  const retryAfter = Number(headers['Retry-After'])
  const errors =
    inDocument.length > 0
      ? inDocument.map(({ message, line, column }) => ({
          message,
          locations: [{ line, column }],
          extensions: { code, requestId },
        }))
      : [{ message: detail, extensions: { ...extensions, ...(retryAfter > 0 && { retryAfter }) } }]
  return { code, status, headers, errors }
}

/** The answer of an executed operation. Every error gets the request id. */
export function executedAnswer({ data, errors, extensions }: GraphResult, requestId: string): GraphQLAnswer {
  return {
    ...(errors && {
      errors: errors.map((error) => ({ ...error, extensions: { ...asClientsSee(error.extensions), requestId } })),
    }),
    data,
    ...(extensions && { extensions }),
  }
}

/** The key was used for another request, or its first request is still running: in both cases there is no answer to send. */
const refusalsOfKey = new Set<unknown>(['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'])

/** Sets `Idempotent-Replayed`. Throws the error if the whole mutation was refused because of its `Idempotency-Key`. */
export function setReplayedHeader(res: ServerResponse, { errors, replayed }: GraphResult): void {
  const refused = errors?.find(({ extensions }) => refusalsOfKey.has(extensions?.['code']))
  if (refused) throw refused
  if (replayed) res.setHeader('Idempotent-Replayed', 'true')
}

/** Sends the result. Throws the error if the whole mutation was refused because of its `Idempotency-Key`. */
export function writeExecuted(res: ServerResponse, mediaType: MediaType, result: GraphResult): void {
  setReplayedHeader(res, result)
  if (result.tried) setDryRunApplied(res, result.tried)
  const answer = executedAnswer(result, requestIdOf(res))
  if (answer.errors) setCode(res, answer.errors[0]?.extensions?.['code'])
  sendJson(res, 200, mediaType, {}, answer)
}

/** Sends the error with the status of its code. A defect is logged; its answer has only the request id. */
export function writeRefused(
  thrown: unknown,
  req: IncomingMessage & { readonly originalUrl?: string },
  res: ServerResponse,
  mediaType: MediaType,
  log: Pick<Logger, 'error'>,
): void {
  const requestId = requestIdOf(res)
  const { code, status, headers, errors } = refusedAnswer(thrown, requestId)
  setCode(res, code)
  if (code === 'INTERNAL') {
    log.error({ err: thrown, requestId, method: req.method, path: pathOf(req.originalUrl ?? '/') }, 'request failed')
  }
  if (res.headersSent) {
    res.destroy()
    return
  }
  sendJson(res, status, mediaType, headers, { errors })
}
