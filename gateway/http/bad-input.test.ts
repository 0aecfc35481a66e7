import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyBytesMax } from '../edge/body.ts'
import { exchange, posted, refusalBody, serveLibrary, type Received, type Serving } from './http.fixture.ts'

let serving: Serving
let headers: Record<string, string>
beforeAll(async () => {
  serving = await serveLibrary()
  headers = { 'x-api-key': serving.keyWith() }
})
afterAll(() => serving.close())

const post = (body: unknown, more: Record<string, string> = {}): Promise<Received> =>
  exchange(serving.url, posted(body, { ...headers, ...more }))
const problem = (path: string, code: string, message: string) =>
  refusalBody('VALIDATION_FAILED', message, { errors: [{ path, code, message }] })
const unreadable = (message: string) =>
  refusalBody('INVALID_JSON', message, { errors: [{ path: 'body', code: 'INVALID_JSON', message }] })

const search = 'query($text: String!) { search(text: $text) { __typename } }'
const books = 'query($filter: BookFilter) { books(filter: $filter) { total } }'
const raw = (query: string, variables: string): string => `{"query":${JSON.stringify(query)},"variables":${variables}}`

describe('a body', () => {
  it.each<[string, string, object]>([
    ['that is empty', '', unreadable('The body must be valid JSON.')],
    ['of broken JSON', '{"query":"{ flag }"', unreadable('The body must be valid JSON.')],
    ['of NUL', '\0', unreadable('The body must be valid JSON.')],
    ['with a byte order mark', '\ufeff{"query":"{ flag }"}', unreadable('The body must be valid JSON.')],
    ['of 500,000 open brackets', '['.repeat(500_000), unreadable('The body must be valid JSON.')],
    ['of null', 'null', problem('', 'WRONG_TYPE', 'The body must be an object.')],
    ['of a number', '1e999', problem('', 'WRONG_TYPE', 'The body must be an object.')],
    ['of text', '"{ flag }"', problem('', 'WRONG_TYPE', 'The body must be an object.')],
    [
      'of a list',
      '[{"query":"{ flag }"}]',
      problem('', 'WRONG_TYPE', 'The body must be an object with one operation, not a list.'),
    ],
    ['without members', '{}', problem('query', 'REQUIRED', 'query is required.')],
    ['with an empty query', '{"query":""}', problem('query', 'REQUIRED', 'query is required.')],
    [
      'whose query is in __proto__',
      '{"__proto__":{"query":"{ flag }"}}',
      problem('query', 'REQUIRED', 'query is required.'),
    ],
    ['whose query is a list', '{"query":["{ flag }"]}', problem('query', 'WRONG_TYPE', 'query must be a string.')],
    [
      'whose operationName is a number',
      '{"query":"{ flag }","operationName":1}',
      problem('operationName', 'WRONG_TYPE', 'operationName must be a string or null.'),
    ],
    [
      'whose variables are a list',
      '{"query":"{ flag }","variables":[]}',
      problem('variables', 'WRONG_TYPE', 'variables must be an object or null.'),
    ],
    [
      'whose extensions are text',
      '{"query":"{ flag }","extensions":"{}"}',
      problem('extensions', 'WRONG_TYPE', 'extensions must be an object or null.'),
    ],
    [
      'with NUL in a variable',
      raw(search, '{"text":"a\\u0000b"}'),
      problem('text', 'NOT_TEXT', 'text must not contain a NUL character or an unpaired surrogate.'),
    ],
    [
      'with a lone surrogate in a variable',
      raw(search, '{"text":"\\ud800"}'),
      problem('text', 'NOT_TEXT', 'text must not contain a NUL character or an unpaired surrogate.'),
    ],
    [
      'with a lone surrogate in a name',
      raw(books, '{"filter":{"\\udfff":1}}'),
      problem('filter', 'NOT_TEXT', 'filter must not contain a NUL character or an unpaired surrogate.'),
    ],
    [
      'with __proto__ in a variable',
      raw(books, '{"filter":{"pages":{"__proto__":{"above":1}}}}'),
      problem('filter.pages.__proto__', 'UNKNOWN_FIELD', 'A field must not be named __proto__.'),
    ],
    [
      'with __proto__ as a variable',
      raw(books, '{"__proto__":{"filter":{}}}'),
      problem('__proto__', 'UNKNOWN_FIELD', 'A field must not be named __proto__.'),
    ],
    [
      'with variables that are nested too deep',
      raw(books, `{"filter":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
      problem(`filter${'.0'.repeat(32)}`, 'TOO_DEEP', 'Variables must be nested at most 32 levels deep.'),
    ],
    [
      'with a huge number',
      raw(books, '{"filter":{"pages":{"above":1e999}}}'),
      problem('filter.pages.above', 'INVALID_VALUE', 'Int cannot represent non-integer value: Infinity'),
    ],
    [
      'with a number out of range',
      raw(books, '{"filter":{"pages":{"above":99999999999}}}'),
      problem(
        'filter.pages.above',
        'INVALID_VALUE',
        'Int cannot represent non 32-bit signed integer value: 99999999999',
      ),
    ],
    ['with a missing variable', raw(search, '{}'), problem('text', 'REQUIRED', 'Variable "$text" is required.')],
  ])('%s is refused', async (_, body, expected) => {
    const received = await post(body)
    expect([received.status, received.body]).toEqual([400, expected])
  })

  it.each<[string, string, string]>([
    ['with NUL', '{ flag\0 }', 'Syntax Error: Unexpected character: U+0000.'],
    [
      'with a lone surrogate',
      '{ search(text: "\ud800") { __typename } }',
      'Syntax Error: Invalid character within String: U+D800.',
    ],
    [
      'with an escape of a lone surrogate',
      '{ search(text: "\\ud800") { __typename } }',
      'Syntax Error: Invalid Unicode escape sequence: "\\ud800".',
    ],
    ['of 100,000 open braces', '{'.repeat(100_000), 'Syntax Error: Expected Name, found "{".'],
  ])('with a document %s is refused', async (_, query, message) => {
    const received = await post({ query })
    expect(received.status).toBe(400)
    expect(received.body).toMatchObject({ errors: [{ message, extensions: { code: 'GRAPHQL_PARSE_FAILED' } }] })
  })

  it.each([
    '{ a: __proto__ { x } }',
    '{ __proto__: flag }',
    '{ constructor }',
    'query($__proto__: Int) { flag }',
    'query { flag @__proto__ }',
    'fragment __proto__ on Query { flag } { ...__proto__ }',
    '{ ...F } fragment F on Query { ...F }',
    'type Query { flag: Boolean }',
    '{ book(id: {a: 1}) { id } }',
    'mutation { __proto__ }',
  ])('with the document %s is refused', async (query) => {
    const received = await post({ query })
    expect(received.status).toBe(400)
    const { errors } = received.body as { errors: { extensions: { code: string } }[] }
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
  })

  it('that is not UTF-8 is refused', async () => {
    const body = Buffer.concat([Buffer.from('{"query":"{ flag }","x":"'), Buffer.from([0xff]), Buffer.from('"}')])
    const received = await exchange(serving.url, { ...posted(''), body })
    expect([received.status, received.body]).toEqual([400, unreadable('The body must be UTF-8.')])
  })

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/form-data; boundary=x', {}],
    ['application/graphql', {}],
    ['application/json; charset=utf-16', {}],
    ['application/jsonx', {}],
    ['nonsense', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('of type %s is 415 %o', async (type, more) => {
    const received = await post({ query: '{ flag }' }, { 'content-type': type, ...more })
    expect(received.status).toBe(415)
    expect(received.body).toMatchObject({ errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] })
  })

  it('over 1 MB is 413, with and without Content-Length', async () => {
    const tooLarge = refusalBody('PAYLOAD_TOO_LARGE', `The body must have at most ${bodyBytesMax} bytes.`)
    const announced = await post(' '.repeat(bodyBytesMax + 1))
    expect([announced.status, announced.body]).toEqual([413, tooLarge])
    const chunk = Buffer.alloc(bodyBytesMax, ' ')
    const stream = new ReadableStream({
      start(controller) {
        for (const part of [chunk, chunk]) controller.enqueue(part)
        controller.close()
      },
    })
    const init = { ...posted(''), body: stream, duplex: 'half' } as RequestInit
    const streamed = await exchange(serving.url, init)
    expect([streamed.status, streamed.body]).toEqual([413, tooLarge])
  })

  it('of exactly 1 MB is read', async () => {
    const received = await post('{"query":"{ __typename }"}'.padEnd(bodyBytesMax))
    expect([received.status, received.body]).toEqual([200, { data: { __typename: 'Query' } }])
  })

  it('that ends early does not affect other requests', async () => {
    const client = connect(Number(new URL(serving.url).port), '127.0.0.1')
    client.write(
      'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"query":',
    )
    client.end()
    client.resume()
    await once(client, 'close')
    expect((await post({ query: '{ __typename }' })).status).toBe(200)
  })

  it('of any of these kinds executes nothing and is not logged as a defect', () => {
    expect([serving.executions(), serving.logged]).toEqual([0, []])
  })
})
