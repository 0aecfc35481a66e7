import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform } from '../platform.ts'
import { needsOtherParty, queries } from '../requests/special-cases.ts'
import { flawsOf, refusedBy, refusedWith } from '../requests/problem.ts'
import { Requests } from '../requests/requests.ts'
import { inParallel, send, type Sent } from '../requests/send.ts'
import { Sweep } from '../requests/sweep.ts'
import { kindOfRoute } from './bodies.ts'

const { operations } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const sweep = new Sweep()
let requests: Requests

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

/** The expected response to an API key on a path that does not exist. */
async function answered(sent: Sent): Promise<unknown> {
  const answer = await send(platform.url, { ...sent, headers: { ...requests.member.headers, ...sent.headers } })
  const flaws = flawsOf(sent, answer)
  return flaws.length > 0 ? { flaws } : { ...(refusedBy(answer) as object), allow: answer.headers.allow }
}

describe('a path that is not in the contract', () => {
  const paths = [
    '/nothing',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/nothing/x/y',
    '/v2/accounts',
    '/V1/accounts',
    '/v1/Accounts',
    '/v1/accountsx',
    '/v1/accounts/x/y/z',
    '/v1/accounts/x/restore/y',
    '//v1/accounts',
    '/v1//accounts',
    '/v1/accounts//stats',
    '/v1/./accounts',
    '/v1/../v1/accounts',
    '/v1/accounts/../products',
    '/v1/accounts%2fstats',
    '/v1%2faccounts',
    '/%76%31/accounts',
    '/v1/accounts;a=b',
    '/v1/accounts.json',
    '/v1\\accounts',
    '/.env',
    '/v1/__proto__',
    '/v1/constructor',
    '/v1/accounts/stats/constructor',
    '/graphql/nothing',
    `/v1/${'x'.repeat(8000)}`,
    `/v1${'/x'.repeat(3000)}`,
  ]
  it.each(paths.map((path) => [path.slice(0, 40), path]))('answers 404 to %s', async (_, path) => {
    expect(await answered({ method: 'GET', path })).toEqual(refusedWith('NOT_FOUND'))
  })

  it('answers 404 to every method', async () => {
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']
    const found = await inParallel(methods, (method) => answered({ method, path: '/v1/nothing' }))
    expect(found).toEqual(methods.map(() => refusedWith('NOT_FOUND')))
  })

  it.each(['%', '%zz', '%ff', '/v1/%', '/v1/accounts%'])('is refused when it cannot be decoded: %s', async (path) => {
    const outcome = (await answered({ method: 'GET', path: path.startsWith('/') ? path : `/${path}` })) as {
      status: number
    }
    expect([400, 404]).toContain(outcome.status)
  })
})

describe.each([...Map.groupBy(operations, ({ path }) => path)])('%s', (path, here) => {
  const described = here.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LINK', 'PURGE', 'REPORT']
  const others = sweep.choose(
    `methods ${described.join()}`,
    path,
    methods.filter((method) => !described.includes(method)),
    2,
  )
  const at = path.replaceAll(/\{\w+\}/g, '0199d1a0-0000-7000-8000-000000000000')
  const isBlocked = here.some(({ scopes, isPublic }) => scopes.length === 0 || isPublic)
  const headers = () => (isBlocked ? { Authorization: `Bearer ${requests.session}` } : requests.member.headers)

  it('answers 405 with Allow to methods that are not in the contract', async () => {
    const before = await platform.fingerprint()
    const found = await inParallel(others, async (method) => {
      const sent = { method, path: at, headers: headers() }
      const answer = await send(platform.url, sent)
      return { method, flaws: flawsOf(sent, answer), allow: answer.headers.allow, ...(refusedBy(answer) as object) }
    })
    expect(found).toEqual(
      others.map((method) => ({
        method,
        flaws: [],
        allow: described.join(', '),
        ...refusedWith('METHOD_NOT_ALLOWED'),
      })),
    )
    expect(await platform.fingerprint()).toBe(before)
  })

  it('returns its methods to OPTIONS', async () => {
    const answer = await send(platform.url, { method: 'OPTIONS', path: at, headers: headers() })
    expect([answer.status, answer.headers.allow]).toEqual([204, described.join(', ')])
    expect('ratelimit-policy' in answer.headers).toBe(!isBlocked)
  })
})

// A GET that consumes a one-time token is not a read, so it has no HEAD.
const reads = operations.filter(
  ({ method, documentId }) => method === 'get' && !needsOtherParty.has(documentId) && !(documentId in queries),
)

describe.each(reads.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const overrides = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].flatMap((name) =>
    ['DELETE', 'POST', 'PATCH'].map((method) => ({ headers: { [name]: method } })),
  )
  // Otherwise, unknown parameters are refused.
  const lenient = { Prefer: 'handling=lenient' }
  const all = [
    ...overrides,
    { query: '_method=DELETE&X-HTTP-Method-Override=DELETE', headers: lenient },
    { query: 'unknown=1&nosuch[a]=2&&=&a', headers: lenient },
    { body: '{"a":' },
    { body: '_method=DELETE', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    { headers: { 'If-Match': 'garbage', 'Idempotency-Key': '' } },
    { headers: { Accept: 'text/plain;q=é', 'Accept-Encoding': '\u00ff', Prefer: ';;,=' } },
    { headers: { Range: 'bytes=0-0', 'If-None-Match': '*', 'If-Modified-Since': 'x', Expect: '100-continue' } },
    { headers: { Cookie: '__proto__=1; =; a', Host: 'x'.repeat(300), Forwarded: 'for=unknown' } },
  ]

  const changes = sweep.choose(`changes ${kindOfRoute(operation)}`, operation.id, all, 3)

  it('stays a read with any other header or body', async () => {
    const request = await requests.valid(operation)
    // The first read of a score stores it; the same read of an unchanged deal stores nothing.
    await requests.send(request)
    const before = await platform.fingerprint()
    const statuses = await inParallel(changes, async (change) => (await requests.send(request, change)).status)
    const isKnown = ({ headers = {} }: { readonly headers?: object }) =>
      operation.success.isConditional && 'If-None-Match' in headers
    expect(statuses).toEqual(changes.map((change) => (isKnown(change) ? 304 : 200)))
    expect(await platform.fingerprint()).toBe(before)
  })

  it('answers HEAD like GET, without the body', async () => {
    const request = await requests.valid(operation)
    const { headers: wanted } = await requests.send(request)
    const { status, text, headers } = await requests.send(request, { method: 'HEAD' })
    expect([status, text, headers['content-type']]).toEqual([200, '', wanted['content-type']])
    expect(headers['content-type']).toMatch(
      /^(application\/(json; charset=utf-8|pdf)|text\/(?:markdown|plain|csv; charset=utf-8))$/,
    )
  })
})
