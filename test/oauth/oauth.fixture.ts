import * as oauth from 'openid-client'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import type { Role } from '../../subgraphs/kernel/context.ts'
import type { Platform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'
import { Browser, type Page } from './browser.ts'

export const password = 'Correct horse 7!'
export const redirectUri = 'https://app.example.com/callback'

/** A user who can sign in, and a client with its session. */
export interface Person {
  readonly organizationId: string
  readonly userId: string
  readonly email: string
  readonly rest: RestClient
}

export async function aPerson(
  platform: Pick<Platform, 'services' | 'url' | 'contract'>,
  {
    role = 'MEMBER',
    organizationId,
    email = `u${newId()}@example.com`,
  }: {
    role?: Role
    organizationId?: string
    email?: string
  } = {},
): Promise<Person> {
  const organization = organizationId ?? (await createOrganization(platform.services, { name: 'Acme' })).id
  const user = { email, name: 'Ann Lee', role, visibility: 'ALL', password } as const
  const { id: userId } = await createUser(platform.services, organization, user)
  const token = await sessionOf(platform, { organizationId: organization, userId })
  const rest = restClient(platform.contract, platform.url, { Authorization: `Bearer ${token}` })
  return { organizationId: organization, userId, email, rest }
}

export interface App {
  readonly id: string
  readonly secret: string | null
}

export async function anApp(owner: Person, values: object = {}): Promise<App> {
  const body = {
    name: 'Calendar link',
    scopes: ['READ_ACCOUNTS', 'WRITE_ACCOUNTS'],
    redirectUris: [redirectUri],
    ...values,
  }
  const { status, body: app } = await owner.rest['oauthAppCreate']!({ body })
  if (status !== 201) throw new Error(JSON.stringify(app))
  return { id: app.id as string, secret: app.clientSecret as string | null }
}

/** Configuration of an OAuth client library from the metadata of the authorization server. */
export function discovered(url: string, { id, secret }: App): Promise<oauth.Configuration> {
  const authentication = secret === null ? oauth.None() : oauth.ClientSecretBasic(secret)
  return oauth.discovery(new URL(`${url}/v1/oauth`), id, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  })
}

export interface Started {
  readonly browser: Browser
  readonly page: Page
  readonly checks: oauth.AuthorizationCodeGrantChecks
}

/** Opens the authorization page in a new browser. */
export async function started(
  platform: Pick<Platform, 'url'>,
  config: oauth.Configuration,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const expectedState = oauth.randomState()
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'READ_ACCOUNTS',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    ...parameters,
  })
  const browser = new Browser(new URL(platform.url).origin)
  return { browser, page: await browser.open(url), checks: { pkceCodeVerifier, expectedState } }
}

/** Signs in and consents; returns the URL to which the browser is redirected. */
export async function allowed(
  { browser, page }: Started,
  person: Pick<Person, 'email' | 'organizationId'>,
): Promise<URL> {
  const consent = await browser.submit(page, 'sign-in', { email: person.email, password })
  const end = await browser.submit(consent, 'decision', { decision: 'allow', organization: person.organizationId })
  return new URL(end.url)
}

/** Runs the whole flow and returns the tokens of a consent. */
export async function tokensOf(
  platform: Pick<Platform, 'url'>,
  config: oauth.Configuration,
  person: Person,
  scope = 'READ_ACCOUNTS',
) {
  const start = await started(platform, config, { scope })
  return oauth.authorizationCodeGrant(config, await allowed(start, person), start.checks)
}

/** A REST call with an access token. */
export const withToken = (platform: Platform, token: string, url = platform.url): RestClient =>
  restClient(platform.contract, url, { Authorization: `Bearer ${token}` })

/** The error of the authorization server, as `status error`. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return `${error.status} ${error.error}`
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      return `${error.status} ${error.cause[0]!.parameters.error}`
    }
    if (error instanceof oauth.AuthorizationResponseError) return error.error
    throw error
  }
  return 'allowed'
}
