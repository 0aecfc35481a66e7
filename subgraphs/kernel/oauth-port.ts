import type { Caller } from './context.ts'

export type Payload = Readonly<Record<string, unknown>>

export interface Visitor {
  readonly ip: string
  readonly userAgent: string
}

/** What a person may choose between: itself in one of its organizations. */
export interface Membership {
  readonly organizationId: string
  readonly organizationName: string
  readonly userId: string
  /** The sign-in is over when the user has another one by then. */
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
  /** Of the sign-in on the page that the consent is given on. */
  readonly signInGeneration: number
}

export interface StoredGrant extends Grant {
  readonly expiresAt: string
}

/** What is kept of a browser on its way, or of a token; named by the hash of what its bearer holds. */
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

export interface Credentials {
  readonly email: string
  readonly password: string
  /** Of an earlier sign-in on the device. */
  readonly deviceToken: string | null
}

/** What the authorization server needs of whoever owns users and apps. Codes and tokens are named by their SHA-256 only. */
export interface OAuthPort {
  /** Throws what the sign-in throws. */
  signIn(visitor: Visitor, credentials: Credentials): Promise<Membership[]>
  /** Throws a `Refusal` when the sign-in that it stands on is over. */
  consent(visitor: Visitor, grant: NewGrant): Promise<void>
  mayAct(organizationId: string, userId: string): Promise<boolean>
  findClient(id: string): Promise<Client | null>
  /** Throws a `Refusal` with `retryAfter` when too many secrets from this address were wrong, of this client or of any. */
  admitClient(visitor: Visitor, id: string): Promise<void>
  /** Notes a wrong secret, or a client that does not exist; throws as `admitClient` once there are too many. */
  clientFailed(visitor: Visitor, id: string): Promise<void>
  register(caller: Caller, registration: Registration): Promise<void>
  saveToken(token: Token): Promise<void>
  findToken(kind: string, hash: string): Promise<Payload | null>
  /** False when somebody else was first. */
  consumeToken(kind: string, hash: string): Promise<boolean>
  removeToken(kind: string, hash: string): Promise<void>
  grantOfToken(kind: string, hash: string): Promise<string | null>
  findGrant(id: string): Promise<StoredGrant | null>
  removeGrant(id: string): Promise<void>
  saveVisit(visit: Visit): Promise<void>
  findVisit(kind: string, hash: string): Promise<Payload | null>
  removeVisit(kind: string, hash: string): Promise<void>
}
