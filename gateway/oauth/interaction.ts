import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseCookie } from 'cookie'
import type { Provider } from 'oidc-provider'
import { deviceCookie } from '../edge/cookies.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Client, Membership, OAuthPort, Visitor } from '../../subgraphs/kernel/credentials/public.ts'
import { accountId } from './account.ts'
import { formOf, sendPage } from '../pages/plain-page.ts'
import { consentPage, errorPage, signInPage, type AuthorizationPage } from './page.ts'

/** A consent is valid until it is revoked or until its last token is gone. */
export const grantLifeSeconds = 10 * 365 * 86_400

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** A browser's request to the sign-in and consent pages. */
export interface PageRequest {
  readonly provider: Provider
  readonly port: OAuthPort
  readonly visitor: Visitor
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

interface FoundInteraction {
  readonly interaction: Interaction
  readonly client: Client
  readonly request: AuthorizationPage
  readonly redirectOrigin: string
}

/** A parameter of the authorization request, which the server has already checked. */
function parameter({ params }: Interaction, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

/** The authorization in progress in this browser. Without one, it sends an error page and returns null. */
async function findInteraction(
  { provider, port, req, res }: PageRequest,
  path: string,
): Promise<FoundInteraction | null> {
  try {
    const interaction = await provider.interactionDetails(req, res)
    const client = await port.findClient(parameter(interaction, 'client_id'))
    if (client && path.endsWith(`/${interaction.uid}`)) {
      const scopes = parameter(interaction, 'scope')
        .split(' ')
        .filter((scope) => scope !== '' && scope !== 'offline_access')
      const { origin: redirectOrigin, host } = new URL(parameter(interaction, 'redirect_uri'))
      const request = { path, appName: client.name, scopes, host, isOpen: client.isOpen }
      return { interaction, client, request, redirectOrigin }
    }
  } catch (error) {
    if (!(error instanceof Error && 'error' in error && 'status' in error)) throw error
  }
  sendPage(res, 400, errorPage('This authorization has ended, or it was started in another browser.'))
  return null
}

/** The memberships of the user who signed in during this authorization. They are stored only in the interaction. */
const signedInMemberships = ({ result }: Interaction): readonly Membership[] | null =>
  (result?.['recognized'] as readonly Membership[] | undefined) ?? null

export async function showPage(pageRequest: PageRequest, path: string): Promise<void> {
  const current = await findInteraction(pageRequest, path)
  if (!current) return
  const { interaction, client, request, redirectOrigin } = current
  const { provider, req, res } = pageRequest
  const isAllowed = request.scopes.length > 0 && request.scopes.every((scope) => client.scopes.includes(scope))
  if (!isAllowed) {
    const error_description = 'scope must name at least one scope, and only scopes of the app'
    // Nobody vouches for the address of such a client, so no browser is sent there before its user has decided.
    if (client.isOpen) return sendPage(res, 400, errorPage(error_description))
    return provider.interactionFinished(req, res, { error: 'invalid_scope', error_description })
  }
  const memberships = signedInMemberships(interaction)
  const html = memberships ? consentPage(request, memberships) : signInPage(request, null)
  sendPage(res, 200, html, [redirectOrigin])
}

function seeOther(res: ServerResponse, location: string): void {
  res.writeHead(303, { Location: location, 'Cache-Control': 'no-store' }).end()
}

export async function signIn(pageRequest: PageRequest, path: string): Promise<void> {
  const { port, visitor, req, res } = pageRequest
  const current = await findInteraction(pageRequest, path)
  if (!current) return
  const form = await formOf(req)
  const email = form.get('email') ?? ''
  try {
    const deviceToken = parseCookie(req.headers.cookie ?? '')[deviceCookie] ?? null
    const memberships = await port.signIn(visitor, { email, password: form.get('password') ?? '', deviceToken })
    if (memberships.length === 0) throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
    Object.assign(current.interaction, { result: { recognized: memberships } })
    await current.interaction.persist()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { retryAfter } = error.extensions
    if (retryAfter !== undefined) res.setHeader('Retry-After', Number(retryAfter))
    return sendPage(res, error.status, signInPage(current.request, error.message, email), [current.redirectOrigin])
  }
  seeOther(res, path)
}

export async function decide(pageRequest: PageRequest, path: string): Promise<void> {
  const { provider, port, visitor, req, res } = pageRequest
  const current = await findInteraction(pageRequest, path)
  if (!current) return
  const { interaction, request } = current
  const form = await formOf(req)
  if (form.get('decision') !== 'allow') {
    const error_description = 'the user denied the authorization'
    return provider.interactionFinished(req, res, { error: 'access_denied', error_description })
  }
  const memberships = signedInMemberships(interaction)
  if (!memberships) return seeOther(res, path)
  const chosen = memberships.find(({ organizationId }) => organizationId === form.get('organization'))
  const ticked = new Set(form.getAll('scope'))
  const scopes = request.isOpen ? request.scopes.filter((scope) => ticked.has(scope)) : request.scopes
  if (!chosen || scopes.length === 0) {
    const problem = chosen ? 'Choose at least one right, or cancel.' : null
    return sendPage(res, 400, consentPage(request, memberships, problem), [current.redirectOrigin])
  }
  const { organizationName: _, ...signedIn } = chosen
  const id = newId()
  const appId = parameter(interaction, 'client_id')
  const grant = { ...signedIn, id, appId, scopes, lifeSeconds: grantLifeSeconds }
  try {
    await port.consent(visitor, grant)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status === 403)
      return sendPage(res, 403, consentPage(request, memberships, error.message), [current.redirectOrigin])
    // The sign-in has ended: the page must ask for a new one.
    Object.assign(interaction, { result: {} })
    await interaction.persist()
    return sendPage(res, error.status, signInPage(request, error.message), [current.redirectOrigin])
  }
  const login = { accountId: accountId(chosen), remember: false }
  await provider.interactionFinished(req, res, { login, consent: { grantId: id } }, { mergeWithLastSubmission: false })
}
