import { Router, type NextFunction, type Request, type Response } from 'express'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import { limitRequests, publicOperations, refusalOf, type PublicDocumentsOptions } from '../pages/public-operations.ts'

const document = 'query publicLogo($id: ID!) { result: publicLogo(id: $id) { mediaType content } }'
const base = '/v1/public/logos'

interface SentLogo {
  readonly mediaType: string
  /** The bytes in Base64. */
  readonly content: string
}

/**
 * The logos of organizations, for their public pages and the mails to their customers: images on other origins may be embedded anywhere,
 * so they need no credential, and say nothing but what the mail says that has their address.
 */
export function publicLogosRouter(options: PublicDocumentsOptions): Router {
  const run = publicOperations(options)

  async function send(req: Request, res: Response): Promise<void> {
    const { result, problem } = await run<SentLogo>(req, res, document, { id: String(req.params['id']) })
    if (!result) throw refusalOf(problem)
    res.set({
      'Cache-Control': 'public, max-age=86400, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    res.type(result.mediaType).send(Buffer.from(result.content, 'base64'))
  }

  const router = Router({ caseSensitive: true })
  router.use(base, limitRequests(options, 'public-logos'))
  router.get(`${base}/:id`, send)
  router.all(`${base}/:id`, refuseOtherThan('GET', 'HEAD'))
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    options.edge.refuse(error, req, res),
  )
  return router
}
