import { Router, type NextFunction, type Request, type Response } from 'express'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import { isSignedBody } from '../../subgraphs/kernel/payment/webhook-signature.ts'
import { readBody } from '../edge/body.ts'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import { sendCustomerPage } from '../pages/customer-page.ts'
import {
  limitRequests,
  publicOperations,
  refusalOf,
  sendPdf,
  tokenOf,
  type Problem,
  type PublicDocumentsOptions,
  type SentFile,
  type Variables,
} from '../pages/public-operations.ts'
import {
  documentDocument,
  eventDocument,
  payDocument,
  settleDocument,
  viewDocument,
  type ShownInvoice,
} from './documents.ts'
import { checkoutPage, invoicePage, missingPage, refusedPage } from './page.ts'

const base = '/v1/public/invoices'
const eventsPath = '/v1/public/payment-events'

/**
 * The page on which a customer reads and pays an invoice, and the webhook requests of the payment provider. The secret in the path, or the
 * signature of the provider, is the only credential.
 */
export function publicInvoicesRouter(options: PublicDocumentsOptions): Router {
  const { edge, config } = options
  const run = publicOperations(options)

  async function show(req: Request, res: Response, document: string, more: Variables = {}) {
    const { result, problem } = await run<ShownInvoice>(req, res, document, { ...more, token: tokenOf(req) })
    if (result) sendCustomerPage(res, 200, invoicePage(result, `${base}/${tokenOf(req)}`))
    else refuse(res, problem, `${base}/${tokenOf(req)}`)
  }

  function refuse(res: Response, problem: Problem | null, path: string): void {
    if (problem?.code === 'NOT_FOUND') sendCustomerPage(res, 404, missingPage())
    else if (problem?.code === 'INVALID_STATE') sendCustomerPage(res, 409, refusedPage(problem.message, path))
    else throw refusalOf(problem)
  }

  async function pay(req: Request, res: Response): Promise<void> {
    const path = `${base}/${tokenOf(req)}`
    const { result, problem } = await run<{ url: string; invoiceNumber: string }>(req, res, payDocument, {
      token: tokenOf(req),
    })
    if (result) sendCustomerPage(res, 200, checkoutPage(result.url, result.invoiceNumber, path))
    else refuse(res, problem, path)
  }

  async function sendDocument(req: Request, res: Response): Promise<void> {
    const { result, problem } = await run<SentFile>(req, res, documentDocument, { token: tokenOf(req) })
    if (result) sendPdf(res, result)
    else refuse(res, problem, base)
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
      const { problem } = await run(req, res, eventDocument, checkout)
      if (problem) throw refusalOf(problem)
    }
    res.status(200).json({ received: true })
  }

  const router = Router({ caseSensitive: true })
  router.use([base, eventsPath], limitRequests(options, 'public-invoices'))
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
