import { Router, type NextFunction, type Request, type Response } from 'express'
import { refuseOtherThan } from '../gateway/edge/refuse-other-than.ts'
import { limitRequests, tokenOf, type PublicDocumentsOptions } from '../gateway/pages/public-operations.ts'
import type { OpenedFile } from '../subgraphs/kernel/file/sent-files.ts'
import { sendFile } from './file-content.ts'

const base = '/v1/public/files'

export interface PublicFilesOptions extends PublicDocumentsOptions {
  /** The file that a link names; refuses a link that is not signed or has expired. */
  openLinked(token: string): Promise<OpenedFile>
}

/** Files for whoever has a signed link, until it expires. Cookies and keys of the request are ignored. */
export function publicFilesRouter(options: PublicFilesOptions): Router {
  const router = Router({ caseSensitive: true })
  router.use(base, limitRequests(options, 'public-files'))
  router.get(`${base}/:token`, async (req: Request, res: Response) =>
    sendFile(await options.openLinked(tokenOf(req)), req, res),
  )
  router.all(`${base}/:token`, refuseOtherThan('GET', 'HEAD'))
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    options.edge.refuse(error, req, res),
  )
  return router
}
