import { Router, type NextFunction, type Request, type Response } from 'express'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { anonymous } from '../../subgraphs/kernel/context.ts'
import { Refusal, statusOfCode, isErrorCode } from '../../subgraphs/kernel/errors.ts'
import { clientAddress, userAgentOf } from '../edge/address.ts'
import type { Edge } from '../edge/edge.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { Graph } from '../graph/graph.ts'
import { formOf, sendPage, setPageHeaders } from '../pages/plain-page.ts'
import { acceptDocument, documentDocument, rejectDocument, viewDocument, type ShownQuote } from './documents.ts'
import { missingPage, quotePage } from './page.ts'

export interface PublicQuotesOptions {
  readonly config: Pick<Config, 'ipLimits' | 'trustProxy'>
  readonly edge: Pick<Edge, 'enforceRouteLimits' | 'refuse'>
  readonly graph: Pick<Graph, 'prepare' | 'execute'>
}

const base = '/v1/public/quotes'

interface Outcome<Result = ShownQuote> {
  readonly result: Result | null
  /** The refusal of the operation: its code and message. */
  readonly problem: { readonly code: string; readonly message: string } | null
}

/**
 * The page on which a customer reads, accepts and rejects a quote. The secret in its path is the only credential: cookies and keys
 * of the request are ignored, so a page of another site can do nothing with them.
 */
export function publicQuotesRouter(options: PublicQuotesOptions): Router {
  const { edge, config, graph } = options

  async function run<Result = ShownQuote>(
    req: Request,
    res: Response,
    document: string,
    variables: object = {},
  ): Promise<Outcome<Result>> {
    const caller = anonymous({ ip: clientAddress(req, config.trustProxy), userAgent: userAgentOf(req) })
    const context = { caller, requestId: requestIdOf(res), idempotency: null }
    const token = String(req.params['token'])
    const { data, errors } = await graph.execute(graph.prepare(document), { ...variables, token }, context)
    const [error] = errors ?? []
    const problem = error ? { code: String(error.extensions?.['code']), message: error.message } : null
    return { result: (data?.['result'] as Result | null | undefined) ?? null, problem }
  }

  /** Shows the quote after an operation. After a form that was not valid, the page says what to correct. */
  async function show(req: Request, res: Response, document: string, variables: object = {}): Promise<void> {
    const { result, problem } = await run(req, res, document, variables)
    const path = `${base}/${String(req.params['token'])}`
    if (result) return sendPage(res, 200, quotePage(result, path))
    if (problem?.code === 'NOT_FOUND') return sendPage(res, 404, missingPage())
    if (problem?.code !== 'VALIDATION_FAILED') throw refusalOf(problem)
    const shown = await run(req, res, viewDocument)
    if (shown.result) sendPage(res, 400, quotePage(shown.result, path, problem.message))
    else sendPage(res, 404, missingPage())
  }

  async function sendDocument(req: Request, res: Response): Promise<void> {
    const { result, problem } = await run<{ filename: string; content: string }>(req, res, documentDocument)
    if (problem?.code === 'NOT_FOUND') return sendPage(res, 404, missingPage())
    if (!result) throw refusalOf(problem)
    setPageHeaders(res)
    res.attachment(result.filename).type('application/pdf').send(Buffer.from(result.content, 'base64'))
  }

  const router = Router({ caseSensitive: true })
  router.use(base, async (req, _res, next) => {
    await edge.enforceRouteLimits(req, 'public-quotes', config.ipLimits)
    next()
  })
  const page = `${base}/:token`
  // HEAD would be answered by GET, but a program that only looks at the link must not count as a reader.
  router.head(page, refuseOtherThan('GET'))
  router.get(page, (req, res) => show(req, res, viewDocument))
  router.all(page, refuseOtherThan('GET'))
  router.head(`${page}/document`, refuseOtherThan('GET'))
  router.get(`${page}/document`, sendDocument)
  router.all(`${page}/document`, refuseOtherThan('GET'))
  router.post(`${page}/accept`, async (req, res) => {
    const form = await formOf(req)
    await show(req, res, acceptDocument, { name: form.get('name') ?? '', consent: form.get('consent') === 'yes' })
  })
  router.post(`${page}/reject`, async (req, res) => {
    const form = await formOf(req)
    await show(req, res, rejectDocument, { reason: form.get('reason') })
  })
  router.all([`${page}/accept`, `${page}/reject`], refuseOtherThan('POST'))
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) => edge.refuse(error, req, res))
  return router
}

const refuseOtherThan = (method: string) => (): never => {
  throw new Refusal('METHOD_NOT_ALLOWED', `Send ${method}.`, { allow: [method] })
}

/** The refusal of the graph, with its code; without a code of ours it is a defect. */
const refusalOf = (problem: Outcome<unknown>['problem']): Error =>
  problem && isErrorCode(problem.code) && statusOfCode[problem.code] !== 500
    ? new Refusal(problem.code, problem.message)
    : new Error(problem?.message ?? 'The quote has neither a result nor an error.')
