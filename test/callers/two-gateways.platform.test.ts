import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway, type Running } from '../../main.ts'
import { migrations } from '../../subgraphs/all.ts'
import {
  createApiKey,
  createOrganization,
  createUser,
  deactivateUser,
  removeUser,
  suspendOrganization,
  updateUser,
} from '../../subgraphs/identity/public.ts'
import { newApiKey } from '../../subgraphs/kernel/api-key.ts'
import { readConfig } from '../../subgraphs/kernel/config.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { freshDatabase, type FreshDatabase } from '../fresh-database.ts'
import { hasRedisServer, startRedis, type RedisServer } from '../redis-server.ts'
import { newSession } from '../requests/session.ts'
import { send, type Received } from '../requests/send.ts'

interface Gateway {
  readonly services: OpenServices
  readonly running: Running
}

let redis: RedisServer
let fresh: FreshDatabase
let dataDir: string
let one: Gateway
let other: Gateway

async function gateway(): Promise<Gateway> {
  const config = readConfig({
    PORT: '0',
    DEMO: 'off',
    IP_LIMITS: 'off',
    TRUST_PROXY: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: fresh.url,
    REDIS_URL: redis.url,
  })
  const services = await openServices({ config, migrations, log: pino({ level: 'silent' }) })
  return { services, running: await startGateway(config, services) }
}

describe.runIf(hasRedisServer)('two gateways on one database and one Redis', () => {
  beforeAll(async () => {
    redis = await startRedis()
    fresh = await freshDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'crm-gateways-'))
    one = await gateway()
    other = await gateway()
  })
  afterAll(async () => {
    for (const { running, services } of [one, other]) {
      await running.close()
      await services.close()
    }
    await fresh.drop()
    await redis.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const ask = ({ running }: Gateway, headers: Record<string, string>, path = '/v1/accounts'): Promise<Received> =>
    send(running.url, { method: 'GET', path, headers })

  async function aKey(wanted: Partial<Parameters<typeof createApiKey>[2]> = {}) {
    const { services } = one
    const { id: organizationId } = await createOrganization(services, { name: 'Acme' })
    const user = await createUser(services, organizationId, {
      email: `u${newId()}@example.com`,
      name: 'Ann Lee',
      role: 'OWNER',
      visibility: 'ALL',
    })
    const key = await createApiKey(services, organizationId, {
      name: 'test',
      scopes: ['*'],
      ...wanted,
      ownerId: user.id,
    })
    return { organizationId, userId: user.id, keyId: key.id, headers: { 'X-API-Key': key.secret } }
  }
  type Key = Awaited<ReturnType<typeof aKey>>

  async function bySession(
    at: Gateway,
    { organizationId, userId }: Key,
    query: string,
    variables: object,
  ): Promise<Received> {
    const { accessToken } = await newSession({ services: at.services }, { organizationId, userId })
    return send(at.running.url, {
      method: 'POST',
      path: '/v1/graphql',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ query, variables }),
    })
  }

  /** Asks until the answer is another one, for at most a second from now. */
  async function within1s(at: Gateway, headers: Record<string, string>): Promise<{ code: string; status: number }> {
    const deadline = performance.now() + 1000
    for (;;) {
      const { status, body } = await ask(at, headers)
      if (status !== 200 || performance.now() > deadline) return { status, code: body.code as string }
    }
  }

  it.each<[string, (key: Key) => Promise<unknown>, string]>([
    [
      'revoked',
      (key) => bySession(one, key, 'mutation($id: ID!) { apiKeyRevoke(id: $id) { status } }', { id: key.keyId }),
      'API_KEY_INVALID',
    ],
    [
      'deleted',
      (key) => bySession(one, key, 'mutation($id: ID!) { apiKeyDelete(id: $id) }', { id: key.keyId }),
      'API_KEY_INVALID',
    ],
    [
      'expired',
      (key) =>
        bySession(
          one,
          key,
          'mutation($id: ID!, $at: DateTime) { apiKeyUpdate(id: $id, input: {expiresAt: $at}) { id } }',
          { id: key.keyId, at: new Date(Date.now() + 300).toISOString() },
        ),
      'API_KEY_EXPIRED',
    ],
    [
      'bound to another address',
      (key) =>
        bySession(
          one,
          key,
          'mutation($id: ID!) { apiKeyUpdate(id: $id, input: {ipAllowList: ["192.0.2.1"]}) { id } }',
          { id: key.keyId },
        ),
      'API_KEY_IP_NOT_ALLOWED',
    ],
    [
      'left without the scope',
      (key) =>
        bySession(one, key, 'mutation($id: ID!) { apiKeyUpdate(id: $id, input: {scopes: ["READ_LEADS"]}) { id } }', {
          id: key.keyId,
        }),
      'API_KEY_SCOPE_INSUFFICIENT',
    ],
    [
      'deactivated with its owner',
      ({ organizationId, userId }) => deactivateUser(one.services, organizationId, userId),
      'API_KEY_OWNER_INACTIVE',
    ],
    [
      'left behind by its owner',
      ({ organizationId, userId }) => removeUser(one.services, organizationId, userId),
      'API_KEY_OWNER_NOT_IN_ORG',
    ],
    [
      'suspended with its organization',
      ({ organizationId }) => suspendOrganization(one.services, organizationId),
      'ORGANIZATION_SUSPENDED',
    ],
  ])('a key that is %s at one is refused at the other within a second', async (_, change, code) => {
    const key = await aKey()
    expect([(await ask(one, key.headers)).status, (await ask(other, key.headers)).status]).toEqual([200, 200])
    await change(key)
    expect((await within1s(other, key.headers)).code).toBe(code)
    expect((await within1s(one, key.headers)).code).toBe(code)
  })

  it('a lowered role is felt at the other within a second', async () => {
    const key = await aKey()
    const write = () =>
      send(other.running.url, {
        method: 'POST',
        path: '/v1/accounts',
        headers: { ...key.headers, 'Content-Type': 'application/json' },
        body: '{"name":"Acme"}',
      })
    expect((await write()).status).toBe(201)
    await updateUser(one.services, key.organizationId, key.userId, { role: 'READ_ONLY' })
    const deadline = performance.now() + 1000
    let answer = await write()
    while (answer.status === 201 && performance.now() < deadline) answer = await write()
    expect([answer.status, answer.body.code]).toEqual([403, 'PERMISSION_DENIED'])
  })

  it('a session that ends at one is refused at the other within a second', async () => {
    const key = await aKey()
    const { accessToken } = await newSession({ services: one.services }, key)
    const headers = { Authorization: `Bearer ${accessToken}` }
    expect((await ask(other, headers)).status).toBe(200)
    await send(one.running.url, {
      method: 'POST',
      path: '/v1/graphql',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"query":"mutation { authLogout { sessionId } }"}',
    })
    expect(await within1s(other, headers)).toEqual({ status: 401, code: 'UNAUTHENTICATED' })
  })

  it('a quota is one quota', async () => {
    const { headers } = await aKey({ rateLimit: { limit: 10, window: 'DAY' } })
    const answers: Received[] = []
    for (let call = 0; call < 12; call++) answers.push(await ask(call % 2 === 0 ? one : other, headers))
    expect(
      answers.map(({ status, headers: { 'ratelimit-remaining': remaining } }) => [status, Number(remaining)]),
    ).toEqual([...Array.from({ length: 10 }, (_, call) => [200, 9 - call]), [429, 0], [429, 0]])
  })

  it('of requests that come together no more than the quota pass', async () => {
    const { headers } = await aKey({ rateLimit: { limit: 10, window: 'DAY' } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, call) => ask(call % 2 === 0 ? one : other, headers)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(10)
    expect(answers.filter(({ body }) => body.code === 'API_KEY_RATE_LIMITED').length).toBe(30)
  })

  it('twenty failed keys at both block the address at both', async () => {
    const [from, elsewhere] = ['198.51.100.7', '198.51.100.8']
    const codes: unknown[] = []
    for (let call = 0; call < 22; call++) {
      const { body } = await ask(call % 2 === 0 ? one : other, {
        'X-API-Key': newApiKey().secret,
        'X-Forwarded-For': from,
      })
      codes.push(body.code)
    }
    expect(codes).toEqual([
      ...Array<string>(20).fill('API_KEY_INVALID'),
      'API_KEY_AUTH_THROTTLED',
      'API_KEY_AUTH_THROTTLED',
    ])
    const { headers } = await aKey()
    expect((await ask(other, { ...headers, 'X-Forwarded-For': from })).body.code).toBe('API_KEY_AUTH_THROTTLED')
    expect((await ask(other, { ...headers, 'X-Forwarded-For': elsewhere })).status).toBe(200)
  })

  it('an Idempotency-Key used at one is replayed at the other', async () => {
    const key = await aKey()
    const create = ({ running }: Gateway) =>
      send(running.url, {
        method: 'POST',
        path: '/v1/accounts',
        headers: { ...key.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
        body: '{"name":"Acme"}',
      })
    const [first, second] = [await create(one), await create(other)]
    expect([first.status, second.status, second.headers['idempotent-replayed'], second.body]).toEqual([
      201,
      201,
      'true',
      first.body,
    ])
  })
})
