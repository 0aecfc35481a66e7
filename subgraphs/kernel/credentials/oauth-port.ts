import type { Caller } from '../context.ts'

export type Payload = Readonly<Record<string, unknown>>

export interface Visitor {
  readonly ip: string
  readonly userAgent: string
}

/** One choice on the consent page: the signed-in person as a user of one of their organizations. */
export interface Membership {
  readonly organizationId: string
  readonly organizationName: string
  readonly userId: string
  /** The user's generation at sign-in. The sign-in is no longer valid once the stored generation differs. */
  readonly signInGeneration: number
}

export interface Client {
  readonly id: string
  readonly name: string
  readonly type: 'CONFIDENTIAL' | 'PUBLIC'
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[]
  /** SHA-256 in hexadecimal; null for a public client. */
  readonly secretHash: string | null
  /** Whether it registered itself without a credential, so that nobody vouches for it. Always PUBLIC. */
  readonly isOpen: boolean
}

export interface Grant {
  readonly id: string
  readonly appId: string
  readonly organizationId: string
  readonly userId: string
  readonly scopes: readonly string[]
}

export interface NewGrant extends Grant {
  readonly lifeSeconds: number
  /** The generation of the sign-in on the consent page. */
  readonly signInGeneration: number
}

export interface StoredGrant extends Grant {
  readonly expiresAt: string
}

/** Stored state of an OAuth flow in a browser, or of a token. It is found by the hash of the secret that the client sends. */
export interface Visit {
  readonly kind: string
  readonly hash: string
  readonly payload: Payload
  readonly lifeSeconds: number
}

export interface Token extends Visit {
  readonly appId: string
  /** Null for client credentials, which act as the app's owner. */
  readonly organizationId: string | null
  readonly userId: string | null
  readonly grantId: string | null
  readonly scopes: readonly string[]
}

export interface Registration {
  readonly id: string
  readonly secret: string | undefined
  readonly name: string
  readonly type: Client['type']
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly homepageUrl: string | null
}

/** A client that registers itself. Its scopes are those that it may ask a user for. */
export interface OpenRegistration {
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Empty: all scopes of apps. */
  readonly scopes: readonly string[]
}

export interface Credentials {
  readonly email: string
  readonly password: string
  /** The token of an earlier sign-in on the same device. */
  readonly deviceToken: string | null
}

/** The port through which the authorization server uses the subgraph that owns users and apps. Codes and tokens are passed as SHA-256 only. */
export interface OAuthPort {
  /** Throws the refusals of a sign-in. */
  signIn(visitor: Visitor, credentials: Credentials): Promise<Membership[]>
  /** Throws a `Refusal` when the sign-in of the grant is no longer valid. */
  consent(visitor: Visitor, grant: NewGrant): Promise<void>
  mayAct(organizationId: string, userId: string): Promise<boolean>
  findClient(id: string): Promise<Client | null>
  /** Throws a `Refusal` with `retryAfter` after too many wrong secrets from this address, for this client or for all clients. */
  checkClientThrottle(visitor: Visitor, id: string): Promise<void>
  /** Counts a wrong secret or an unknown client; throws like `checkClientThrottle` when there are too many. */
  countClientFailure(visitor: Visitor, id: string): Promise<void>
  register(caller: Caller, registration: Registration): Promise<void>
  /** Registers a client without a credential. Throws a `Refusal`, with `retryAfter` when there are too many unused ones. */
  registerOpen(registration: OpenRegistration): Promise<Client>
  saveToken(token: Token): Promise<void>
  findToken(kind: string, hash: string): Promise<Payload | null>
  /** False when another request has consumed it first. */
  consumeToken(kind: string, hash: string): Promise<boolean>
  removeToken(kind: string, hash: string): Promise<void>
  grantOfToken(kind: string, hash: string): Promise<string | null>
  findGrant(id: string): Promise<StoredGrant | null>
  removeGrant(id: string): Promise<void>
  saveVisit(visit: Visit): Promise<void>
  findVisit(kind: string, hash: string): Promise<Payload | null>
  removeVisit(kind: string, hash: string): Promise<void>
}
