import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { readBody } from '../../gateway/edge/body.ts'
import { cancellationOf } from '../../gateway/edge/cancellation-of.ts'
import type { Edge } from '../../gateway/edge/edge.ts'
import { admitDirectory, presentsScimToken, type FindScimToken } from '../../gateway/edge/directory.ts'
import { dryRunOf } from '../../gateway/edge/dry-run.ts'
import { exchangeOf } from '../../gateway/edge/exchange.ts'
import { requestIdOf } from '../../gateway/edge/problem.ts'
import { sendJson } from '../../gateway/edge/send-json.ts'
import { notInDryRun } from '../../subgraphs/kernel/dry-run.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { withNearestNumbers } from '../../subgraphs/kernel/json/exact-json.ts'
import { readJson } from '../body.ts'
import type { EdgePort, GraphPort } from '../ports.ts'
import { mediaType, ScimRefusal, writeScimError } from './scim-error.ts'
import { isObject, type Attributes } from './values.ts'

export const scimBase = '/v1/scim/v2'

export interface ScimOptions {
  readonly edge: EdgePort & Pick<Edge, 'finished'>
  /** Sent as API-Version with every response. */
  readonly apiVersion: string
  readonly graph: GraphPort
  readonly findToken: FindScimToken
  /** The base URL of links. The Host header is not used, because the client controls it. */
  readonly publicUrl: () => Promise<string>
  /** Receives every defect. */
  readonly onDefect: (thrown: unknown, requestId: string) => void
}

export interface Answer {
  readonly status: number
  readonly body?: object
}

export type ScimHandler = (call: Call) => Promise<Answer> | Answer

export interface Call {
  readonly req: Request
  readonly base: string
  body(): Promise<Attributes>
  run<T>(document: string, variables?: Record<string, unknown>): Promise<T>
}

/** `operation` is the name of the request in the API usage of the organization. */
export type Serve = (operation: string, handle: ScimHandler) => RequestHandler

interface ServedOperation {
  readonly operation: string
  readonly handle: ScimHandler
}

export async function answer(
  options: ScimOptions,
  { operation, handle }: ServedOperation,
  req: Request,
  res: ServerResponse,
): Promise<void> {
  const requestId = requestIdOf(res)
  const exchange = exchangeOf(res)
  if (exchange) exchange.operation = operation
  res.setHeader('API-Version', options.apiVersion)
  try {
    const caller = await callerOf(options, operation, req, res)
    if (req.method !== 'GET' && dryRunOf(req)) throw notInDryRun()
    const run = async <T>(document: string, variables: Record<string, unknown> = {}): Promise<T> => {
      const prepared = options.graph.prepare(document)
      options.graph.authorize(prepared, caller)
      const context = { caller, requestId, idempotency: null, cancellation: cancellationOf(prepared.kind, res) }
      const { data, errors } = await options.graph.execute(prepared, variables, context)
      if (errors?.[0]) throw errors[0]
      return data?.['result'] as T
    }
    const base = `${await options.publicUrl()}${scimBase}`
    const { status, body } = await handle({ req, base, body: () => bodyOf(req), run })
    const location = status === 201 && (body as { meta?: { location?: string } }).meta?.location
    if (location) res.setHeader('Location', location)
    if (body) sendJson(res, status, mediaType, {}, body)
    else res.writeHead(status, { 'Cache-Control': 'no-store' }).end()
  } catch (thrown) {
    const isDefect = !(thrown instanceof ScimRefusal) && !isCoded(thrown)
    if (isDefect) options.onDefect(thrown, requestId)
    writeScimError(thrown, req, res, requestId)
  }
}

const isCoded = (thrown: unknown): boolean =>
  typeof (thrown as { extensions?: { code?: unknown } } | null)?.extensions?.code === 'string'

/** Applies the rate limits and authentication of every request; then it accepts only SCIM tokens. */
async function callerOf(
  { edge, findToken }: ScimOptions,
  operation: string,
  req: Request,
  res: ServerResponse,
): Promise<Caller> {
  const { headers, socket, originalUrl } = req
  if (!presentsScimToken(headers)) {
    await edge.admit({ headers, socket, originalUrl }, res)
    throw new Refusal('UNAUTHENTICATED', 'Send a SCIM token: Authorization: Bearer scim_...')
  }
  const { usage, caller } = await admitDirectory(edge, findToken, { headers, socket, originalUrl }, res)
  usage!.operation = operation
  return caller
}

async function bodyOf(req: IncomingMessage): Promise<Attributes> {
  const body = withNearestNumbers(readJson(await readBody(req), req.headers))
  if (!isObject(body)) throw new ScimRefusal('invalidSyntax', 'The body must be a JSON object.')
  return body
}
