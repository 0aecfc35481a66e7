import { newApiKey, signSessionToken } from '../../subgraphs/kernel/credentials/public.ts'
import {
  createApiKey,
  deactivateUser,
  removeUser,
  rotateApiKey,
  suspendOrganization,
} from '../../subgraphs/identity/public.ts'
import type { Member, Platform } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { restClient } from '../rest-client.ts'
import { newSession, sessionOf } from '../requests/session.ts'
import { tokensIn, type Tokens } from './tokens.ts'

type Headers = Readonly<Record<string, string>>

/** One organization with every kind of caller and the records that they request. */
export interface CallerFixture {
  /** Requests about records of the owner, which are visible to users with visibility ALL. */
  readonly requests: Requests
  readonly own: Requests
  readonly teammate: Requests
  key(of: Member, scopes: readonly string[]): Promise<Headers>
  readonly members: Readonly<Record<'owner' | 'admin' | 'manager' | 'all' | 'team' | 'own' | 'reader', Member>>
  readonly refused: Readonly<Record<RefusedCaller, Headers>>
  readonly tokens: Tokens
  session(of: Member): Promise<Headers>
}

export type RefusedCaller =
  | 'revoked'
  | 'expired'
  | 'rotated'
  | 'otherAddress'
  | 'suspended'
  | 'deactivated'
  | 'removed'
  | 'quotaExceeded'
  | 'unknown'
  | 'mistyped'
  | 'two'
  | 'ended session'
  | 'expired session'
  | 'forged session'
  | 'suspended session'
  | 'key as bearer'
  | 'directory'
  | 'basic'

const headersOf = (secret: string): Headers => ({ 'X-API-Key': secret })
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` })

export async function createCallerFixture(platform: Platform): Promise<CallerFixture> {
  const members = {
    owner: await platform.member({ role: 'OWNER' }),
    admin: await platform.member({ role: 'ADMIN' }),
    manager: await platform.member({ role: 'MANAGER' }),
    all: await platform.member({ visibility: 'ALL' }),
    team: await platform.member({ visibility: 'TEAM' }),
    own: await platform.member({ visibility: 'OWN' }),
    reader: await platform.member({ role: 'READ_ONLY' }),
  }
  // Creating these tokens advances the clock, so credentials that must stay valid are created afterwards.
  const tokens = await tokensIn(platform, members.owner.organizationId)
  const teammate = await platform.member({ visibility: 'OWN' })
  await platform.team(members.owner.organizationId, [members.team.userId, teammate.userId])
  const keys = new Map<string, Promise<Headers>>()
  const requests = await Requests.of(platform, members.owner)
  return {
    members,
    requests,
    own: await Requests.of(platform, members.own, requests),
    teammate: await Requests.of(platform, teammate, requests),
    key({ userId }, scopes) {
      const name = `${userId} ${scopes.join()}`
      let known = keys.get(name)
      if (!known)
        keys.set(name, (known = keyOf(platform, members.owner.organizationId, userId, { scopes: [...scopes] })))
      return known
    },
    refused: await refusedCallers(platform, members.owner),
    tokens,
    session: async (of) => bearer(await sessionOf(platform, of)),
  }
}

type Wanted = Partial<Parameters<typeof createApiKey>[2]>

async function keyOf(
  { services }: Platform,
  organizationId: string,
  ownerId: string,
  wanted: Wanted,
): Promise<Headers> {
  const standard = { name: 'test', scopes: ['*'], rateLimit: { limit: 1_000_000, window: 'HOUR' as const } }
  return headersOf((await createApiKey(services, organizationId, { ...standard, ...wanted, ownerId })).secret)
}

async function refusedCallers(platform: Platform, owner: Member): Promise<CallerFixture['refused']> {
  const { services } = platform
  const { organizationId, userId } = owner
  const revoked = await platform.member()
  await platform.query('update identity.api_key set revoked_at = $2 where id = $1', [
    revoked.keyId,
    platform.now.toISOString(),
  ])
  const rotated = await platform.member()
  await rotateApiKey(services, organizationId, rotated.keyId, 0)
  const soon = new Date(platform.now.getTime() + 1000).toISOString()
  const expired = await keyOf(platform, organizationId, userId, { expiresAt: soon })
  platform.advanceClock(1000)

  const suspended = await platform.member({ organizationId: await platform.organization('Suspended') })
  const suspendedSession = bearer(await sessionOf(platform, suspended))
  await suspendOrganization(services, suspended.organizationId)
  const deactivated = await platform.member()
  const endedSession = bearer((await newSession(platform, deactivated)).accessToken)
  await deactivateUser(services, organizationId, deactivated.userId)
  const removed = await platform.member()
  await removeUser(services, organizationId, removed.userId)
  const quotaExceeded = await keyOf(platform, organizationId, userId, { rateLimit: { limit: 1, window: 'DAY' } })
  await fetch(`${platform.url}/v1/accounts`, { headers: quotaExceeded })

  const claims = { sessionId: '0199d1a0-0000-7000-8000-000000000000', userId, organizationId }
  const past = new Date(platform.now.getTime() - 3_600_000)
  const genuine = await sessionOf(platform, owner)
  const { scimTokenRotate } = restClient(platform.contract, platform.url, bearer(genuine))
  return {
    revoked: revoked.headers,
    expired,
    rotated: rotated.headers,
    otherAddress: await keyOf(platform, organizationId, userId, { ipAllowList: ['192.0.2.1', '2001:db8::/32'] }),
    suspended: suspended.headers,
    deactivated: deactivated.headers,
    removed: removed.headers,
    quotaExceeded,
    unknown: headersOf(newApiKey().secret),
    mistyped: headersOf(`${owner.secret.slice(0, -1)}${owner.secret.endsWith('0') ? '1' : '0'}`),
    two: { ...owner.headers, Authorization: `ApiKey ${newApiKey().secret}` },
    'ended session': endedSession,
    'expired session': bearer(await signSessionToken(claims, services.keys.signing, past)),
    'forged session': bearer(`${genuine.slice(0, -10)}${Array.from(genuine.slice(-10)).toReversed().join('')}`),
    'suspended session': suspendedSession,
    'key as bearer': bearer(owner.secret),
    directory: bearer((await scimTokenRotate!()).body.token as string),
    basic: { Authorization: 'Basic b3duZXI6b3duZXI=' },
  }
}
