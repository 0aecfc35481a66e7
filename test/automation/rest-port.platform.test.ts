import { beforeAll, describe, expect, it } from 'vitest'
import { actingCaller } from '../../subgraphs/identity/public.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { largestLimits } from '../../subgraphs/kernel/operation-limits.ts'
import type { RestAnswer, RestRequest } from '../../subgraphs/kernel/rest-port/rest-port.ts'
import { connectGraph } from '../../open-graph.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { RestConnection } from '../../subgraphs/kernel/rest-port/rest-port.ts'
import { GraphConnection } from '../../subgraphs/kernel/graph-port/graph-port.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let owner: Member
let caller: Caller
let account: { id: string; version: number }

const callerWith = async (scopes: readonly string[]): Promise<Caller> =>
  (await actingCaller(platform.services.database, {
    organizationId: owner.organizationId,
    userId: owner.userId,
    scopes,
    runAsAdmin: true,
    origin: { kind: 'FUNCTION', id: newId(), runId: newId() },
    depth: 2,
  }))!

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  caller = await callerWith(['*'])
  account = (await owner.rest.accountCreate!({ body: { name: 'Nordhavn' } })).body as never
})

const call = (request: RestRequest, as = caller, idempotencyKey: string | null = null, timeoutMs = 20_000) =>
  platform.services.rest.call(request, as, { requestId: `req_${newId()}`, idempotencyKey, timeoutMs })

async function overHttp({ method, path, body }: RestRequest, key: string | null = null): Promise<RestAnswer> {
  const headers = {
    ...owner.headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key !== null && { 'idempotency-key': key }),
  }
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await fetch(`${platform.url}${path}`, init)
  const text = await answer.text()
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: text === '' ? null : JSON.parse(text),
  }
}

/** Ids and times of one record differ from those of another one. */
const comparable = ({ status, headers, body }: RestAnswer): unknown => ({
  status,
  ...Object.fromEntries(
    ['content-type', 'etag', 'idempotent-replayed', 'api-version', 'allow', 'retry-after'].map((name) => [
      name,
      headers[name],
    ]),
  ),
  body: JSON.parse(
    JSON.stringify(body).replaceAll(/req_[\w-]+|01[\da-f-]{34}|20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'changing'),
  ) as unknown,
})
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: Refusal) => error.code,
  )
const accounts = async () =>
  (
    await platform.query<{ rows: string }>(
      'select md5(string_agg(a::text, $1 order by a.id)) as rows from crm.account a',
      [','],
    )
  )[0]!.rows

describe('RestPort answers as the real API does', () => {
  const path = () => `/v1/accounts/${account.id}`

  it.each<[string, () => RestRequest]>([
    ['a record', () => ({ method: 'GET', path: path() })],
    ['a list with a query', () => ({ method: 'GET', path: '/v1/accounts?limit=1&sortBy=name' })],
    ['an alias', () => ({ method: 'GET', path: '/v1/companies?limit=1' })],
    ['an unknown record', () => ({ method: 'GET', path: `/v1/accounts/${owner.userId}` })],
    ['an unknown parameter', () => ({ method: 'GET', path: '/v1/accounts?limitt=1' })],
    ['an unknown path', () => ({ method: 'GET', path: '/v1/nothing' })],
    ['an unknown path of an area', () => ({ method: 'GET', path: `${path()}/nothing` })],
    ['a method that the path does not have', () => ({ method: 'PUT', path: path(), body: {} })],
    ['a path with dots', () => ({ method: 'GET', path: '/v1/contacts/../accounts?limit=1' })],
    ['bad percent-encoding', () => ({ method: 'GET', path: '/v1/accounts/%zz' })],
    ['a new record', () => ({ method: 'POST', path: '/v1/accounts', body: { name: 'Ärger & Söhne 🚢' } })],
    ['an unknown field', () => ({ method: 'POST', path: '/v1/accounts', body: { name: 'A', nmae: 'B' } })],
    ['a body that is no object', () => ({ method: 'POST', path: '/v1/accounts', body: ['A'] })],
    ['no body', () => ({ method: 'POST', path: '/v1/accounts' })],
    [
      'a body that is too large',
      () => ({ method: 'POST', path: '/v1/accounts', body: { name: 'x'.repeat(1_048_577) } }),
    ],
    ['a stale version', () => ({ method: 'PATCH', path: path(), body: { name: 'B', version: 7 } })],
    ['a method that a fixed path does not have', () => ({ method: 'POST', path: '/v1/accounts/stats', body: {} })],
    ['the catalog of events', () => ({ method: 'GET', path: '/v1/events/types?limit=1' })],
  ])('to %s', async (_, request) => {
    const expected = comparable(await overHttp(request()))
    expect(comparable(await call(request()))).toEqual(expected)
  })

  it('and changes once per key, with the acting user, the origin and the depth', async () => {
    const request = { method: 'POST', path: '/v1/accounts', body: { name: 'Once' } } as const
    const key = newId()
    const first = await call(request, caller, key)
    expect([first.status, first.headers['location']]).toEqual([
      201,
      `/v1/accounts/${(first.body as Caller & { id: string }).id}`,
    ])
    const again = await call(request, caller, key)
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } })
    const other = await call({ ...request, body: { name: 'Other' } }, caller, key)
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    const { id } = first.body as { id: string }
    expect(
      await platform.query(
        'select a.created_by_id as "by", e.depth, e.origin from crm.account a join kernel.event e on e.record_id = a.id where a.name = $1',
        ['Once'],
      ),
    ).toEqual([{ by: owner.userId, depth: 2, origin: caller.origin }])
    expect(await platform.eventTypesOf(id)).toEqual(['account.created'])
  })
})

describe('RestPort refuses', () => {
  it.each([
    ['what needs a session', { method: 'GET', path: '/v1/api-keys' }, 403, 'PERMISSION_DENIED'],
    [
      'a sign-in',
      { method: 'POST', path: '/v1/auth/login', body: { email: 'a@b.example', password: 'x' } },
      403,
      'PERMISSION_DENIED',
    ],
    ['a stream', { method: 'POST', path: '/v1/webhooks/listen' }, 403, 'PERMISSION_DENIED'],
    ['the graph', { method: 'POST', path: '/v1/graphql', body: { query: '{ __typename }' } }, 404, 'NOT_FOUND'],
    ['the directory', { method: 'GET', path: '/v1/scim/v2/Users' }, 404, 'NOT_FOUND'],
    ['the pages of sign-in', { method: 'GET', path: '/v1/oauth/authorize' }, 404, 'NOT_FOUND'],
  ] as const)('%s', async (_, request, status, code) => {
    const before = await accounts()
    expect(await call(request)).toMatchObject({ status, body: { code } })
    expect(await accounts()).toBe(before)
  })

  it('an operation whose scope is missing', async () => {
    const reader = await callerWith(['READ_ACCOUNTS'])
    const before = await accounts()
    expect(
      await call({ method: 'PATCH', path: `/v1/accounts/${account.id}`, body: { name: 'B' } }, reader),
    ).toMatchObject({
      status: 403,
      body: { code: 'PERMISSION_DENIED', missingScopes: ['WRITE_ACCOUNTS'] },
    })
    expect(await accounts()).toBe(before)
    expect(await call({ method: 'GET', path: `/v1/accounts/${account.id}` }, reader)).toMatchObject({ status: 200 })
  })

  it.each<[string, unknown, string]>([
    ['a path outside of /v1', { method: 'GET', path: '/openapi.json' }, 'NOT_FOUND'],
    ['a path that leaves /v1', { method: 'GET', path: '/v1/../openapi.json' }, 'NOT_FOUND'],
    ['an encoded path that leaves /v1', { method: 'GET', path: '/v1/%2e%2e/metrics' }, 'NOT_FOUND'],
    ['an address', { method: 'GET', path: 'http://127.0.0.1/v1/accounts' }, 'NOT_FOUND'],
    ['a host', { method: 'GET', path: '//example.com/v1/accounts' }, 'NOT_FOUND'],
    ['a path with a line break', { method: 'GET', path: '/v1/accounts\r\nX-API-Key: a' }, 'NOT_FOUND'],
    ['a path that is no text', { method: 'GET', path: { length: 3 } }, 'NOT_FOUND'],
    ['a long path', { method: 'GET', path: `/v1/accounts?search=${'x'.repeat(8_192)}` }, 'NOT_FOUND'],
    ['another method', { method: 'TRACE', path: '/v1/accounts' }, 'METHOD_NOT_ALLOWED'],
    [
      'a body that no operation accepts',
      { method: 'POST', path: '/v1/accounts', body: 'x'.repeat(largestLimits.bodyBytes) },
      'PAYLOAD_TOO_LARGE',
    ],
  ])('%s', async (_, request, code) => {
    expect(await refusalOf(call(request as RestRequest))).toBe(code)
  })
})

describe('an answer that takes too long', () => {
  it('ends the read, and a change that goes on is found by its key', async () => {
    const key = newId()
    const change = { method: 'PATCH', path: `/v1/accounts/${account.id}`, body: { name: 'Later' } } as const
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      const read = refusalOf(call({ method: 'GET', path: `/v1/accounts/${account.id}` }, caller, null, 100))
      const write = refusalOf(call(change, caller, key, 100))
      expect([await read, await write]).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
    })
    await expect.poll(async () => (await call(change, caller, key)).status).toBe(200)
    const events = await platform.eventTypesOf(account.id)
    expect(events.filter((type) => type === 'account.updated')).toHaveLength(1)
  })
})

describe('the refusal of an answer that takes too long', () => {
  it('says whether something may have been changed, and how to find out', async () => {
    const path = `/v1/accounts/${account.id}`
    const change = { method: 'PATCH', path, body: { name: 'Latest' } } as const
    const before = await platform.eventTypesOf(account.id)
    const messageOf = async (request: RestRequest, options: object): Promise<string> => {
      const given = { requestId: `req_${newId()}`, idempotencyKey: null, timeoutMs: 100, ...options }
      return (platform.services.rest.call(request, caller, given) as Promise<unknown>).then(
        () => 'answered',
        ({ message }: Refusal) => message,
      )
    }
    const late = 'The operation did not answer within 100 ms.'
    const key = newId()
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      expect(await messageOf({ method: 'GET', path }, {})).toBe(`${late} Nothing has been changed.`)
      expect(await messageOf(change, { dryRun: 'CHANGES' })).toBe(`${late} Nothing has been changed.`)
    })
    await platform.settled()
    expect(await platform.eventTypesOf(account.id)).toEqual(before)
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      expect(await messageOf(change, { idempotencyKey: key })).toBe(
        `${late} A change may have been made; repeat it with the same idempotency key.`,
      )
      expect(await messageOf(change, {})).toBe(`${late} A change may have been made.`)
    })
    await expect.poll(async () => (await call(change, caller, key)).status).toBe(200)
  })
})

describe('in a process without a gateway', () => {
  it('REST is opened with the first call, on the graph of the process', async () => {
    const services = { ...platform.services, graph: new GraphConnection(), rest: new RestConnection() }
    const request = { method: 'GET', path: `/v1/accounts/${account.id}` } as const
    const options = { requestId: 'req_1', idempotencyKey: null, timeoutMs: 30_000 }
    expect(await refusalOf(services.rest.call(request, caller, options))).toBe('UNAVAILABLE')
    connectGraph(readConfig({ DATABASE_URL: 'postgres://unused', DEMO: 'off' }), services)
    expect(comparable(await services.rest.call(request, caller, options))).toEqual(comparable(await overHttp(request)))
  })
})
