import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { assetPaths, serveAsset, siteDirectory } from './assets.ts'
import { setSecurityHeaders, type Policy } from './policy.ts'
import { errorList, errorPage, type SendErrors } from './errors.ts'
import { escaped } from './escaped.ts'
import { htmlOf } from './markdown.ts'
import { metadataSchemaFile } from './metadata-schemas.ts'
import { guideList, guidePage, type SendGuide } from './guides.ts'

export interface PagesOptions {
  /** If true, the pages say where the demo's keys are stored. The pages never contain a key. */
  readonly demo: boolean
  /** Markdown that the reference shows until its program is loaded. */
  readonly introduction?: string
}

type Page = Exclude<Policy, 'asset'>

/** The parts of a page that its template does not have. */
interface Filling {
  readonly title?: string
  /** HTML, already escaped. */
  readonly content?: string
}

/** Sends a template with its values filled in. Browsers revalidate the page each time; its assets are immutable. */
async function sendPage(
  req: Request,
  res: Response,
  page: Page,
  options: PagesOptions,
  { title = '', content = '' }: Filling = {},
): Promise<void> {
  const [template, paths] = await Promise.all([readFile(join(siteDirectory(), `${page}.html`), 'utf8'), assetPaths()])
  const values: Record<string, string> = {
    ...paths,
    demo: String(options.demo),
    title,
    origin: `${req.protocol}://${req.host}`,
  }
  setSecurityHeaders(res, page)
  res.set('Cache-Control', 'no-cache').type('html')
  const filled = template.replace(/\{\{([\w-]+)\}\}/g, (_, name: string) => escaped(values[name] ?? ''))
  res.send(filled.replace('<!-- content -->', () => content))
}

/** Whether a browser opens the page, in contrast to a GraphQL client that sends a query with GET. */
export const isPageRequest = (req: Request): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') &&
  req.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html'

/** Answers with the GraphQL explorer, which sends its queries to the path of the page. */
export const explorerPage =
  (options: PagesOptions): RequestHandler =>
  (req, res) => {
    res.vary('Accept')
    return sendPage(req, res, 'explorer', options)
  }

/** `GET /`, `/docs`, `/docs/guides`, `/docs/metadata`, `/errors` and their assets. Files are read with the first request, not when the router is created. */
export function pagesRouter(options: PagesOptions): Router {
  const router = Router()
  router.get('/', (req, res, next) => {
    res.vary('Accept')
    return isPageRequest(req) ? sendPage(req, res, 'landing', options) : next()
  })
  let introduction: Promise<string> | undefined
  router.get('/docs', async (req, res) => {
    introduction ??= htmlOf(options.introduction ?? '')
    await sendPage(req, res, 'docs', options, { content: await introduction })
  })
  const sendErrors: SendErrors = (req, res, title, content) => sendPage(req, res, 'text', options, { title, content })
  router.get('/errors', errorList(sendErrors))
  router.get('/errors/:code', errorPage(sendErrors))
  const sendGuide: SendGuide = (req, res, title, content) => sendPage(req, res, 'text', options, { title, content })
  router.get('/docs/guides', guideList(sendGuide))
  router.get('/docs/guides/:name', guidePage(sendGuide))
  router.get('/docs/metadata/:file', metadataSchemaFile)
  router.get('/assets/:bundle/:version/:file', serveAsset)
  return router
}
