import { Router, type NextFunction, type Request, type Response } from 'express'
import { invalid, Refusal } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import { invalidValuesIn } from '../edge/invalid-values.ts'
import { parseBody, readBody, refuseOtherThanJson } from '../edge/body.ts'
import { ownEventLoopTurn } from '../../subgraphs/kernel/work/turn.ts'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Edge } from '../edge/edge.ts'
import { presentedBy } from '../edge/presented.ts'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import { StreamSlots } from '../edge/stream-slots.ts'
import { answerIn, ElicitationMark, waitingQuestions } from './confirmation.ts'
import { serveMessage, type McpOptions } from './serve.ts'

export interface McpRouterOptions extends McpOptions {
  readonly edge: Pick<Edge, 'admit' | 'spend' | 'refuse'>
  readonly scopes: readonly string[]
  readonly issuer: () => Promise<string>
  /** Whether pages of another origin may call. */
  readonly permitsOrigin: (origin: string) => boolean
  /** Signs the ids of sessions; must be the same in every process. */
  readonly secret: Buffer
}

const path = '/mcp'
const metadataPath = '/.well-known/oauth-protected-resource'
const bodyBytesMax = 262_144
const bounds = { whole: 'The body', levelsMax: 64, tooDeep: 'The body must have at most 64 levels.' }
const sessionHeader = 'mcp-session-id'

/** Tools for agents by the Model Context Protocol, streamable HTTP, and the metadata of the protected resource (RFC 9728). */
export function mcpRouter(options: McpRouterOptions): Router {
  const { edge, scopes, issuer, publicUrl } = options
  const marks = new ElicitationMark(options.secret)
  const places = new StreamSlots(waitingQuestions)

  /** The specification of MCP demands it against DNS rebinding. Programs send no origin. */
  async function refuseOtherOrigins({ headers: { origin } }: Request): Promise<void> {
    if (origin === undefined || options.permitsOrigin(origin) || origin === new URL(await publicUrl()).origin) return
    throw new Refusal('PERMISSION_DENIED', 'Pages of this origin may not call the API.')
  }

  async function receive(req: Request, res: Response): Promise<void> {
    await refuseOtherOrigins(req)
    const { kind } = presentedBy(req.headers)
    // A page of another site can make a browser send its cookie, so a cookie is no credential here.
    if (kind === 'COOKIE' || kind === 'NONE')
      throw new Refusal('UNAUTHENTICATED', 'Send an API key or an OAuth access token.')
    const admission = await edge.admit(req, res)
    const { caller, requestId } = admission
    if (caller.kind !== 'API_KEY' && caller.kind !== 'OAUTH')
      throw new Refusal('UNAUTHENTICATED', 'Send an API key or an OAuth access token.')
    refuseOtherThanJson(req.headers)
    await edge.spend(admission, res)
    const message = parseBody(await readBody(req, caller.organizationId, bodyBytesMax))
    const problems = invalidValuesIn(message, bounds)
    if (problems.length > 0) throw invalid(...problems)
    if (!isJsonObject(message)) throw new Refusal('VALIDATION_FAILED', 'The body must be one JSON-RPC message.')
    const cancellation = new Cancellation()
    res.once('close', () => cancellation.cancel())
    const operation = { caller, requestId, idempotency: null, cancellation }
    const answer = answerIn(message)
    if (answer) {
      await options.tools.answer(operation, answer.question, answer.answer)
      res.status(202).end()
      return
    }
    const params = isJsonObject(message['params']) ? message['params'] : {}
    const capabilities = isJsonObject(params['capabilities']) ? params['capabilities'] : {}
    if (message['method'] === 'initialize' && isJsonObject(capabilities['elicitation']))
      res.setHeader(sessionHeader, marks.of(caller.credentialId))
    const canAsk = marks.isOf(caller.credentialId, req.headers[sessionHeader])
    // Reading a message takes some milliseconds, so that many at once would delay all other requests.
    await ownEventLoopTurn(caller.organizationId)
    if (res.closed) return
    await serveMessage(options, { req, res, message, operation, places: canAsk ? places : null })
  }

  const router = Router({ caseSensitive: true })
  router.get([metadataPath, metadataPath + path], async (_req, res) => {
    res.set({ 'Cache-Control': 'public, max-age=300' })
    if (!res.hasHeader('Access-Control-Allow-Origin')) res.set('Access-Control-Allow-Origin', '*')
    res.json({
      resource: `${await publicUrl()}${path}`,
      authorization_servers: [await issuer()],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'CRM tools',
    })
  })
  router.all([metadataPath, metadataPath + path], refuseOtherThan('GET', 'HEAD'))
  router.post(path, receive)
  router.all(path, refuseOtherThan('POST'))
  router.use([path, metadataPath], async (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    if (error instanceof Refusal && error.status === 401) {
      const metadata = `resource_metadata="${await publicUrl()}${metadataPath}${path}"`
      const wrong = presentedBy(req.headers).kind === 'BEARER' ? 'error="invalid_token", ' : ''
      res.setHeader('WWW-Authenticate', `Bearer ${wrong}${metadata}`)
    }
    edge.refuse(error, req, res)
  })
  return router
}
