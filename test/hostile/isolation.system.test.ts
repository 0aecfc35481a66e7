import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { socketOf, subscribeOn } from '../live.ts'
import { aSecondProcess } from '../processes.ts'
import { answerOf } from '../rest-client.ts'
import {
  expensiveLists,
  fillLongAccounts,
  unmatchedFilter,
  unmatchedSearch,
  type GraphqlRequest,
} from './isolation.fixture.ts'

const platform = usePlatform()
let attacker: Member
let victim: Member
let record: string
/** The account above all others of the attacker. */
let parent: string

beforeAll(async () => {
  attacker = await platform.member({ organizationId: await platform.organization('Attacking') })
  victim = await platform.member({ organizationId: await platform.organization('Quiet') })
  parent = (await attacker.rest['accountCreate']!({ body: { name: 'Parent' } })).body.id
  // A fast machine searches 30,000 of them in less than two seconds; one statement that adds more takes too long on a slow one.
  for (let part = 0; part < 2; part++) await fillLongAccounts(platform, attacker, 25_000, parent)
  record = (await victim.rest['accountCreate']!({ body: { name: 'Quiet' } })).body.id
})

/** Running statements of requests on accounts. */
async function running(): Promise<number> {
  const [row] = await platform.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and state = 'active' and query like '%from tenant.crm_account t where%'`,
  )
  return row!.count
}

const until = (count: number): Promise<void> =>
  vi.waitFor(async () => expect(await running()).toBe(count), { timeout: 30_000, interval: 10 })

const send = (request: GraphqlRequest, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${platform.url}/v1/graphql`, {
    method: 'POST',
    headers: { ...attacker.headers, 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal,
  })

const readsById = async (): Promise<void> => {
  expect((await victim.rest['account']!({ id: record })).status).toBe(200)
}

describe('a read that takes too long', () => {
  it('answers 400 in REST and names the parts of the request to remove', async () => {
    const answer = await attacker.rest['accountList']!({ query: { search: unmatchedSearch } })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', title: 'Query takes too long' })
    expect(answer.body.detail).toContain('search')
    expect(await running()).toBe(0)
  })

  it('is an error with its path in GraphQL', async () => {
    const query = `query ($filter: AccountFilter) {
      accountConnection(filter: $filter) { nodes { id } }
      caseStats { total }
    }`
    const { status, body } = await attacker.graphql(query, { filter: unmatchedFilter(99) })
    expect(status).toBe(200)
    expect(body.data).toBeNull()
    expect(body.errors).toMatchObject([{ path: ['accountConnection'], extensions: { code: 'QUERY_TOO_EXPENSIVE' } }])
  })

  it('rolls back the mutation that returns it, with an Idempotency-Key', async () => {
    const { body } = await victim.rest['accountCreate']!({ body: { name: 'Parent' } })
    await fillLongAccounts(platform, victim, 3_000, body.id)
    const query = `mutation ($filter: AccountFilter) {
      accountUpdate(id: "${body.id}", input: { name: "Changed" }) { id children(filter: $filter) { totalCount } }
    }`
    const answer = await victim.graphql(query, { filter: unmatchedFilter(90) }, { 'idempotency-key': 'slow' })
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_EXPENSIVE' } }])
    expect((await victim.rest['account']!({ id: body.id })).body).toMatchObject({ name: 'Parent', version: 1 })
  })
})

describe('one organization', () => {
  it('cannot request six lists with 99 text conditions in one document', async () => {
    const { status, body } = await answerOf(await send(expensiveLists(6, 99)))
    expect(status).toBe(400)
    expect(body.errors[0].extensions).toMatchObject({ code: 'GRAPHQL_LIMIT_EXCEEDED', limit: 10_000 })
    expect(await running()).toBe(0)
  })

  it('uses at most one core and few connections with its most expensive requests, while others are answered', async () => {
    const leaving = new AbortController()
    const requests = Array.from({ length: 12 }, () => send(expensiveLists(3, 99), leaving.signal))
    const answers = Promise.allSettled(requests)
    await until(1)
    for (let time = 0; time < 20; time++) {
      await readsById()
      expect(await running()).toBeLessThanOrEqual(1)
    }
    leaving.abort()
    await answers
    await until(0)
  })
})

describe('a request that the client abandons', () => {
  /** Before the deadline of a statement, which is two seconds after its begin. */
  const untilCancelled = (): Promise<void> =>
    vi.waitFor(async () => expect(await running()).toBe(0), { timeout: 1_000, interval: 10 })

  const search = (signal: AbortSignal): Promise<Response> =>
    fetch(`${platform.url}/v1/accounts?search=${encodeURIComponent(unmatchedSearch)}`, {
      headers: attacker.headers,
      signal,
    })

  const byEvents = (signal: AbortSignal, { query, variables } = expensiveLists(3, 99)): Promise<Response> =>
    fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { ...attacker.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query, variables }),
      signal,
    })
  const onSocket = (signal: AbortSignal, { query, variables } = expensiveLists(3, 99)): Promise<Response> =>
    new Promise((_resolve, reject) => {
      const live = subscribeOn(socketOf(platform, { apiKey: attacker.secret }), query, { ...variables })
      signal.addEventListener('abort', () => {
        live.leave()
        reject(signal.reason as Error)
      })
    })
  /** A subscription whose first event takes long to read. */
  const subscription = (): GraphqlRequest => ({
    query: `subscription ($id: ID!, $filter: AccountFilter) {
      recordChanged(object: ACCOUNT, id: $id, after: "0") { account { children(filter: $filter) { nodes { id } } } }
    }`,
    variables: { id: parent, filter: unmatchedFilter(99) },
  })
  const reading = async (answer: Promise<Response>): Promise<unknown> => (await answer).text()

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['GraphQL', (signal: AbortSignal) => send(expensiveLists(3, 99), signal)],
    ['REST', search],
    ['GraphQL over SSE', byEvents],
    ['GraphQL on a websocket', onSocket],
    ['a subscription over SSE', (signal) => reading(byEvents(signal, subscription()))],
    ['a subscription on a websocket', (signal) => onSocket(signal, subscription())],
  ])('in %s is cancelled in PostgreSQL, and its waiting statements are dropped', async (_surface, ask) => {
    const leaving = new AbortController()
    const request = ask(leaving.signal).catch((error: Error) => error.name)
    await until(1)
    leaving.abort()
    expect(await request).toBe('AbortError')
    await untilCancelled()
  })

  it('is cancelled while all connections of the platform are in use', async () => {
    const { database } = platform.services
    const leaving = new AbortController()
    const request = search(leaving.signal).catch((error: Error) => error.name)
    await until(1)
    const inUse = Array.from({ length: database.pool.options.max + 1 }, () => database.query('select pg_sleep(1.5)'))
    leaving.abort()
    expect(await request).toBe('AbortError')
    await untilCancelled()
    await Promise.all(inUse)
  })
})

describe('under attack', () => {
  /** Other work on the machine may disturb a round. */
  const roundsMax = 3
  const quietMs = 1_500
  const attackedMs = 4_000
  /** A p95 below this is always accepted, in milliseconds. */
  const floorMs = 10

  async function p95Of(url: string, forMs: number): Promise<number> {
    const times: number[] = []
    const end = performance.now() + forMs
    while (performance.now() < end) {
      const begun = performance.now()
      const answer = await fetch(`${url}/v1/accounts/${record}`, { headers: victim.headers })
      await answer.arrayBuffer()
      times.push(answer.status === 200 ? performance.now() - begun : Infinity)
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!
  }

  const graphql = (request: GraphqlRequest): [string, RequestInit] => [
    '/v1/graphql',
    { method: 'POST', body: JSON.stringify(request) },
  ]
  const worst: [string, RequestInit][] = [
    graphql(expensiveLists(3, 99)),
    graphql(expensiveLists(1, 99, 'data { id } total')),
    graphql({ query: '{ accountStats { total } caseStats { total } }', variables: {} }),
    [`/v1/accounts?search=${encodeURIComponent(unmatchedSearch)}`, {}],
    ['/v1/accounts?sortBy=region&page=300&limit=100', {}],
  ]

  /** Returns the status of each response, or that its client disconnected early, as every third client does. */
  async function attack(url: string, index: number, until: AbortSignal): Promise<(number | 'left')[]> {
    const statuses: (number | 'left')[] = []
    const headers = { ...attacker.headers, 'content-type': 'application/json' }
    while (!until.aborted) {
      const [path, init] = worst[index++ % worst.length]!
      const signal = index % 3 === 0 ? AbortSignal.any([until, AbortSignal.timeout(50)]) : until
      const status = await fetch(`${url}${path}`, { ...init, headers, signal }).then(
        async (answer) => (await answer.arrayBuffer().catch(() => null), answer.status),
        () => 'left' as const,
      )
      statuses.push(status)
    }
    return statuses
  }

  it("keeps another organization's p95 by id within three times its value without an attack", async () => {
    const process = await aSecondProcess(platform)
    onTestFinished(() => process.kill())
    await process.start()
    const { url } = process
    await p95Of(url, quietMs)

    const rounds: { readonly quiet: number; readonly attacked: number; readonly isWithin: boolean }[] = []
    while (rounds.length < roundsMax && !rounds.some(({ isWithin }) => isWithin)) {
      // Statements that still run from the previous round.
      await until(0)
      const quiet = await p95Of(url, quietMs)
      const ending = new AbortController()
      const attacks = Array.from({ length: 16 }, (_, index) => attack(url, index, ending.signal))
      const attacked = await p95Of(url, attackedMs)
      ending.abort()
      expect((await Promise.all(attacks)).flat()).not.toContain(500)
      rounds.push({ quiet, attacked, isWithin: attacked < 3 * Math.max(quiet, floorMs) })
    }
    expect(rounds.at(-1)).toMatchObject({ isWithin: true })
  })
})
