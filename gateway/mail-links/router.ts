import { Router, type NextFunction, type Request, type Response } from 'express'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { userAgentOf } from '../edge/address.ts'
import type { Edge } from '../edge/edge.ts'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import { escaped } from '../pages/escaped.ts'
import { plainPage, sendPage } from '../pages/plain-page.ts'

/** What the addresses in mails do; the tokens in them are the only credential. */
export interface MailTracking {
  open(token: string, userAgent: string): Promise<void>
  click(token: string, userAgent: string): Promise<string | null>
  canUnsubscribe(token: string): Promise<boolean>
  unsubscribe(token: string): Promise<boolean>
}

/** What the addresses in mails about notifications do. */
export interface NotificationMails {
  /** What the mails are about, for the page that asks; null for an unknown token. */
  describe(token: string): readonly string[] | null
  unsubscribe(token: string): Promise<boolean>
}

export interface MailLinksOptions {
  readonly config: Pick<Config, 'ipLimits'>
  readonly edge: Pick<Edge, 'enforceRouteLimits' | 'refuse'>
  readonly tracking: MailTracking
  readonly notifications: NotificationMails
}

const base = '/v1/public/mail'

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** The addresses in mails: the picture that counts opens, links, and the page to unsubscribe. */
export function mailLinksRouter({ edge, config, tracking, notifications }: MailLinksOptions): Router {
  const tokenOf = (req: Request): string => String(req.params['token'])
  const router = Router({ caseSensitive: true })
  router.use(base, async (req, res, next) => {
    await edge.enforceRouteLimits(req, 'mail-links', config.ipLimits)
    res.set({
      'Cache-Control': 'no-store, private',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    next()
  })

  // The picture is shown whatever happens: a mail program must not show an error. Who asks only for its headers has not opened the mail.
  router.get(`${base}/open/:token`, async (req, res) => {
    if (req.method !== 'HEAD') await tracking.open(tokenOf(req), userAgentOf(req)).catch(() => undefined)
    res
      .status(200)
      .set('Content-Type', 'image/gif')
      .end(req.method === 'HEAD' ? undefined : pixel)
  })

  router.head(`${base}/click/:token`, refuseOtherThan('GET'))
  router.get(`${base}/click/:token`, async (req, res) => {
    const url = await tracking.click(tokenOf(req), userAgentOf(req))
    if (url === null || !URL.canParse(url)) return sendPage(res, 404, missingPage())
    // A header holds ASCII only, so the path is percent-encoded and the host is punycode.
    res.status(302).set('Location', new URL(url).href).end()
  })

  // A program that only looks at the link must not unsubscribe anybody, so a person confirms (RFC 8058).
  router.get(`${base}/unsubscribe/:token`, async (req, res) => {
    if (!(await tracking.canUnsubscribe(tokenOf(req)))) return sendPage(res, 404, missingPage())
    sendPage(res, 200, confirmPage(`${base}/unsubscribe/${tokenOf(req)}`))
  })
  router.post(`${base}/unsubscribe/:token`, async (req, res) => {
    if (!(await tracking.unsubscribe(tokenOf(req)))) return sendPage(res, 404, missingPage())
    sendPage(res, 200, donePage())
  })

  router.get(`${base}/notifications/:token`, async (req, res) => {
    const about = notifications.describe(tokenOf(req))
    if (!about) return sendPage(res, 404, missingPage())
    sendPage(res, 200, turnOffPage(`${base}/notifications/${tokenOf(req)}`, about))
  })
  router.post(`${base}/notifications/:token`, async (req, res) => {
    if (!(await notifications.unsubscribe(tokenOf(req)))) return sendPage(res, 404, missingPage())
    sendPage(res, 200, turnedOffPage())
  })
  router.all(`${base}/notifications/:token`, refuseOtherThan('GET', 'POST'))
  router.all(`${base}/unsubscribe/:token`, refuseOtherThan('GET', 'POST'))
  router.all([`${base}/open/:token`, `${base}/click/:token`], refuseOtherThan('GET'))
  router.use(base, (error: unknown, req: Request, res: Response, _next: NextFunction) => edge.refuse(error, req, res))
  return router
}

const confirmPage = (path: string): string =>
  plainPage(
    'Unsubscribe',
    `<p>You will get no more mails from this sender.</p>
<form method="post" action="${escaped(path)}"><button>Unsubscribe</button></form>`,
  )

const donePage = (): string =>
  plainPage('You are unsubscribed', '<p role="status">This sender will send you no more mails.</p>')

const turnOffPage = (path: string, about: readonly string[]): string =>
  plainPage(
    'Turn off mails',
    `<p>You will get no more mails about:</p>
<ul>${about.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul>
<form method="post" action="${escaped(path)}"><button>Turn off</button></form>`,
  )

const turnedOffPage = (): string =>
  plainPage(
    'The mails are turned off',
    '<p role="status">You can turn them on again in the preferences of your notifications.</p>',
  )

const missingPage = (): string =>
  plainPage('This link is not valid', '<p>The link is not complete, or the mail was deleted.</p>')
