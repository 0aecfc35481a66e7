import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inventedKey } from '../edge/edge.fixture.ts'
import { exchange, posted, refusalBody, serveLibrary, type Received, type Serving } from './http.fixture.ts'

let serving: Serving
beforeEach(async () => {
  serving = await serveLibrary()
})
afterEach(() => serving.close())

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Received> =>
  exchange(serving.url, posted(body, headers))
const withKey = (): Record<string, string> => ({ 'x-api-key': serving.keyWith() })

describe('an answer', () => {
  it('has data, its length, and every documented header', async () => {
    const { status, headers, body } = await post({ query: '{ book(id: "b1") { title } }' }, withKey())
    expect([status, body]).toEqual([200, { data: { book: { title: 'Book 1' } } }])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '36',
      'cache-control': 'no-store',
      'api-version': '1.2.3',
      'x-request-id': expect.stringMatching(/^req_/),
      'ratelimit-limit': '1000',
      'ratelimit-remaining': '999',
      'ratelimit-reset': '3600',
      'ratelimit-policy': '1000;w=3600',
    })
  })

  it('is the same at /graphql', async () => {
    const { status, headers, body } = await exchange(`${serving.origin}/graphql`, posted({ query: '{ flag }' }))
    expect([status, headers.get('api-version'), body]).toEqual([200, '1.2.3', { data: { flag: true } }])
  })

  it('charges a mutation for each of its root fields, a query once', async () => {
    const headers = withKey()
    const title = (alias: string): string => `${alias}: filmRetitle(id: "f1", title: "x") { id }`
    const changed = await post({ query: `mutation { ${title('a')} ${title('b')} ${title('c')} }` }, headers)
    expect([changed.status, changed.headers.get('ratelimit-remaining')]).toEqual([200, '997'])
    const read = await post({ query: '{ a: book(id: "b1") { id } b: book(id: "b1") { id } }' }, headers)
    expect(read.headers.get('ratelimit-remaining')).toBe('996')
  })

  it('is not sent for paths below the endpoint', async () => {
    expect((await fetch(`${serving.url}/schema`)).status).toBe(404)
  })

  it('to an anonymous caller has no quota headers', async () => {
    const { status, headers, body } = await post({ query: '{ __typename }' })
    expect([status, body, headers.get('ratelimit-limit')]).toEqual([200, { data: { __typename: 'Query' } }, null])
  })

  it.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json; charset=utf-8'],
    ['application/graphql-response+json;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
  ])('to Accept: %s is %s', async (accept, type) => {
    const { status, headers } = await post({ query: '{ flag }' }, { accept })
    expect([status, headers.get('content-type')]).toEqual([200, type])
  })

  it('keeps status 200 and its data when a part of an executed operation fails', async () => {
    const { status, body } = await post({ query: '{ flag refused }' }, withKey())
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            message: 'Refused by the catalog.',
            path: ['refused'],
            extensions: { code: 'PERMISSION_DENIED', why: 'fixture', requestId: 'the request id' },
          },
        ],
        data: { flag: true, refused: null },
      },
    ])
  })

  it('is partial if a subgraph is unavailable', async () => {
    serving.endpoint('people').library.isUnavailable = true
    const { status, body } = await post({ query: '{ flag author(id: "a1") { born } }' }, withKey())
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            message: 'A part of the service is not available.',
            path: ['author'],
            extensions: { code: 'UNAVAILABLE', requestId: 'the request id' },
          },
        ],
        data: { flag: true, author: null },
      },
    ])
  })

  it('to a browser is the explorer page', async () => {
    const response = await fetch(serving.url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    expect([response.status, await response.text()]).toEqual([200, 'the explorer'])
  })
})

describe('a refusal before execution', () => {
  it.each<[string, number, object, object]>([
    [
      'a document that cannot be parsed',
      400,
      { query: '{ flag' },
      {
        errors: [
          {
            message: 'Syntax Error: Expected Name, found <EOF>.',
            locations: [{ line: 1, column: 7 }],
            extensions: { code: 'GRAPHQL_PARSE_FAILED', requestId: 'the request id' },
          },
        ],
      },
    ],
    [
      'a document with two problems',
      400,
      { query: '{ flagg { x } }\nquery { flag }' },
      {
        errors: [
          {
            message: 'This anonymous operation must be the only defined operation.',
            locations: [{ line: 1, column: 1 }],
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'the request id' },
          },
          {
            message: 'Cannot query field "flagg" on type "Query". Did you mean "flag"?',
            locations: [{ line: 1, column: 3 }],
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'the request id' },
          },
          {
            message: 'This anonymous operation must be the only defined operation.',
            locations: [{ line: 2, column: 1 }],
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'the request id' },
          },
        ],
      },
    ],
    [
      'an unknown operation name',
      400,
      { query: 'query A { flag }', operationName: 'B' },
      refusalBody('OPERATION_RESOLUTION_FAILURE', 'operationName must name an operation of the document.'),
    ],
    [
      'a subscription',
      400,
      { query: 'subscription { customEvents }' },
      refusalBody(
        'OPERATION_RESOLUTION_FAILURE',
        'Send a subscription over a websocket, or by POST as an event stream with Accept: text/event-stream.',
      ),
    ],
    [
      'too many root fields',
      400,
      { query: `{ ${Array.from({ length: 21 }, () => 'flag').join(' ')} }` },
      refusalBody('GRAPHQL_LIMIT_EXCEEDED', 'Root fields limit of 20 exceeded, found 21.'),
    ],
    [
      'variables that are not valid',
      400,
      {
        query: 'query($id: ID!, $filter: BookFilter) { book(id: $id) { id } books(filter: $filter) { total } }',
        variables: { filter: { pages: { above: 'x' }, nope: 1 } },
      },
      refusalBody('VALIDATION_FAILED', '3 inputs are not valid.', {
        errors: [
          { path: 'id', code: 'REQUIRED', message: 'Variable "$id" is required.' },
          { path: 'filter.pages.above', code: 'INVALID_VALUE', message: 'Int cannot represent non-integer value: "x"' },
          { path: 'filter.nope', code: 'UNKNOWN_FIELD', message: 'Field "nope" is not defined by type "BookFilter".' },
        ],
      }),
    ],
  ])('of %s is %i', async (_, expected, body, answer) => {
    const received = await post(body, withKey())
    expect([received.status, received.body]).toEqual([expected, answer])
    expect(serving.executions()).toBe(0)
  })

  it('is 401 if the operation needs a credential and the request has none', async () => {
    const { status, headers, body } = await post({ query: '{ secret { word } }' })
    expect([status, body]).toEqual([
      401,
      refusalBody('UNAUTHENTICATED', 'Send a credential in the Authorization or X-API-Key header.'),
    ])
    expect([headers.get('www-authenticate'), headers.get('api-version')]).toEqual(['Bearer, ApiKey', '1.2.3'])
    expect(serving.executions()).toBe(0)
  })

  it('is 401 for an unknown key, for any operation', async () => {
    const { status, body } = await post({ query: '{ flag }' }, { 'x-api-key': inventedKey() })
    expect([status, body]).toEqual([401, refusalBody('API_KEY_INVALID', 'This API key is not valid.')])
    expect(serving.executions()).toBe(0)
  })

  it('is 403 with the missing scopes, and does not charge the quota', async () => {
    const key = serving.keyWith({ scopes: ['READ_SECRETS'] })
    const { status, headers, body } = await post({ query: '{ secret { key } }' }, { 'x-api-key': key })
    expect([status, body]).toEqual([
      403,
      refusalBody('API_KEY_SCOPE_INSUFFICIENT', 'The API key lacks the scope READ_ALL.', {
        missingScopes: ['READ_ALL'],
      }),
    ])
    expect(headers.get('ratelimit-remaining')).toBe('1000')
    expect(serving.executions()).toBe(0)
  })

  it('is 429 when the quota is spent, before the variables are checked', async () => {
    const headers = { 'x-api-key': serving.keyWith({ rateLimit: { limit: 1, window: 'MINUTE' } }) }
    expect((await post({ query: '{ flag }' }, headers)).status).toBe(200)
    const refused = await post({ query: 'query($id: ID!) { book(id: $id) { id } }' }, headers)
    expect([refused.status, refused.body]).toEqual([
      429,
      refusalBody('API_KEY_RATE_LIMITED', 'Limit of 1 request per minute reached for this API key; retry in 60 s.', {
        retryAfter: 60,
      }),
    ])
    expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit-remaining')]).toEqual(['60', '0'])
    expect(serving.executions()).toBe(1)
  })

  it('is 400 for introspection without a credential', async () => {
    const { status, body } = await post({ query: '{ __schema { queryType { name } } }' })
    expect([status, body]).toEqual([
      400,
      refusalBody('INTROSPECTION_DISABLED', 'Introspection needs a credential: send Authorization or X-API-Key.'),
    ])
  })

  it('is 429 when the limit of an address is reached, with the time to wait', async () => {
    const limited = await serveLibrary({ ipLimits: [{ max: 1, windowMs: 1000 }] })
    const statuses = []
    for (let count = 0; count < 2; count++) statuses.push(await exchange(limited.url, posted({ query: '{ flag }' })))
    await limited.close()
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
    expect(statuses[1]!.body).toEqual(
      refusalBody('IP_RATE_LIMITED', 'Limit of 1 request per second reached for this address; retry in 1 s.', {
        retryAfter: 1,
      }),
    )
  })

  it('is 405 for other methods', async () => {
    const { status, headers, body } = await exchange(serving.url, { method: 'DELETE' })
    expect([status, headers.get('allow'), body]).toEqual([
      405,
      'GET, POST',
      refusalBody('METHOD_NOT_ALLOWED', 'Send operations with GET or POST.'),
    ])
  })

  it('is 406 if Accept allows no supported media type, and runs nothing', async () => {
    const { status, body } = await post(
      { query: 'mutation { filmRetitle(id: "f1", title: "x") { id } }' },
      { ...withKey(), accept: 'text/csv' },
    )
    expect([status, body]).toEqual([
      406,
      refusalBody(
        'NOT_ACCEPTABLE',
        'Accept must allow application/json, application/graphql-response+json, text/event-stream or, for subscriptions, multipart/mixed;subscriptionSpec=1.0.',
      ),
    ])
    expect(serving.executions()).toBe(0)
  })

  it('of a defect is 500 without details, and is logged with the request id', async () => {
    serving.edge.spend = () => Promise.reject(new Error('select * from secrets'))
    const { status, headers, body } = await post({ query: '{ flag }' })
    const message = 'The request failed because of a server error; report the request id to support.'
    expect([status, body]).toEqual([500, refusalBody('INTERNAL', message)])
    expect(serving.logged).toMatchObject([
      {
        msg: 'request failed',
        requestId: headers.get('x-request-id'),
        err: { message: 'select * from secrets' },
        path: '/v1/graphql',
      },
    ])
  })
})

describe('Idempotency-Key', () => {
  const retitle = { query: 'mutation { filmRetitle(id: "f1", title: "Jaws") { title } }' }
  const answer = { data: { filmRetitle: { title: 'Jaws' } } }

  it('makes a mutation run once and replays its answer', async () => {
    const headers = { ...withKey(), 'idempotency-key': 'k'.repeat(255) }
    const first = await post(retitle, headers)
    const second = await post(retitle, headers)
    expect([first.status, first.body, first.headers.get('idempotent-replayed')]).toEqual([200, answer, null])
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([200, answer, 'true'])
    expect(second.headers.get('ratelimit-remaining')).toBe('998')
    expect(serving.executions()).toBe(1)
  })

  it('is compared by a digest of method, path and raw body', async () => {
    const headers = { ...withKey(), 'idempotency-key': 'k' }
    await post(retitle, headers)
    const [request] = serving.endpoint('catalog').library.requests
    const fingerprint = createHash('sha256')
      .update('POST /v1/graphql\n')
      .update(JSON.stringify(retitle))
      .digest('base64url')
    expect(request!.context.idempotency).toEqual({ key: 'k', fingerprint })
  })

  it('answers 409 to another body, and runs nothing', async () => {
    const headers = { ...withKey(), 'idempotency-key': 'k' }
    await post(retitle, headers)
    const { status, body } = await post(JSON.stringify(retitle, null, 1), headers)
    expect([status, body]).toEqual([
      409,
      refusalBody('IDEMPOTENCY_KEY_REUSED', 'The key is refused with IDEMPOTENCY_KEY_REUSED.'),
    ])
    expect(serving.executions()).toBe(1)
  })

  it('answers 409 with Retry-After while the first request runs', async () => {
    const headers = { ...withKey(), 'idempotency-key': 'k' }
    const catalog = serving.endpoint('catalog')
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    catalog.gate = gate.promise
    catalog.onExecute = begun.resolve
    const first = post(retitle, headers)
    await begun.promise
    const second = await post(retitle, headers)
    gate.resolve()
    expect([second.status, second.headers.get('retry-after'), second.body]).toEqual([
      409,
      '1',
      refusalBody('IDEMPOTENCY_IN_PROGRESS', 'The key is refused with IDEMPOTENCY_IN_PROGRESS.', { retryAfter: 1 }),
    ])
    expect((await first).body).toEqual(answer)
    expect(serving.executions()).toBe(1)
  })

  it.each([
    [0, 'TOO_SHORT'],
    [256, 'TOO_LONG'],
  ])('of %i characters is 400', async (length, code) => {
    const key = 'k'.repeat(length)
    const { status, body } = await post(retitle, { ...withKey(), 'idempotency-key': key })
    expect([status, body]).toEqual([
      400,
      refusalBody('VALIDATION_FAILED', 'Idempotency-Key must have 1 to 255 characters.', {
        errors: [{ path: 'Idempotency-Key', code, message: 'Idempotency-Key must have 1 to 255 characters.' }],
      }),
    ])
    expect(serving.executions()).toBe(0)
  })

  it('is ignored on queries, and on requests without a credential', async () => {
    await post({ query: '{ flag }' }, { ...withKey(), 'idempotency-key': '' })
    await post(retitle, { 'idempotency-key': 'k' })
    expect(serving.endpoint('catalog').library.requests.map(({ context }) => context.idempotency)).toEqual([null, null])
  })

  it('does not change the status 200 of business refusals of an executed mutation', async () => {
    const refused = { query: 'mutation { authorRename(id: "a2", name: "x") { id } }' }
    const { status, body } = await post(refused, { ...withKey(), 'idempotency-key': 'k' })
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            message: 'Bo keeps the name.',
            path: ['authorRename'],
            extensions: { code: 'INVALID_STATE', requestId: 'the request id' },
          },
        ],
        data: { authorRename: null },
      },
    ])
  })
})
