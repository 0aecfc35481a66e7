import type { Sql } from '../database/sql.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Clock } from '../time/clock.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from './outbound.ts'

/** Which credential a request is sent with: the one that is named, or else the one whose base URL is the longest above the URL. */
export interface CredentialWanted {
  readonly organizationId: string
  readonly credentialId?: string | null
  readonly apiName?: string | null
  readonly url: string
  /**
   * The slug of the app that brought what sends the request: it has the credentials only that the app brought too. Null: something of the
   * organization sends it, which has all of them.
   */
  readonly managedBy: string | null
}

/** What a request carries to authenticate. Must not be logged. */
export interface Authentication {
  readonly credentialId: string
  /** Where the request goes, as the credential covers it. Its answer may be a redirect, which must not be followed with these headers. */
  readonly url: string
  /** Names in lower case. They replace those that the request has. */
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds that the credential allows for a request. */
  readonly timeoutMs: number
  /** What must not be shown of it: secrets, tokens and what is made of them. */
  readonly secrets: Readonly<Record<string, string>>
}

export interface AuthenticatedAnswer extends OutboundAnswer {
  readonly url: string
  /** Null if the request was sent without a credential. */
  readonly authentication: Authentication | null
}

/** A named credential as what refers to it sees it: no secret. */
export interface KnownCredential {
  readonly id: string
  readonly apiName: string
  readonly baseUrl: string
  readonly isActive: boolean
}

/** The named credentials of organizations, for what sends requests on their behalf. Owned by a subgraph that others must not import. */
export interface NamedCredentials {
  /**
   * What a request to the URL carries; null if no credential lies over the URL and none is named. 404 NOT_FOUND: the named one does not exist; 400
   * VALIDATION_FAILED: it does not cover the URL; 409 CREDENTIAL_INACTIVE or CREDENTIAL_SECRET_MISSING; 503 UNAVAILABLE: no OAuth token
   * was issued. Must not be called in a transaction.
   */
  authenticate(wanted: CredentialWanted): Promise<Authentication | null>
  /**
   * Sends a request with its credential, and once more with a new token when the receiver answers 401 to an OAuth token. Without a credential, the
   * request is sent as it is. `timeoutMs` is for all of it, also for the token. Redirects are returned, not followed. Refuses as `authenticate` does; throws an `OutboundError` without an answer.
   */
  send(wanted: Omit<CredentialWanted, 'url'>, request: OutboundRequest): Promise<AuthenticatedAnswer>
  /** The credential with this id, which cannot be deleted until the open transaction of `sql` ends; null if there is none. */
  find(sql: Sql, organizationId: string, credentialId: string): Promise<KnownCredential | null>
}

export interface CredentialServices {
  readonly database: Sql
  readonly vault: Vault
  readonly outbound: Outbound
  readonly clock: Clock
}

type Opening = (services: CredentialServices) => NamedCredentials

/** Organizations have no named credentials. */
export const withoutCredentials = ({ outbound }: Pick<CredentialServices, 'outbound'>): NamedCredentials => ({
  authenticate: () => Promise.resolve(null),
  send: async (_wanted, request) => ({ ...(await outbound.send(request)), url: request.url, authentication: null }),
  find: () => Promise.resolve(null),
})

let opening: Opening = withoutCredentials

/** The subgraph that owns the credentials registers how they are opened. Without a registration there are none. */
export function registerNamedCredentials(open: Opening): void {
  opening = open
}

export const openNamedCredentials: Opening = (services) => opening(services)

/** An encoded slash or backslash, which some servers read as one and so leave the path of the credential. */
const hiddenSlash = /%2f|%5c|\\/i

/** Whether a request to the URL may carry the credential: same origin, and the path of the base URL in whole segments. */
export function liesUnder(url: URL, baseUrl: string): boolean {
  const base = URL.parse(baseUrl)
  if (!base || url.origin !== base.origin || url.username || url.password || hiddenSlash.test(url.pathname))
    return false
  const path = base.pathname.replace(/\/+$/, '')
  return url.pathname === path || url.pathname.startsWith(`${path}/`)
}
