import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { assetPaths, serveAsset, siteDirectory } from './assets.ts'
import { guard, type Policy } from './policy.ts'
import { escaped } from './escaped.ts'

export interface PagesOptions {
  /** The pages tell a visitor where the demo's keys are written. They never contain one. */
  readonly demo: boolean
}

type Page = Exclude<Policy, 'asset'>

/** A page is a file with a few values filled in. It is revalidated each time; what it refers to is immutable. */
async function sendPage(req: Request, res: Response, page: Page, options: PagesOptions): Promise<void> {
  const [template, paths] = await Promise.all([readFile(join(siteDirectory(), `${page}.html`), 'utf8'), assetPaths()])
  const values: Record<string, string> = {
    ...paths,
    demo: String(options.demo),
    origin: `${req.protocol}://${req.host}`,
  }
  guard(res, page)
  res.set('Cache-Control', 'no-cache').type('html')
  res.send(template.replace(/\{\{([\w-]+)\}\}/g, (_, name: string) => escaped(values[name] ?? '')))
}

/** A browser that navigates here, as opposed to a GraphQL client that sends its query by GET. */
export const asksForPage = (req: Request): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') &&
  req.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html'

/** Answers with the GraphQL explorer; it sends its queries to the path it was opened at. */
export const explorerPage =
  (options: PagesOptions): RequestHandler =>
  (req, res) => {
    res.vary('Accept')
    return sendPage(req, res, 'explorer', options)
  }

/** `GET /`, `/docs` and the files they need. Reads everything from disk when it is asked for, nothing when it is built. */
export function pagesRouter(options: PagesOptions): Router {
  const router = Router()
  router.get('/', (req, res, next) => {
    res.vary('Accept')
    return asksForPage(req) ? sendPage(req, res, 'landing', options) : next()
  })
  router.get('/docs', (req, res) => sendPage(req, res, 'docs', options))
  router.get('/assets/:bundle/:version/:file', serveAsset)
  return router
}
