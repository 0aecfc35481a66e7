import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { transientError } from '../../subgraphs/kernel/database/transient-error.ts'
import { errorTypeOf, isErrorCode, statusOfCode } from '../../subgraphs/kernel/errors.ts'
import type { ErrorCode, FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { asClientsSee } from '../../subgraphs/kernel/own-load.ts'
import { setCode } from './exchange.ts'
import { pathOf } from './blocked-path.ts'
import { titleOfCode } from './titles.ts'

/** The body of every error response (RFC 9457). Some codes add members, such as `missingScopes` or `allowed`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly instance: string
  readonly requestId: string
  readonly errors?: readonly FieldProblem[]
  readonly [detail: string]: unknown
}

const refusals = new Counter({
  name: 'crm_refusals_total',
  help: 'Refused requests and operations by code, those without a readable request included.',
  labelNames: ['code'],
})

export interface ProblemAnswer {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>
}

interface Explained {
  readonly code: ErrorCode
  readonly detail: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Members of `extensions` that are not sent: internals that GraphQL servers add, and values that are sent as headers instead. */
const unsentMembers = new Set([
  'code',
  'retryAfter',
  'allow',
  'stacktrace',
  'exception',
  'serviceName',
  'http',
  'requestId',
])

const retryAfterOfCode: Partial<Record<ErrorCode, number>> = {
  IDEMPOTENCY_IN_PROGRESS: 1,
  CONCURRENCY_LIMIT_REACHED: 1,
  UNAVAILABLE: 1,
}

export const newRequestId = (): string => `req_${randomUUID()}`

/** Null for a defect, which is an error that no caller can act on. */
function explain(error: unknown): Explained | null {
  if (typeof error !== 'object' || error === null) return null
  const { extensions: given, message } = error as { extensions?: Readonly<Record<string, unknown>>; message?: unknown }
  const extensions = typeof given === 'object' && given !== null ? asClientsSee(given) : {}
  if (isErrorCode(extensions['code'])) {
    const { code } = extensions
    if (code === 'INTERNAL') return null
    return { code, detail: String(message), details: { ...extensions } }
  }
  // Express throws URIError for path parameters that cannot be decoded.
  if (error instanceof URIError) {
    const detail = 'The path must have valid percent-encoding.'
    const errors = [{ path: 'path', code: 'WRONG_FORMAT', message: detail }]
    return { code: 'VALIDATION_FAILED', detail, details: { errors } }
  }
  const transient = transientError(error)
  return transient && { code: transient.code, detail: transient.message, details: { ...transient.extensions } }
}

function headersOf(code: ErrorCode, details: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Cache-Control': 'no-store',
  }
  const retryAfter = details.retryAfter ?? retryAfterOfCode[code]
  if (retryAfter !== undefined) headers['Retry-After'] = `${Number(retryAfter)}`
  if (Array.isArray(details.allow)) headers.Allow = details.allow.join(', ')
  if (statusOfCode[code] === 401) headers['WWW-Authenticate'] = 'Bearer, ApiKey'
  return headers
}

/** The problem response for a `Refusal`, a formatted GraphQL error with one of our codes, or any other thrown value. */
export function problemOf(error: unknown, instance: string, requestId: string): ProblemAnswer {
  const explained = explain(error)
  const { code, detail, details } = explained ?? {
    code: 'INTERNAL' as const,
    detail: 'The request failed because of a server error; report the request id to support.',
    details: {},
  }
  refusals.inc({ code })
  const standard = {
    type: errorTypeOf(code),
    title: titleOfCode[code],
    status: statusOfCode[code],
    code,
    detail,
    instance,
    requestId,
  }
  const own = Object.entries(details).filter(([name]) => !unsentMembers.has(name) && !Object.hasOwn(standard, name))
  return { problem: { ...standard, ...Object.fromEntries(own) }, headers: headersOf(code, details) }
}

/** The problem response for an error in this exchange. A defect is logged with its cause; its response has only the request id. */
export function problemIn(
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  log: Pick<Logger, 'error'>,
): ProblemAnswer {
  const requestId = requestIdOf(res)
  const { originalUrl } = req as { originalUrl?: string }
  const answer = problemOf(error, pathOf(originalUrl ?? req.url ?? '/'), requestId)
  setCode(res, answer.problem.code)
  if (answer.problem.code === 'INTERNAL')
    log.error({ err: error, requestId, method: req.method, path: answer.problem.instance }, 'request failed')
  return answer
}

/** Sends the error as the response. */
export function writeProblem(
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  log: Pick<Logger, 'error'>,
): void {
  const { problem, headers } = problemIn(error, req, res, log)
  if (res.headersSent) {
    // Part of another response has been sent: only a closed connection tells the client that it is incomplete.
    res.destroy()
    return
  }
  res.statusCode = problem.status
  for (const [name, value] of Object.entries(headers))
    // A resource that says where its tokens come from has set it.
    if (name !== 'WWW-Authenticate' || !res.hasHeader(name)) res.setHeader(name, value)
  res.end(JSON.stringify(problem))
}

/** One id per request, stored in the response header. The X-Request-Id of the client is ignored. */
export function requestIdOf(res: ServerResponse): string {
  const known = res.getHeader('X-Request-Id')
  if (typeof known === 'string') return known
  const requestId = newRequestId()
  if (!res.headersSent) res.setHeader('X-Request-Id', requestId)
  return requestId
}
