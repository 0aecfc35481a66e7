import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { newApiKey } from '../../subgraphs/kernel/credentials/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { hasRedisServer, startRedis, type RedisServer } from '../redis-server.ts'
import { newSession } from '../requests/session.ts'
import { send, type RawResponse } from '../requests/send.ts'
import { openGateways, type Gateway, type TwoGateways } from './gateways.fixture.ts'

let redis: RedisServer
let gateways: TwoGateways
let one: Gateway
let other: Gateway

describe.runIf(hasRedisServer)('two gateways on one database and one Redis', () => {
  beforeAll(async () => {
    redis = await startRedis()
    gateways = await openGateways({ REDIS_URL: redis.url })
    ;({ one, other } = gateways)
  })
  afterAll(async () => {
    await gateways.close()
    await redis.stop()
  })

  const ask = ({ running }: Gateway, headers: Record<string, string>, path = '/v1/accounts'): Promise<RawResponse> =>
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
  ): Promise<RawResponse> {
    const { accessToken } = await newSession({ services: at.services }, { organizationId, userId })
    return send(at.running.url, {
      method: 'POST',
      path: '/v1/graphql',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ query, variables }),
    })
  }

  /** Repeats the request until the response changes, for at most one second. */
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
      'restricted to another address',
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
      'that lost the scope',
      (key) =>
        bySession(one, key, 'mutation($id: ID!) { apiKeyUpdate(id: $id, input: {scopes: ["READ_LEADS"]}) { id } }', {
          id: key.keyId,
        }),
      'API_KEY_SCOPE_INSUFFICIENT',
    ],
  ])('a key that is %s at one is refused at the other within a second', async (_, change, code) => {
    const key = await aKey()
    expect([(await ask(one, key.headers)).status, (await ask(other, key.headers)).status]).toEqual([200, 200])
    await change(key)
    expect((await within1s(other, key.headers)).code).toBe(code)
    expect((await within1s(one, key.headers)).code).toBe(code)
  })

  it('a session that ends at one gateway is refused at the other within a second', async () => {
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

  it('both gateways share one quota', async () => {
    const { headers } = await aKey({ rateLimit: { limit: 10, window: 'DAY' } })
    const answers: RawResponse[] = []
    for (let call = 0; call < 12; call++) answers.push(await ask(call % 2 === 0 ? one : other, headers))
    expect(
      answers.map(({ status, headers: { 'ratelimit-remaining': remaining } }) => [status, Number(remaining)]),
    ).toEqual([...Array.from({ length: 10 }, (_, call) => [200, 9 - call]), [429, 0], [429, 0]])
  })

  it('concurrent requests never exceed the quota', async () => {
    const { headers } = await aKey({ rateLimit: { limit: 10, window: 'DAY' } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, call) => ask(call % 2 === 0 ? one : other, headers)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(10)
    expect(answers.filter(({ body }) => body.code === 'API_KEY_RATE_LIMITED').length).toBe(30)
  })

  it('twenty wrong keys in total at both gateways block the address at both', async () => {
    const [from, otherAddress] = ['198.51.100.7', '198.51.100.8']
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
    expect((await ask(other, { ...headers, 'X-Forwarded-For': otherAddress })).status).toBe(200)
  })

  it('an Idempotency-Key used at one gateway is replayed at the other', async () => {
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
