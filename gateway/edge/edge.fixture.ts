import { generateKeyPairSync, hash as sha256, randomBytes } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import {
  newApiKey,
  type ApiKeyRecord,
  type FinishedRequest,
  type OAuthTokenRecord,
  type SessionRecord,
  signSessionToken,
} from '../../subgraphs/kernel/credentials/public.ts'
import type { Limit } from '../../subgraphs/kernel/config/config.ts'
import type { Counters } from '../../subgraphs/kernel/counters/counters.ts'
import { MemoryCounters } from '../../subgraphs/kernel/counters/memory-counters.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { Edge } from './edge.ts'
import type { Admission } from './edge.ts'

export const start = new Date('2026-03-01T12:00:00Z')
export const fromNow = (ms: number): Date => new Date(start.getTime() + ms)

const actingUser = {
  organizationId: 'org-1',
  organizationSuspended: false,
  ownerActive: true,
  ownerInOrganization: true,
  role: 'MEMBER',
  visibility: 'OWN',
  ownerIds: ['user-1'],
  fields: null,
  entitlements: [],
} as const

export const aKey = (values: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  ...actingUser,
  id: 'key-1',
  ownerId: 'user-1',
  scopes: ['READ_ACCOUNTS'],
  rateLimit: { limit: 1000, window: 'HOUR' },
  ipAllowList: [],
  expiresAt: null,
  revokedAt: null,
  previousSecretExpiresAt: null,
  ...values,
})

export const aSession = (values: Partial<SessionRecord> = {}): SessionRecord => ({
  ...actingUser,
  id: 'session-1',
  userId: 'user-1',
  expiresAt: fromNow(30 * 86_400_000),
  revokedAt: null,
  ...values,
})

export const aToken = (values: Partial<OAuthTokenRecord> = {}): OAuthTokenRecord => ({
  ...actingUser,
  id: 'grant-1',
  appId: 'app-1',
  userId: 'user-1',
  scopes: ['READ_ACCOUNTS'],
  rateLimit: { limit: 5000, window: 'HOUR' },
  expiresAt: fromNow(3_600_000),
  ...values,
})

export interface RequestOptions {
  readonly headers?: Record<string, string>
  readonly peer?: string
  readonly url?: string
}

export function exchange({ headers = {}, peer = '203.0.113.7', url = '/v1/accounts' }: RequestOptions = {}) {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer })
  const req = new IncomingMessage(socket)
  req.method = 'GET'
  req.url = url
  Object.assign(req.headers, headers)
  return { req, res: new ServerResponse(req) }
}

export interface Answer {
  readonly code: string
  readonly admission: Admission | null
  readonly refusal: Refusal | null
  readonly headers: Record<string, unknown>
}

const signing = generateKeyPairSync('ed25519')

export interface EdgeFixtureOptions {
  readonly ipLimits?: readonly Limit[]
  readonly trustProxy?: readonly string[]
  readonly counters?: Counters
}

/** An edge with records in memory and a clock that the test sets. */
export function anEdge({ ipLimits = [], trustProxy = [], counters = new MemoryCounters() }: EdgeFixtureOptions = {}) {
  const keys = new Map<string, ApiKeyRecord>()
  const sessions = new Map<string, SessionRecord>()
  const tokens = new Map<string, OAuthTokenRecord>()
  const reads: string[] = []
  const used: string[] = []
  const refused: string[] = []
  const finished: FinishedRequest[] = []
  let now = start
  const edge = new Edge({
    config: { ipLimits, trustProxy },
    counters,
    source: {
      async findApiKey(hash) {
        reads.push(hash)
        return keys.get(hash) ?? null
      },
      async findOAuthToken(hash) {
        reads.push(hash)
        return tokens.get(hash) ?? null
      },
      async findSession(id) {
        reads.push(id)
        return sessions.get(id) ?? null
      },
    },
    usage: {
      used: (key, ip, at) => void used.push(`${key.id} ${ip} ${at.toISOString()}`),
      refused: (key) => void refused.push(key.id),
      finished: (request) => void finished.push(request),
    },
    csrfKey: Buffer.alloc(32, 3),
    verifying: signing.publicKey,
    clock: { now: () => now },
    log: { error: () => {} },
  })

  /** Makes one request as the gateway does: `admit`, then `spend`. */
  async function send(options: RequestOptions = {}, charges = true): Promise<Answer> {
    const { req, res } = exchange(options)
    try {
      const admission = await edge.admit(req, res)
      if (charges) await edge.spend(admission, res)
      return { code: 'OK', admission, refusal: null, headers: res.getHeaders() }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { code: error.code, admission: null, refusal: error, headers: res.getHeaders() }
    }
  }

  return {
    edge,
    send,
    sendWithKey: (secret: string, options: RequestOptions = {}, charges = true) =>
      send({ ...options, headers: { 'x-api-key': secret, ...options.headers } }, charges),
    reads,
    used,
    refused,
    finished,
    keys,
    sessions,
    tokens,
    /** Stores a key and returns its secret and hash. */
    issue(values: Partial<ApiKeyRecord> = {}) {
      const { secret, hash } = newApiKey()
      keys.set(hash, aKey(values))
      return { secret, hash }
    },
    /** Stores an access token of an app and returns it. */
    authorize(values: Partial<OAuthTokenRecord> = {}): string {
      const token = randomBytes(32).toString('base64url')
      tokens.set(sha256('sha256', token, 'hex'), aToken(values))
      return token
    },
    signIn(values: Partial<SessionRecord> = {}) {
      const session = aSession(values)
      sessions.set(session.id, session)
      const { id: sessionId, userId, organizationId } = session
      return signSessionToken({ sessionId, userId, organizationId }, signing.privateKey, now)
    },
    setNow: (ms: number) => void (now = fromNow(ms)),
  }
}

/** A well-formed key that does not exist. */
export const inventedKey = (): string => newApiKey().secret
