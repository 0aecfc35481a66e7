import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { parseBody, readBody, refuseOtherThanJson } from '../../gateway/edge/body.ts'
import type { Edge } from '../../gateway/edge/edge.ts'
import { requestIdOf } from '../../gateway/edge/problem.ts'
import { statusSent } from '../../gateway/edge/usage.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { looksLikeScimToken, scimTokenHash, type ScimTokenRecord } from '../../subgraphs/kernel/scim-token.ts'
import { refusalOf, unfitIn } from '../body.ts'
import type { EdgePort, GraphPort } from '../ports.ts'
import { mediaType, ScimRefusal, writeScimError } from './scim-error.ts'
import { isObject, type Attributes } from './values.ts'

export const scimBase = '/v1/scim/v2'

export interface ScimOptions {
  readonly edge: EdgePort & Pick<Edge, 'finished'>
  /** Sent as API-Version with every answer. */
  readonly apiVersion: string
  readonly graph: GraphPort
  /** The token as it stands now, by the SHA-256 of what was presented. */
  readonly findToken: (hash: string) => Promise<ScimTokenRecord | null>
  /** Told of what went wrong on our side. */
  readonly onDefect: (thrown: unknown, requestId: string) => void
}

export interface Answer {
  readonly status: number
  readonly body?: object
}

export type Work = (call: Call) => Promise<Answer> | Answer

export interface Call {
  readonly req: Request
  readonly base: string
  body(): Promise<Attributes>
  run<T>(document: string, variables?: Record<string, unknown>): Promise<T>
}

/** `operation` is what a request is called in the usage of the organization. */
export type Serve = (operation: string, work: Work) => RequestHandler

const bearer = /^bearer +(\S+)$/i

interface Served {
  readonly operation: string
  readonly work: Work
}

export async function answer(
  options: ScimOptions,
  { operation, work }: Served,
  req: Request,
  res: ServerResponse,
): Promise<void> {
  const requestId = requestIdOf(res)
  res.setHeader('API-Version', options.apiVersion)
  try {
    const caller = await callerOf(options, operation, req, res)
    const run = async <T>(document: string, variables: Record<string, unknown> = {}): Promise<T> => {
      const prepared = options.graph.prepare(document)
      options.graph.authorize(prepared, caller)
      const context = { caller, requestId, idempotency: null }
      const { data, errors } = await options.graph.execute(prepared, variables, context)
      if (errors?.[0]) throw errors[0]
      return data?.['result'] as T
    }
    const { status, body } = await work({ req, base: baseOf(req), body: () => bodyOf(req), run })
    res.statusCode = status
    res.setHeader('Cache-Control', 'no-store')
    const location = status === 201 && (body as { meta?: { location?: string } }).meta?.location
    if (location) res.setHeader('Location', location)
    if (body) res.setHeader('Content-Type', mediaType)
    res.end(body && JSON.stringify(body))
  } catch (thrown) {
    const isDefect = !(thrown instanceof ScimRefusal) && !isCoded(thrown)
    if (isDefect) options.onDefect(thrown, requestId)
    writeScimError(thrown, req, res, requestId)
  }
}

const isCoded = (thrown: unknown): boolean =>
  typeof (thrown as { extensions?: { code?: unknown } } | null)?.extensions?.code === 'string'

/** As the client reached us. */
const baseOf = ({ headers, protocol }: Request): string => `${protocol}://${headers.host ?? 'localhost'}${scimBase}`

/** Whoever comes is judged as everywhere; then nothing but the token of a directory is let in. */
async function callerOf(
  { edge, findToken }: ScimOptions,
  operation: string,
  req: Request,
  res: ServerResponse,
): Promise<Caller> {
  const startedMs = performance.now()
  const [, token = ''] = bearer.exec(req.headers.authorization ?? '') ?? []
  const isScim = looksLikeScimToken(token) && req.headers['x-api-key'] === undefined
  const { authorization: _token, cookie: _cookie, ...others } = req.headers
  const { socket, originalUrl } = req
  const admission = await edge.admit({ headers: isScim ? others : req.headers, socket, originalUrl }, res)
  const hash = isScim ? scimTokenHash(token) : null
  const record = hash === null ? null : await findToken(hash)
  if (!record) throw new Refusal('UNAUTHENTICATED', 'A SCIM token is needed: Authorization: Bearer scim_...')
  if (record.organizationSuspended) throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  const { id, organizationId } = record
  const counted = { kind: 'SCIM_TOKEN', id, organizationId, userId: nobody } as const
  res.once('close', () => edge.finished({ ...admission, usage: { counted, operation, startedMs } }, statusSent(res)))
  return {
    ...admission.caller,
    kind: 'SCIM',
    organizationId,
    userId: nobody,
    role: 'ADMIN',
    visibility: 'ALL',
    ownerIds: null,
    credentialId: id,
  }
}

const nobody = '00000000-0000-0000-0000-000000000000'

async function bodyOf(req: IncomingMessage): Promise<Attributes> {
  const raw = await readBody(req)
  refuseOtherThanJson(req.headers, { suffixed: true })
  const body = parseBody(raw)
  const unfit = unfitIn(body)
  if (unfit.length > 0) throw refusalOf(unfit)
  if (!isObject(body)) throw new ScimRefusal('invalidSyntax', 'The body is a JSON object.')
  return body
}
