import { Router, type NextFunction, type Request, type Response } from 'express'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { anonymous } from '../../subgraphs/kernel/context.ts'
import { Refusal, isErrorCode, statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import { isSignedBody } from '../../subgraphs/kernel/payment/webhook-signature.ts'
import { clientAddress, userAgentOf } from '../edge/address.ts'
import { readBody } from '../edge/body.ts'
import type { Edge } from '../edge/edge.ts'
import { requestIdOf } from '../edge/problem.ts'
import type { Graph } from '../graph/graph.ts'
import { sendPage, setPageHeaders } from '../pages/plain-page.ts'
import { documentDocument, payDocument, settleDocument, viewDocument, type ShownInvoice } from './documents.ts'
import { checkoutPage, invoicePage, missingPage, refusedPage } from './page.ts'

export interface PublicInvoicesOptions {
  readonly config: Pick<Config, 'ipLimits' | 'trustProxy' | 'payments'>
  readonly edge: Pick<Edge, 'enforceRouteLimits' | 'refuse'>
  readonly graph: Pick<Graph, 'prepare' | 'execute'>
}

const base = '/v1/public/invoices'
const eventsPath = '/v1/public/payment-events'

interface Outcome<Result> {
  readonly result: Result | null
  /** The refusal of the operation: its code and message. */
  readonly problem: { readonly code: string; readonly message: string } | null
}

/**
 * The page on which a customer reads and pays an invoice, and the webhook requests of the payment provider. The secret in the path, or the
 * signature of the provider, is the only credential.
 */
export function publicInvoicesRouter({ edge, config, graph }: PublicInvoicesOptions): Router {
  async function run<Result = ShownInvoice>(
    req: Request,
    res: Response,
    document: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<Outcome<Result>> {
    const caller = anonymous({ ip: clientAddress(req, config.trustProxy), userAgent: userAgentOf(req) })
    const context = { caller, requestId: requestIdOf(res), idempotency: null }
    const { data, errors } = await graph.execute(graph.prepare(document), variables, context)
    const [error] = errors ?? []
    const problem = error ? { code: String(error.extensions?.['code']), message: error.message } : null
    return { result: (data?.['result'] as Result | null | undefined) ?? null, problem }
  }

  const tokenOf = (req: Request): string => String(req.params['token'])

  async function show(req: Request, res: Response, document: string, more: Readonly<Record<string, string>> = {}) {
    const { result, problem } = await run(req, res, document, { ...more, token: tokenOf(req) })
    if (result) sendPage(res, 200, invoicePage(result, `${base}/${tokenOf(req)}`))
    else refuse(res, problem, `${base}/${tokenOf(req)}`)
  }

  function refuse(res: Response, problem: Outcome<unknown>['problem'], path: string): void {
    if (problem?.code === 'NOT_FOUND') sendPage(res, 404, missingPage())
    else if (problem?.code === 'INVALID_STATE') sendPage(res, 409, refusedPage(problem.message, path))
    else throw refusalOf(problem)
  }

  async function pay(req: Request, res: Response): Promise<void> {
    const path = `${base}/${tokenOf(req)}`
    const { result, problem } = await run<{ url: string; invoiceNumber: string }>(req, res, payDocument, {
      token: tokenOf(req),
    })
    if (result) sendPage(res, 200, checkoutPage(result.url, result.invoiceNumber, path))
    else refuse(res, problem, path)
  }

  async function sendDocument(req: Request, res: Response): Promise<void> {
    const { result, problem } = await run<{ filename: string; content: string }>(req, res, documentDocument, {
      token: tokenOf(req),
    })
    if (!result) return refuse(res, problem, base)
    setPageHeaders(res)
    res.attachment(result.filename).type('application/pdf').send(Buffer.from(result.content, 'base64'))
  }

  /** A payment of a checkout that is not ours is answered 200, so that the provider does not repeat the request. */
  async function receiveEvent(req: Request, res: Response): Promise<void> {
    const body = await readBody(req)
    const signature = req.headers['stripe-signature']
    const secret = config.payments?.webhookSecret
    if (!secret) throw new Refusal('NOT_FOUND', 'No payment provider is configured.')
    if (!isSignedBody(secret, typeof signature === 'string' ? signature : undefined, body, new Date()))
      throw new Refusal('MALFORMED_REQUEST', 'The signature of the payment provider is missing or not valid.')
    const checkout = checkoutIn(body)
    if (checkout) {
      const { problem } = await run(req, res, settleDocument, checkout)
      if (problem && problem.code !== 'NOT_FOUND') throw refusalOf(problem)
    }
    res.status(200).json({ received: true })
  }

  const router = Router({ caseSensitive: true })
  router.use([base, eventsPath], async (req, _res, next) => {
    await edge.enforceRouteLimits(req, 'public-invoices', config.ipLimits)
    next()
  })
  const page = `${base}/:token`
  // HEAD would be answered by GET, but a program that only looks at the link must not count as a reader.
  router.head([page, `${page}/document`, `${page}/return`], refuseOtherThan('GET'))
  router.get(page, (req, res) => show(req, res, viewDocument))
  router.get(`${page}/document`, sendDocument)
  router.get(`${page}/return`, (req, res) =>
    show(req, res, settleDocument, {
      session: new URL(req.originalUrl, 'http://page').searchParams.get('session') ?? '',
    }),
  )
  router.post(`${page}/pay`, pay)
  router.all([page, `${page}/document`, `${page}/return`], refuseOtherThan('GET'))
  router.post(eventsPath, receiveEvent)
  router.all([`${page}/pay`, eventsPath], refuseOtherThan('POST'))
  router.use([base, eventsPath], (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    edge.refuse(error, req, res),
  )
  return router
}

/** The checkout that a webhook request is about; null for an event of another kind. */
function checkoutIn(body: Buffer): { readonly token: string; readonly session: string } | null {
  let event: unknown
  try {
    event = JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON', 'The body must be JSON.')
  }
  if (!isJsonObject(event) || !/^checkout\.session\.(?:async_payment_succeeded|completed)$/.test(String(event['type'])))
    return null
  const object = isJsonObject(event['data']) ? event['data']['object'] : null
  if (!isJsonObject(object)) return null
  const { id, client_reference_id: token } = object
  return typeof id === 'string' && typeof token === 'string' ? { session: id, token } : null
}

const refuseOtherThan = (method: string) => (): never => {
  throw new Refusal('METHOD_NOT_ALLOWED', `Send ${method}.`, { allow: [method] })
}

/** The refusal of the graph, with its code; without a code of ours it is a defect. */
const refusalOf = (problem: Outcome<unknown>['problem']): Error =>
  problem && isErrorCode(problem.code) && statusOfCode[problem.code] !== 500
    ? new Refusal(problem.code, problem.message)
    : new Error(problem?.message ?? 'The invoice has neither a result nor an error.')
