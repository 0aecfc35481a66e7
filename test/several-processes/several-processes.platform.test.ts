import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { jobs, migrations } from '../../subgraphs/all.ts'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { freshDatabase, type FreshDatabase } from '../fresh-database.ts'
import { hasRedisServer, startRedis, type RedisServer } from '../redis-server.ts'
import { subscribeByEvents } from '../live.ts'
import { answerOf, type Answer } from '../rest-client.ts'
import { aProcess, type Process } from '../processes.ts'

const password = 'Correct horse, battery 42!'
const addressMax = 60

let fresh: FreshDatabase
let redis: RedisServer
let dataDir: string
let services: OpenServices
let [one, other, support, events]: Process[] = []
let env: Record<string, string>
let organizationId: string
let owner: { id: string; email: string }

async function environment(): Promise<Record<string, string>> {
  dataDir = await mkdtemp(join(tmpdir(), 'crm-apart-'))
  return {
    DATA_DIR: dataDir,
    DATABASE_URL: fresh.url,
    REDIS_URL: redis.url,
    DEMO: 'off',
    IP_LIMITS: `${addressMax}/h`,
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '127.0.0.1/32',
    CALLER_KEY: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

beforeAll(async () => {
  fresh = await freshDatabase()
  redis = await startRedis()
  env = await environment()
  services = await openServices({ config: readConfig(env), migrations, log: pino({ level: 'silent' }) })
  organizationId = (await createOrganization(services, { name: 'Acme' })).id
  owner = await createUser(services, organizationId, {
    email: `u${newId()}@example.com`,
    name: 'Ann Lee',
    role: 'OWNER',
    visibility: 'ALL',
    password,
  })
  support = await aProcess(['bin/run', 'main', 'subgraph', 'support'], env)
  events = await aProcess(['bin/run', 'main', 'subgraph', 'events'], env)
  const gatewayEnv = { ...env, SUBGRAPH_SUPPORT_URL: support.url }
  one = await aProcess(['bin/run', 'main', 'gateway'], gatewayEnv)
  other = await aProcess(['bin/run', 'main', 'gateway'], { ...gatewayEnv, SUBGRAPH_EVENTS_URL: events.url })
  await Promise.all([support.start(), events.start()])
  await Promise.all([one.start(), other.start()])
}, 120_000)

afterAll(async () => {
  await Promise.all([one, other, support, events].map((running) => running?.kill()))
  await services?.close()
  await redis?.stop()
  await fresh?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

let addresses = 0
/** A client address that no other test uses. */
const anAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

async function aKey(limit = 100_000) {
  const { id, secret } = await createApiKey(services, organizationId, {
    ownerId: owner.id,
    name: 'test',
    scopes: ['*'],
    rateLimit: { limit, window: 'HOUR' },
  })
  return { id, headers: { 'x-api-key': secret, ...anAddress() } }
}

const get = async (gateway: Process, path: string, headers: Record<string, string>): Promise<Answer> =>
  answerOf(await fetch(gateway.url + path, { headers }))

async function post(gateway: Process, path: string, headers: Record<string, string>, body: unknown): Promise<Answer> {
  return answerOf(
    await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )
}

const graphql = (gateway: Process, headers: Record<string, string>, query: string, variables: object = {}) =>
  post(gateway, '/v1/graphql', headers, { query, variables })

async function anAccountWithCase(headers: Record<string, string>, name: string): Promise<string> {
  const { id } = (await post(one!, '/v1/accounts', headers, { name })).body
  const created = await post(other!, '/v1/cases', headers, { subject: `${name} calls`, accountId: id })
  expect(created.status).toBe(201)
  return id
}

const nested = `query ($name: String!) {
  accountList(filter: { name: { eq: $name } }) { total data { name cases(first: 5) { nodes { subject account { name } } } } }
}`

describe.runIf(hasRedisServer)('two gateways and a subgraph in separate processes', () => {
  it('return the same responses', async () => {
    const { headers } = await aKey()
    const id = await anAccountWithCase(headers, 'Initech')
    const answers = await Promise.all(
      [one!, other!].map((gateway) => graphql(gateway, headers, nested, { name: 'Initech' })),
    )
    const data = { name: 'Initech', cases: { nodes: [{ subject: 'Initech calls', account: { name: 'Initech' } }] } }
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, { data: { accountList: { total: 1, data: [data] } } }])
    }
    const lists = await Promise.all([one!, other!].map((gateway) => get(gateway, `/v1/cases?accountId=${id}`, headers)))
    expect(lists[0]!.body.data).toMatchObject([{ subject: 'Initech calls', accountId: id }])
    expect(lists[1]!.body).toEqual(lists[0]!.body)
  })

  it('deliver an event at one of them when a record is changed at the other', async () => {
    const { headers } = await aKey()
    const id = await anAccountWithCase(headers, 'Followed')
    const document = `subscription ($id: ID!) {
      recordChanged(object: ACCOUNT, id: $id, after: "0") { type account { name cases { nodes { subject } } } }
    }`
    const live = await subscribeByEvents(`${other!.url}/graphql`, headers, document, { id })
    const cases = { nodes: [{ subject: 'Followed calls' }] }
    expect(await live.next()).toEqual({
      data: { recordChanged: { type: 'account.created', account: { name: 'Followed', cases } } },
    })
    await graphql(one!, headers, 'mutation ($id: ID!) { accountUpdate(id: $id, input: { name: "Renamed" }) { id } }', {
      id,
    })
    expect(await live.next()).toEqual({
      data: { recordChanged: { type: 'account.updated', account: { name: 'Renamed', cases } } },
    })
    live.leave()
  })

  it('return the same refusals of the subgraph', async () => {
    const { headers } = await aKey()
    const answers = await Promise.all([one!, other!].map((gateway) => get(gateway, `/v1/cases/${newId()}`, headers)))
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ])
  })

  it('execute a request once when it is repeated at the other gateway', async () => {
    const key = await aKey()
    const headers = { ...key.headers, 'idempotency-key': newId() }
    const first = await post(one!, '/v1/cases', headers, { subject: 'Once' })
    const second = await post(other!, '/v1/cases', headers, { subject: 'Once' })
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id])
    expect(await fresh.database.query(`select count(*)::int as n from support."case" where subject = 'Once'`)).toEqual([
      { n: 1 },
    ])
  })

  it('carry out all root fields of a mutation with @atomic, or none', async () => {
    const { headers } = await aKey()
    const create = (second: string) =>
      graphql(
        one!,
        headers,
        `
          mutation ($second: String!) @atomic {
            a: caseCreate(input: { subject: "Whole" }) {
              subject
            }
            b: caseCreate(input: { subject: $second }) {
              subject
            }
          }
        `,
        { second },
      )
    const stored = () =>
      fresh.database.query(`select count(*)::int as n from support."case" where subject like 'Whole%'`)
    const { body } = await create(' ')
    expect([body.data, body.errors.map(({ path }: never) => path)]).toEqual([{ a: null, b: null }, [['b']]])
    expect(await stored()).toEqual([{ n: 0 }])
    expect((await create('Whole too')).body).toEqual({ data: { a: { subject: 'Whole' }, b: { subject: 'Whole too' } } })
    expect(await stored()).toEqual([{ n: 2 }])
  })

  it('share one quota', async () => {
    const { headers } = await aKey(4)
    const seen = []
    for (const gateway of [one!, other!, one!, other!, one!, other!]) {
      const { status, headers: answered } = await get(gateway, '/v1/products', headers)
      seen.push([status, answered.get('ratelimit-remaining')])
    }
    expect(seen).toEqual([
      [200, '3'],
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
      [429, '0'],
    ])
  })

  it('share the count of wrong keys', async () => {
    const address = anAddress()
    const wrong = { 'x-api-key': 'no-such-key', ...address }
    const statuses = []
    for (let attempt = 0; attempt < 21; attempt++)
      statuses.push((await get(attempt % 2 ? one! : other!, '/v1/products', wrong)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429])
    const { headers } = await aKey()
    const valid = await Promise.all(
      [one!, other!].map((gateway) => get(gateway, '/v1/products', { ...headers, ...address })),
    )
    expect(valid.map(({ status, body }) => [status, body.code])).toEqual([
      [429, 'API_KEY_AUTH_THROTTLED'],
      [429, 'API_KEY_AUTH_THROTTLED'],
    ])
  })

  it('share the count of requests of a client address', async () => {
    const { headers } = await aKey()
    const statuses = []
    for (let round = 0; round < addressMax / 2; round++) {
      const spent = await Promise.all([one!, other!].map((gateway) => get(gateway, '/v1/products?limit=1', headers)))
      statuses.push(...spent.map(({ status }) => status))
    }
    expect(statuses).toEqual(Array.from({ length: addressMax }, () => 200))
    const next = await Promise.all([one!, other!].map((gateway) => get(gateway, '/v1/products', headers)))
    expect(next.map(({ status, body }) => [status, body.code])).toEqual([
      [429, 'IP_RATE_LIMITED'],
      [429, 'IP_RATE_LIMITED'],
    ])
  })

  it('refuse a key within one second after it was revoked at one of them', async () => {
    const { id, headers } = await aKey()
    const use = (gateway: Process) => get(gateway, '/v1/products?limit=1', headers)
    expect([(await use(one!)).status, (await use(other!)).status]).toEqual([200, 200])
    const login = 'mutation ($input: LoginInput!) { authLogin(input: $input) { accessToken } }'
    const signedIn = await graphql(one!, anAddress(), login, { input: { email: owner.email, password } })
    const session = { authorization: `Bearer ${signedIn.body.data.authLogin.accessToken}`, ...anAddress() }
    const revoked = await graphql(one!, session, 'mutation ($id: ID!) { apiKeyRevoke(id: $id) { status } }', { id })
    expect(revoked.body).toEqual({ data: { apiKeyRevoke: { status: 'REVOKED' } } })
    const at = performance.now()
    await vi.waitFor(async () => expect((await use(other!)).status).toBe(401), { timeout: 1000, interval: 20 })
    expect((await use(one!)).status).toBe(401)
    expect(performance.now() - at).toBeLessThan(1000)
  })

  it('are the only callers that the subgraph accepts', async () => {
    const { status, body } = await post(support!, '/', {}, { query: '{ __typename }', variables: {} })
    expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  it('answer requests that do not need the subgraph while it is down, and all requests when it is up again', async () => {
    const { headers } = await aKey()
    await anAccountWithCase(headers, 'Globex')
    await support!.kill()
    for (const gateway of [one!, other!]) {
      const { status, body } = await graphql(gateway, headers, nested, { name: 'Globex' })
      expect([status, body.data]).toEqual([200, { accountList: { total: 1, data: [{ name: 'Globex', cases: null }] } }])
      expect(
        body.errors.map(({ path, extensions }: { path: unknown; extensions: { code: string } }) => [
          path,
          extensions.code,
        ]),
      ).toEqual([[['accountList', 'data'], 'UNAVAILABLE']])
      const list = await get(gateway, '/v1/cases', headers)
      expect([list.status, list.body.code, list.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1'])
      expect((await get(gateway, '/v1/accounts', headers)).status).toBe(200)
    }

    await support!.start()
    for (const gateway of [one!, other!]) {
      await vi.waitFor(
        async () => {
          const { body } = await graphql(gateway, headers, nested, { name: 'Globex' })
          expect(body.errors).toBe(undefined)
          expect(body.data.accountList.data[0].cases.nodes).toEqual([
            { subject: 'Globex calls', account: { name: 'Globex' } },
          ])
        },
        { timeout: 3000 },
      )
    }
  }, 60_000)

  it('exit with 0 on SIGTERM', async () => {
    expect(await Promise.all([one!, other!, support!].map((running) => running.stop()))).toEqual([0, 0, 0])
  })
})

describe.runIf(hasRedisServer)('a worker in a separate process', () => {
  it('logs the names of its jobs, and exits with 0 on SIGTERM', async () => {
    const worker = await aProcess(['bin/run', 'worker'], { ...env, LOG_LEVEL: 'info' }, 'the worker runs')
    await worker.start()
    const known = async (): Promise<string[]> => {
      const text = 'select identifier as name from graphile_worker._private_known_crontabs order by 1'
      return (await fresh.database.query<{ name: string }>(text)).map(({ name }) => name)
    }
    await vi.waitFor(async () => expect(await known()).toEqual(jobs.map(({ name }) => name).sort()), {
      timeout: 20_000,
    })
    expect(await worker.stop()).toBe(0)
  })
})
