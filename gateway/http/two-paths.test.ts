import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inventedKey } from '../edge/edge.fixture.ts'
import { exchange, posted, refusalBody, serveLibrary, type Received, type Serving } from './http.fixture.ts'

let direct: Serving
let apollo: Serving
beforeAll(async () => {
  direct = await serveLibrary()
  apollo = await serveLibrary({ direct: false })
})
afterAll(() => Promise.all([direct.close(), apollo.close()]))

type Sent = Record<string, string>

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Array.from(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id'))

async function sendTo(serving: Serving, body: unknown, headers: Sent, scopes: string[] | null) {
  const key: Sent = scopes
    ? { 'x-api-key': serving.keyWith({ scopes, id: `key-${JSON.stringify([body, headers])}` }) }
    : {}
  const before = serving.executions()
  const received = await exchange(serving.url, posted(body, { ...key, ...headers }))
  return {
    status: received.status,
    headers: headersOf(received),
    body: received.body,
    executions: serving.executions() - before,
  }
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { any: [nested(depth - 1)] })
const withFilter = 'query($filter: BookFilter) { books(filter: $filter) { total } }'

const requests: readonly (readonly [string, unknown, Sent?, (string[] | null)?])[] = [
  ['a query', { query: '{ book(id: "b1") { title } }' }],
  ['an anonymous query', { query: '{ flag }' }, {}, null],
  ['a query over three subgraphs', { query: '{ books { data { title author { name } reviews { stars } } } }' }],
  ['a query with a partial answer', { query: '{ flag refused featured { strict { always sometimes } } }' }],
  ['introspection', { query: '{ __schema { queryType { name } } __type(name: "Book") { name } }' }],
  ['anonymous introspection', { query: '{ __schema { queryType { name } } }' }, {}, null],
  ['a mutation', { query: 'mutation { filmRetitle(id: "f1", title: "x") { title } }' }],
  ['a refused mutation', { query: 'mutation { authorRename(id: "a2", name: "x") { id } }' }],
  [
    'a mutation with a key',
    { query: 'mutation { filmRetitle(id: "f1", title: "y") { title } }' },
    { 'idempotency-key': 'a' },
  ],
  [
    'the same mutation again',
    { query: 'mutation { filmRetitle(id: "f1", title: "y") { title } }' },
    { 'idempotency-key': 'a' },
  ],
  [
    'another mutation with the same key',
    { query: 'mutation { filmRetitle(id: "f1", title: "z") { title } }' },
    { 'idempotency-key': 'a' },
  ],
  [
    'a mutation with an empty key',
    { query: 'mutation { filmRetitle(id: "f1", title: "z") { title } }' },
    { 'idempotency-key': '' },
  ],
  ['a subscription', { query: 'subscription { x }' }],
  ['variables', { query: 'query($id: ID!) { book(id: $id) { id } }', variables: { id: 'b2', more: 1 } }],
  ['a missing variable', { query: 'query($id: ID!) { book(id: $id) { id } }' }],
  ['a wrong variable', { query: withFilter, variables: { filter: { pages: { above: 1.5 }, x: 1 } } }],
  ['deep variables', { query: withFilter, variables: { filter: nested(100) } }],
  [
    'text that cannot be stored',
    { query: 'query($text: String!) { search(text: $text) { __typename } }', variables: { text: 'a\0b' } },
  ],
  ['an operation by name', { query: 'query A { flag } query B { alsoPublic }', operationName: 'B' }],
  ['an unknown operation name', { query: 'query A { flag }', operationName: 'B' }],
  ['an empty operation name', { query: '{ flag }', operationName: '' }],
  ['two operations and no name', { query: 'query A { flag } query B { flag }' }],
  ['no operation', { query: 'fragment F on Query { flag }' }],
  ['a document that cannot be parsed', { query: '{' }],
  ['a document of too many tokens', { query: `{ ${'flag '.repeat(3000)} }` }],
  ['an invalid document', { query: '{ nope books { nope } }' }],
  ['a costly operation', { query: '{ items(first: 2000) { related(first: 2000) { id } } }' }],
  ['a missing scope', { query: '{ secret { word } }' }, {}, ['READ_BOOKS']],
  ['a missing credential', { query: '{ secret { word } }' }, {}, null],
  ['a wrong credential', { query: '{ flag }' }, { 'x-api-key': inventedKey() }, null],
  ['graphql-response+json', { query: '{ flag }' }, { accept: 'application/graphql-response+json' }],
  ['a refusal in graphql-response+json', { query: '{' }, { accept: 'application/graphql-response+json' }],
  ['an Accept that allows nothing', { query: '{ flag }' }, { accept: 'image/png' }],
  ['a form', 'query={flag}', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['plain text', '{"query":"{flag}"}', { 'content-type': 'text/plain' }],
  [
    'plain text after a preflight',
    '{"query":"{flag}"}',
    { 'content-type': 'text/plain', 'apollo-require-preflight': '1' },
  ],
  ['a batch', [{ query: '{ flag }' }]],
  ['no query', { variables: {} }],
  ['members of wrong types', { query: 1, operationName: [], variables: 'x', extensions: 0 }],
  ['further members', { query: '{ flag }', id: 7, __proto__x: {} }],
  ['extensions', { query: '{ flag }', extensions: { persistedQuery: null, tracing: true } }],
  ['not JSON', '{"query":'],
]

describe('the direct path and Apollo Server', () => {
  it.each(requests.map((request) => [...request] as const))('answer the same to %s', async (...request) => {
    const [, body, headers = {}, scopes = ['*']] = request
    const expected = await sendTo(apollo, body, headers, scopes)
    expect(await sendTo(direct, body, headers, scopes)).toEqual(expected)
    expect(expected.status).not.toBe(500)
  })

  it('answer the same to a spent quota', async () => {
    const answers = []
    for (const serving of [direct, apollo]) {
      const key = serving.keyWith({ id: 'spent', rateLimit: { limit: 1, window: 'DAY' } })
      for (let count = 0; count < 2; count++) {
        const received = await exchange(serving.url, posted({ query: '{ flag }' }, { 'x-api-key': key }))
        answers.push([received.status, headersOf(received), received.body])
      }
    }
    expect(answers.map(([status]) => status)).toEqual([200, 429, 200, 429])
    expect(answers.slice(0, 2)).toEqual(answers.slice(2))
  })
})

describe('GET', () => {
  const preflight = { 'apollo-require-preflight': '1' }
  const get = (search: Record<string, string> | string, headers: Sent = preflight): Promise<Received> =>
    exchange(`${direct.url}?${new URLSearchParams(search).toString()}`, { headers })
  const answerOf = ({ status, body }: Received) => [status, body]

  it('answers a query with variables as POST does', async () => {
    const query = 'query Q($id: ID!) { book(id: $id) { title } }'
    const received = await get({ query, variables: '{"id":"b1"}', operationName: 'Q' })
    const same = await exchange(direct.url, posted({ query, variables: { id: 'b1' }, operationName: 'Q' }))
    expect([received.status, headersOf(received), received.body]).toEqual([200, headersOf(same), same.body])
    expect(received.body).toEqual({ data: { book: { title: 'Book 1' } } })
  })

  it('ignores empty parameters', async () => {
    expect(answerOf(await get({ query: '{ flag }', variables: '', operationName: '', extensions: '' }))).toEqual([
      200,
      { data: { flag: true } },
    ])
  })

  it('checks scopes before it charges the quota', async () => {
    const headers = { ...preflight, 'x-api-key': direct.keyWith({ id: 'get', scopes: ['READ_BOOKS'] }) }
    const received = await get({ query: '{ secret { word } }' }, headers)
    expect([received.status, received.headers.get('ratelimit-remaining')]).toEqual([403, '1000'])
  })

  it('is refused if a page of another origin could have sent it', async () => {
    const before = direct.executions()
    const forgeable: Sent[] = [{}, { 'content-type': 'text/plain' }, { 'content-type': 'multipart/form-data' }]
    for (const headers of forgeable) {
      const received = await get({ query: '{ flag }' }, headers)
      expect(received.status).toBe(400)
      expect(received.body).toMatchObject({
        errors: [{ message: expect.stringContaining('CSRF'), extensions: { code: 'VALIDATION_FAILED' } }],
      })
    }
    expect(direct.executions()).toBe(before)
    const preflighted: Sent[] = [
      { 'x-apollo-operation-name': 'F' },
      { 'content-type': 'application/json' },
      { 'x-api-key': direct.keyWith({ id: 'csrf' }) },
      { authorization: `ApiKey ${direct.keyWith({ id: 'csrf-2' })}` },
      { 'x-csrf-token': 'x' },
    ]
    for (const headers of preflighted) expect((await get({ query: '{ flag }' }, headers)).status).toBe(200)
  })

  it('is 405 for mutations, and runs nothing', async () => {
    const before = direct.executions()
    const received = await get({ query: 'mutation { filmRetitle(id: "f1", title: "x") { id } }' })
    expect([...answerOf(received), received.headers.get('allow')]).toEqual([
      405,
      refusalBody('METHOD_NOT_ALLOWED', 'GET requests only support query operations, not mutation operations'),
      'POST',
    ])
    expect(direct.executions()).toBe(before)
  })

  it.each<[string, Record<string, string> | string, Sent, number, string]>([
    ['no query', {}, preflight, 400, 'VALIDATION_FAILED'],
    ['two queries', 'query={flag}&query={flag}', preflight, 400, 'VALIDATION_FAILED'],
    ['variables that are not JSON', { query: '{ flag }', variables: '{' }, preflight, 400, 'VALIDATION_FAILED'],
    ['variables that are a list', { query: '{ flag }', variables: '[]' }, preflight, 400, 'VALIDATION_FAILED'],
    ['a document that cannot be parsed', { query: '{' }, preflight, 400, 'GRAPHQL_PARSE_FAILED'],
    ['a document over a limit', { query: `{ ${'a '.repeat(2500)} }` }, preflight, 400, 'GRAPHQL_LIMIT_EXCEEDED'],
    ['an unknown field', { query: '{ nope }' }, preflight, 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['a missing variable', { query: 'query($id: ID!) { book(id: $id) { id } }' }, preflight, 400, 'VALIDATION_FAILED'],
    [
      'a NUL',
      { query: 'query($t: String!) { search(text: $t) { __typename } }', variables: '{"t":"\\u0000"}' },
      preflight,
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a type that is not JSON',
      { query: '{ flag }' },
      { 'content-type': 'application/xml' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'an Accept that allows nothing',
      { query: '{ flag }' },
      { ...preflight, accept: 'image/png' },
      406,
      'NOT_ACCEPTABLE',
    ],
  ])('refuses %s', async (_, search, headers, status, code) => {
    const received = await get(search, headers)
    expect(received.status).toBe(status)
    expect(received.body).toMatchObject({ errors: [{ extensions: { code, requestId: 'the request id' } }] })
  })
})

describe('automatic persisted queries', () => {
  const hashOf = (query: string): string => createHash('sha256').update(query).digest('hex')
  const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })
  const post = (body: unknown, headers: Sent = {}): Promise<Received> => exchange(direct.url, posted(body, headers))

  it('are refused as unknown, stored with their document, and then found by POST and GET', async () => {
    const query = '{ alsoPublic flag }'
    const extensions = persisted(hashOf(query))
    const unknown = await post({ extensions })
    expect([unknown.status, unknown.body]).toEqual([
      200,
      refusalBody('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
    ])
    const answer = { data: { alsoPublic: 'yes', flag: true } }
    expect((await post({ query, extensions })).body).toEqual(answer)
    expect((await post({ extensions })).body).toEqual(answer)
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions) })
    const got = await exchange(`${direct.url}?${search.toString()}`, { headers: { 'apollo-require-preflight': '1' } })
    expect([got.status, got.body]).toEqual([200, answer])
  })

  it('are checked for scopes each time', async () => {
    const query = '{ secret { word } }'
    const extensions = persisted(hashOf(query))
    const allowed = { 'x-api-key': direct.keyWith({ id: 'persisted', scopes: ['READ_SECRETS'] }) }
    expect((await post({ query, extensions }, allowed)).status).toBe(200)
    expect((await post({ extensions })).status).toBe(401)
  })

  it('are not stored when they are refused', async () => {
    for (const query of ['{ nope }', '{ secret { key } }']) {
      expect([400, 401]).toContain((await post({ query, extensions: persisted(hashOf(query)) })).status)
      expect((await post({ extensions: persisted(hashOf(query)) })).body).toEqual(
        refusalBody('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
      )
    }
  })

  it('may be mutations with an idempotency key', async () => {
    const query = 'mutation { filmRetitle(id: "f2", title: "x") { title } }'
    const extensions = persisted(hashOf(query))
    const headers = { 'x-api-key': direct.keyWith({ id: 'persisted-mutation' }), 'idempotency-key': 'persisted' }
    const replayed = []
    for (let count = 0; count < 2; count++) {
      replayed.push((await post({ query, extensions }, headers)).headers.get('idempotent-replayed'))
    }
    expect(replayed).toEqual([null, 'true'])
  })

  it.each<[string, unknown]>([
    ['a digest of another document', persisted(hashOf('{ alsoPublic }'))],
    ['another version', persisted(hashOf('{ flag }'), 2)],
    ['a persistedQuery that is not an object', { persistedQuery: true }],
    ['a digest that is not text', persisted({ a: [] })],
  ])('refuse %s', async (_, extensions) => {
    const received = await post({ query: '{ flag }', extensions })
    expect(received.status).toBe(400)
    expect(received.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] })
  })
})
