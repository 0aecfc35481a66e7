import { Router, type NextFunction, type Request, type Response } from 'express'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import { sendCustomerPage } from '../pages/customer-page.ts'
import { formOf } from '../pages/plain-page.ts'
import {
  limitRequests,
  publicOperations,
  refusalOf,
  sendPdf,
  tokenOf,
  type PublicDocumentsOptions,
  type SentFile,
  type Variables,
} from '../pages/public-operations.ts'
import { acceptDocument, documentDocument, rejectDocument, viewDocument, type ShownQuote } from './documents.ts'
import { missingPage, quotePage } from './page.ts'

const base = '/v1/public/quotes'

/** The page on which a customer reads, accepts and rejects a quote. The secret in its path is the only credential. */
export function publicQuotesRouter(options: PublicDocumentsOptions): Router {
  const run = publicOperations(options)

  /** Shows the quote after an operation. After a form that was not valid, the page says what to correct. */
  async function show(req: Request, res: Response, document: string, variables: Variables = {}): Promise<void> {
    const token = tokenOf(req)
    const { result, problem } = await run<ShownQuote>(req, res, document, { ...variables, token })
    const path = `${base}/${token}`
    if (result) return sendCustomerPage(res, 200, quotePage(result, path))
    if (problem?.code === 'NOT_FOUND') return sendCustomerPage(res, 404, missingPage())
    if (problem?.code !== 'VALIDATION_FAILED') throw refusalOf(problem)
    const shown = await run<ShownQuote>(req, res, viewDocument, { token })
    if (shown.result) sendCustomerPage(res, 400, quotePage(shown.result, path, problem.message))
    else sendCustomerPage(res, 404, missingPage())
  }

  async function sendDocument(req: Request, res: Response): Promise<void> {
    const { result, problem } = await run<SentFile>(req, res, documentDocument, { token: tokenOf(req) })
    if (problem?.code === 'NOT_FOUND') return sendCustomerPage(res, 404, missingPage())
    if (!result) throw refusalOf(problem)
    sendPdf(res, result)
  }

  const router = Router({ caseSensitive: true })
  router.use(base, limitRequests(options, 'public-quotes'))
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
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    options.edge.refuse(error, req, res),
  )
  return router
}
