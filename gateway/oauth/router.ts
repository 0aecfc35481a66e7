import type { IncomingMessage } from 'node:http'
import { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import type { Config } from '../../subgraphs/kernel/config/config.ts'
import { notFound, Refusal } from '../../subgraphs/kernel/errors.ts'
import { clientAddress, userAgentOf } from '../edge/address.ts'
import type { Edge } from '../edge/edge.ts'
import { presentedBy } from '../edge/presented.ts'
import { registrant } from './adapter.ts'
import { metadataOf } from './discovery.ts'
import { decide, showPage, signIn, type PageRequest } from './interaction.ts'
import { refuseOtherMethods } from './methods.ts'
import { registerOpenly } from './open-registration.ts'
import { errorPage } from './page.ts'
import { sendPage, setPageHeaders } from '../pages/plain-page.ts'
import type { OAuthPort, Visitor } from '../../subgraphs/kernel/credentials/public.ts'
import { openProvider, paths } from './provider.ts'

export interface OAuthOptions {
  readonly config: Pick<Config, 'ipLimits' | 'trustProxy' | 'oauthRegistration'>
  readonly edge: Pick<Edge, 'admit' | 'enforceRouteLimits' | 'refuse'>
  readonly port: OAuthPort
  readonly scopes: readonly string[]
  /** Sent as API-Version with every response. */
  readonly apiVersion: string
  /** Resolves when the server listens. */
  readonly issuer: () => Promise<string>
  readonly secret: Buffer
  readonly log: Pick<Logger, 'error'>
}

type Page = (pageRequest: PageRequest, path: string) => Promise<void>

const mountedAt = '/v1/oauth'
const wellKnown = '/.well-known/oauth-authorization-server'

/** The authorization server (OAuth 2.0 with PKCE) under `/v1/oauth`, and its metadata. */
export function oauthRouter(options: OAuthOptions): Router {
  const { edge, config, scopes, issuer } = options
  const visitorOf = (req: IncomingMessage): Visitor => ({
    ip: clientAddress(req, config.trustProxy),
    userAgent: userAgentOf(req),
  })
  const registers = config.oauthRegistration !== 'off'
  let opening: Promise<Provider> | null = null
  const opened = (): Promise<Provider> =>
    (opening ??= issuer().then((known) =>
      openProvider({ ...options, issuer: known, registration: registers, visitorOf }),
    ))

  const router = Router()
  router.use([mountedAt, wellKnown], (req, res, next) => admit(options, req, res, next))
  const metadata = [wellKnown, `${wellKnown}${mountedAt}`, `${mountedAt}${wellKnown}`]
  router.get(metadata, async (_req, res) => {
    res.set({ 'Cache-Control': 'public, max-age=300' })
    if (!res.hasHeader('Access-Control-Allow-Origin')) res.set('Access-Control-Allow-Origin', '*')
    res.json(metadataOf(await issuer(), scopes, registers))
  })
  router.all(metadata, refuseOtherMethods('GET', 'HEAD'))

  const page = (serve: Page) => async (req: Request, res: Response) => {
    const provider = await opened()
    await serve(
      { provider, port: options.port, visitor: visitorOf(req), req, res },
      `${mountedAt}/interaction/${String(req.params['uid'])}`,
    )
  }
  addPages(router, page)

  router.post(mountedAt + paths.registration, async (req, res, next) => {
    if (!registers) return next()
    if (config.oauthRegistration === 'open' && presentedBy(req.headers).kind === 'NONE')
      return registerOpenly({ edge, port: options.port }, req, res)
    const { caller } = await edge.admit(req, res)
    if (caller.kind !== 'SESSION') {
      throw new Refusal('UNAUTHENTICATED', 'Send the session of the user who will own the app.')
    }
    await registrant.run(caller, () => serve(options, opened, req, res))
  })
  if (registers) router.all(mountedAt + paths.registration, refuseOtherMethods('POST'))
  const authorization = [`${mountedAt}${paths.authorization}`, `${mountedAt}${paths.authorization}/:uid`]
  router.get(authorization, async (req, res) => {
    const { origin } = new URL(await issuer())
    const resources = [req.query['resource'] ?? []].flat()
    // Tokens are for this API only. Who asks for another resource would get such a token there (RFC 8707).
    if (resources.some((resource) => typeof resource !== 'string' || URL.parse(resource)?.origin !== origin))
      return sendPage(res, 400, errorPage('resource must be an address of this API.'))
    await serve(options, opened, req, res)
  })
  router.all(authorization, refuseOtherMethods('GET', 'HEAD'))
  const endpoints = [paths.token, paths.revocation, paths.introspection].map((path) => mountedAt + path)
  router.post(endpoints, async (req, res) => serve(options, opened, req, res))
  router.options(endpoints, async (req, res) => serve(options, opened, req, res))
  router.all(endpoints, refuseOtherMethods('POST', 'OPTIONS'))
  router.use(mountedAt, (req, res) => edge.refuse(notFound('This path'), req, res))
  router.use((error: unknown, req: Request, res: Response, _next: NextFunction) => edge.refuse(error, req, res))
  return router
}

function addPages(router: Router, page: (serve: Page) => RequestHandler): void {
  const visit = `${mountedAt}/interaction/:uid`
  router.get(visit, page(showPage))
  router.all(visit, refuseOtherMethods('GET', 'HEAD'))
  router.post(`${visit}/sign-in`, page(signIn))
  router.post(`${visit}/decision`, page(decide))
  router.all([`${visit}/sign-in`, `${visit}/decision`], refuseOtherMethods('POST'))
}

/** An API key is refused here as on every blocked path; other requests are rate limited by address. */
async function admit(
  { edge, config, apiVersion }: OAuthOptions,
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<void> {
  res.setHeader('API-Version', apiVersion)
  if (req.headers['x-api-key'] !== undefined || /^apikey\b/i.test(req.headers.authorization ?? '')) {
    await edge.admit(req, res)
  }
  await edge.enforceRouteLimits(req, 'oauth', config.ipLimits)
  next()
}

async function serve(
  { issuer }: OAuthOptions,
  opened: () => Promise<Provider>,
  req: Request,
  res: Response,
): Promise<void> {
  const [provider, { protocol, host }] = [await opened(), new URL(await issuer())]
  // URLs in responses must use the host of the issuer and not headers of the request.
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  req.headers['x-forwarded-host'] = host
  setPageHeaders(res)
  req.url = req.originalUrl.slice(mountedAt.length)
  await provider.callback()(req, res)
}
