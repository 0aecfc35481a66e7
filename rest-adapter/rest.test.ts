import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { bodyBytesMax } from '../gateway/edge/body.ts'
import { noPartId, partId, partsServer } from './rest.fixture.ts'

const server = await partsServer()
const { send, parts, deprecated } = server
const aBolt = { id: partId, version: 7, name: 'bolt' }

afterAll(() => server.close())
beforeEach(() => {
  parts.requests.length = 0
  parts.isDead = false
})

const problem = async (answer: ReturnType<typeof send>) => {
  const { status, headers, body } = await answer
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(headers.get('api-version')).toBe('3.2.1')
  const errors = (body!['errors'] ?? []) as { path: string; code: string }[]
  return [status, body!['code'], ...errors.map(({ path, code }) => `${path} ${code}`)]
}

/** Sends a request as bytes, because client libraries cannot send it. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(server.base).port), '127.0.0.1').setEncoding('utf8')
  socket.end(text)
  let answer = ''
  socket.on('data', (chunk: string) => (answer += chunk))
  await once(socket, 'close')
  return answer
}

describe('a response', () => {
  it('is the result of the stored document, with ETag and API-Version', async () => {
    const { status, headers, body } = await send(`/v1/parts/${partId}`)
    expect([status, body]).toEqual([200, aBolt])
    expect(headers.get('etag')).toBe('"7"')
    expect(headers.get('api-version')).toBe('3.2.1')
    expect(headers.get('content-length')).toBe(String(JSON.stringify(aBolt).length))
    expect(headers.get('ratelimit-limit')).toBe('1000')
  })

  it('is 201 with Location for a record that was created', async () => {
    const { status, headers, body } = await send('/v1/parts', { method: 'POST', body: { name: 'nut' } })
    expect([status, body]).toEqual([201, { ...aBolt, name: 'nut' }])
    expect(headers.get('location')).toBe(`/v1/parts/${partId}`)
    expect(parts.requests[0]!.variables).toEqual({ input: { name: 'nut' } })
  })

  it.each([{}, ''])('is the same if the body is %j and the operation takes no body', async (body) => {
    expect((await send(`/v1/parts/${partId}`, { method: 'DELETE', body })).status).toBe(204)
  })

  it('is 204 without a body if OpenAPI describes none', async () => {
    const { status, headers, text } = await send(`/v1/parts/${partId}`, {
      method: 'DELETE',
      headers: { 'If-Match': '"6"' },
    })
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
    expect(parts.requests[0]!.variables).toEqual({ id: partId, expectedVersion: 6 })
  })

  it('is the same under the alias, and has no body for HEAD', async () => {
    expect((await send(`/v1/components/${partId}`)).body).toEqual(aBolt)
    const { status, headers, text } = await send(`/v1/parts/${partId}`, { method: 'HEAD' })
    expect([status, headers.get('etag'), text]).toEqual([200, '"7"', ''])
  })

  it('is the same under an alias outside of /v1', async () => {
    expect((await send(`/spare-parts/${partId}`)).body).toEqual(aBolt)
    expect((await send('/spare-parts/stats?')).text).toBe('1')
    const unnamed = { method: 'POST', body: { name: '' } }
    expect(await problem(send('/spare-parts', unnamed))).toEqual(await problem(send('/v1/parts', unnamed)))
    const { status, headers } = await send(`/spare-parts/${partId}`, { method: 'OPTIONS' })
    expect([status, headers.get('allow'), headers.get('api-version')]).toEqual([
      204,
      'GET, HEAD, PATCH, DELETE',
      '3.2.1',
    ])
    expect((await send(`/spare-parts/${partId}`, { headers: { 'X-API-Key': '' } })).status).toBe(401)
  })

  it.each([
    '/spare-parts/a/b/c',
    '/Spare-Parts',
    '/spare-partsx',
    '//spare-parts',
    '/spare-parts%2Fstats',
    '/v1/spare-parts',
  ])('is 404 for %s beside an alias outside of /v1', async (path) => {
    expect((await fetch(server.base + path, { headers: { 'X-API-Key': server.writer } })).status).toBe(404)
    expect(parts.requests).toEqual([])
  })

  it('is the result of a custom handler if there is no stored document', async () => {
    expect((await send('/v1/parts/echo/a%2Fb')).text).toBe('"a/b"')
    expect(await problem(send('/v1/parts/echo/abcdef'))).toEqual([404, 'NOT_FOUND', 'text NOT_FOUND'])
  })

  it('is that of the path with a fixed segment, before a path with a placeholder', async () => {
    expect((await send('/v1/parts/stats')).text).toBe('1')
  })

  it('is the same when the request line names the host', async () => {
    const path = `http://crm.example/v1/parts/${partId}`
    const sent = request(server.base, { path, headers: { 'X-API-Key': server.writer } }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers['api-version'], await json(answer)]).toEqual([200, '3.2.1', aBolt])
  })

  it('ignores the body of a GET', async () => {
    const answer = await raw(
      `GET /v1/parts/stats HTTP/1.1\r\nHost: x\r\nX-API-Key: ${server.reader}\r\nConnection: close\r\nContent-Length: 3\r\n\r\n{{{`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  })
})

describe('a refusal', () => {
  it.each<[string, Parameters<typeof send>, unknown[]]>([
    ['an unknown record', [`/v1/parts/${noPartId}`], [404, 'NOT_FOUND']],
    ['an invalid id', ['/v1/parts/x'], [404, 'NOT_FOUND', 'id NOT_FOUND']],
    ['an unknown path', ['/v1/nothing'], [404, 'NOT_FOUND']],
    ['an unknown path of an area', ['/v1/parts/a/b/c'], [404, 'NOT_FOUND']],
    ['the root', ['/v1'], [404, 'NOT_FOUND']],
    ['a path with invalid percent-encoding', ['/v1/parts/%E4'], [400, 'VALIDATION_FAILED', 'path WRONG_FORMAT']],
    ['no body', ['/v1/parts', { method: 'POST' }], [400, 'VALIDATION_FAILED', ' REQUIRED']],
    [
      'an invalid body',
      ['/v1/parts', { method: 'POST', body: { name: '', x: 1 } }],
      [400, 'UNKNOWN_FIELD', 'x UNKNOWN_FIELD', 'name TOO_SHORT'],
    ],
    [
      'a body that is not JSON',
      ['/v1/parts', { method: 'POST', body: '{' }],
      [400, 'INVALID_JSON', 'body INVALID_JSON'],
    ],
    [
      'another media type',
      ['/v1/parts', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'a field in the body of an operation that takes no body',
      [`/v1/parts/${partId}`, { method: 'DELETE', body: { x: 1, y: null } }],
      [400, 'UNKNOWN_FIELD', 'x UNKNOWN_FIELD', 'y UNKNOWN_FIELD'],
    ],
    [
      'invalid query parameters',
      ['/v1/parts?limit=0&kind=x'],
      [400, 'VALIDATION_FAILED', 'kind NOT_ALLOWED', 'limit OUT_OF_RANGE'],
    ],
    [
      'an invalid If-Match',
      [`/v1/parts/${partId}`, { method: 'DELETE', headers: { 'If-Match': 'x' } }],
      [400, 'VALIDATION_FAILED', 'If-Match WRONG_FORMAT'],
    ],
    [
      'a business rule',
      ['/v1/parts', { method: 'POST', body: { name: 'used' } }],
      [409, 'UNIQUE_VIOLATION', 'name NOT_UNIQUE'],
    ],
    ['an invalid key', ['/v1/parts/stats', { headers: { 'X-API-Key': 'nonsense' } }], [401, 'API_KEY_INVALID']],
    [
      'an invalid key on an unknown path',
      ['/v1/nothing', { headers: { 'X-API-Key': 'nonsense' } }],
      [401, 'API_KEY_INVALID'],
    ],
  ])('of %s', async (_, request, expected) => {
    expect(await problem(send(...request))).toEqual(expected)
  })

  it('for a missing scope comes before any problem of the body', async () => {
    const request = { method: 'POST', body: '{', headers: { 'X-API-Key': server.reader } }
    expect(await problem(send('/v1/parts', request))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    expect(parts.requests).toEqual([])
  })

  it('for a missing parameter names the parameter', async () => {
    for (const query of ['', '?']) {
      const { status, body } = await send(`/v1/parts/find${query}`)
      expect([status, body!['detail'], body!['errors']]).toEqual([
        400,
        'id is required.',
        [{ path: 'id', code: 'REQUIRED', message: 'id is required.' }],
      ])
    }
    expect(parts.requests).toEqual([])
    expect((await send(`/v1/parts/find?id=${partId}`)).status).toBe(200)
  })

  it('of a method lists the allowed methods', async () => {
    const answer = await send('/v1/parts/stats', { method: 'PATCH', body: {} })
    expect([answer.status, answer.body!['code'], answer.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD',
    ])
    const options = await send(`/v1/parts/${partId}`, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, DELETE'])
  })

  it('of a defect hides the details', async () => {
    const { status, text } = await send('/v1/parts', { method: 'POST', body: { name: 'bug' } })
    expect(status).toBe(500)
    expect(text).not.toContain('secrets')
  })

  it('of a subgraph that does not answer is 503 with Retry-After', async () => {
    parts.isDead = true
    const { status, body, headers } = await send(`/v1/parts/${partId}`)
    expect([status, body!['code'], headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1'])
  })

  it.each([bodyBytesMax + 1, 3 * bodyBytesMax])('of a body of %i bytes is 413', async (bytes) => {
    const body = `{"name":"${'x'.repeat(bytes)}"}`
    expect(await problem(send('/v1/parts', { method: 'POST', body }))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const chunked = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'].join('')
    const head = `POST /v1/parts HTTP/1.1\r\nHost: x\r\nX-API-Key: ${server.reader}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await raw(head.replace(server.reader, server.writer) + chunked)).toMatch(/^HTTP\/1.1 413 /)
    expect(parts.requests).toEqual([])
  })

  it('has the limits of its operation', async () => {
    const label = (text: string) =>
      send(`/v1/parts/${partId}/label`, { method: 'POST', body: JSON.stringify({ text }) })
    expect(await problem(label('x'.repeat(2 * bodyBytesMax)))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await problem(label('x'.repeat(1.5 * bodyBytesMax)))).toEqual([400, 'VALIDATION_FAILED', 'text TOO_LONG'])
    expect(parts.requests).toEqual([])
    expect((await label('abc')).status).toBe(200)
    const limits = { bodyBytes: 2_097_152, answerBytes: 4_194_304, deadlineMs: 35_000 }
    expect(parts.requests.map(({ context }) => context.limits)).toEqual([limits])
  })

  it('of unknown parameters names the nearest one', async () => {
    expect(await problem(send('/v1/parts?foo=1&limit=0'))).toEqual([400, 'UNKNOWN_FIELD', 'foo UNKNOWN_FIELD'])
    const { body } = await send('/v1/parts?isactive=true&quantity=1')
    expect((body!['errors'] as { message: string }[]).map(({ message }) => message)).toEqual([
      'isactive is not a parameter of this operation; did you mean isActive?',
      'quantity is not a parameter of this operation; remove it.',
    ])
    expect(parts.requests).toEqual([])
  })

  it('of unknown parameters is not sent with Prefer: handling=lenient', async () => {
    const lenient = { headers: { Prefer: 'respond-async, handling=lenient' } }
    const ignored = await send('/v1/parts?foo=1', lenient)
    expect([ignored.status, ignored.headers.get('preference-applied')]).toEqual([200, 'handling=lenient'])
    const strict = { headers: { Prefer: 'handling=strict' } }
    expect(await problem(send('/v1/parts?foo=1', strict))).toEqual([400, 'UNKNOWN_FIELD', 'foo UNKNOWN_FIELD'])
    expect((await send('/v1/parts?limit=1', strict)).headers.get('preference-applied')).toBe('handling=strict')
  })
})

describe('Idempotency-Key', () => {
  const post = (body: string, headers: Record<string, string>) => send('/v1/parts', { method: 'POST', body, headers })
  const claims = () => parts.requests.map(({ context }) => context.idempotency)

  it('reaches the subgraph with a digest of method, path and raw body', async () => {
    await post('{"name":"a"}', { 'Idempotency-Key': 'k' })
    await post('{"name":"a"}', { 'Idempotency-Key': 'k' })
    await post('{"name": "a"}', { 'Idempotency-Key': 'k' })
    await send('/v1/components', { method: 'POST', body: '{"name":"a"}', headers: { 'Idempotency-Key': 'k' } })
    const [first, second, ...others] = claims()
    expect(first).toEqual({ key: 'k', fingerprint: expect.stringMatching(/^[\w-]{43}$/) })
    expect(second).toEqual(first)
    expect(new Set([first, ...others].map((claim) => claim!.fingerprint)).size).toBe(3)
  })

  it('adds Idempotent-Replayed to a response that is replayed', async () => {
    expect((await post('{"name":"a"}', { 'Idempotency-Key': 'seen' })).headers.get('idempotent-replayed')).toBe('true')
    expect((await post('{"name":"a"}', { 'Idempotency-Key': 'new' })).headers.get('idempotent-replayed')).toBe(null)
  })

  it.each(['', 'k'.repeat(256)])('with an invalid length is refused', async (key) => {
    const [status, code, error] = await problem(post('{"name":"a"}', { 'Idempotency-Key': key }))
    expect([status, code, error]).toEqual([
      400,
      'VALIDATION_FAILED',
      `Idempotency-Key ${key ? 'TOO_LONG' : 'TOO_SHORT'}`,
    ])
    expect(parts.requests).toEqual([])
  })

  it('is ignored if it is not declared', async () => {
    await send(`/v1/parts/${partId}`, { method: 'DELETE', headers: { 'Idempotency-Key': 'k'.repeat(300) } })
    expect(claims()).toEqual([null])
  })
})

describe('a deprecated operation', () => {
  it('announces its sunset, names its successor and is recorded', async () => {
    deprecated.length = 0
    const { status, headers } = await send('/v1/parts/old')
    expect(status).toBe(200)
    expect(headers.get('deprecation')).toBe('@1767225600')
    expect(headers.get('sunset')).toBe('Tue, 01 Sep 2026 00:00:00 GMT')
    expect(headers.get('link')).toBe(
      '</docs>; rel="deprecation"; type="text/html", </v1/parts/stats>; rel="successor-version"',
    )
    expect(deprecated).toEqual([
      {
        counted: { kind: 'API_KEY', id: 'key-1', organizationId: 'org-1', userId: 'user-1' },
        operationId: 'partOld',
        endpoint: 'GET /v1/parts/old',
        sunset: new Date('2026-09-01T00:00:00Z'),
        at: new Date('2026-03-01T12:00:00Z'),
      },
    ])
  })

  it('announces its sunset on refusals as well', async () => {
    const { status, headers } = await send('/v1/parts/old', { headers: { 'X-API-Key': 'nobody' } })
    expect([status, headers.get('deprecation'), headers.get('sunset')]).toEqual([
      401,
      '@1767225600',
      'Tue, 01 Sep 2026 00:00:00 GMT',
    ])
  })

  it('is gone after its sunset, and still recorded', async () => {
    deprecated.length = 0
    expect(await problem(send('/v1/parts/gone'))).toEqual([410, 'ENDPOINT_SUNSET'])
    expect(deprecated.map(({ operationId }) => operationId)).toEqual(['partGone'])
    expect(parts.requests).toEqual([])
  })
})

describe('GET /openapi.json', () => {
  it('is the merged document with the address of the platform', async () => {
    const { status, body } = await send('/openapi.json')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '3.2.1' },
      servers: [{ url: 'https://crm.example.com' }],
    })
    expect(Object.keys(body!['paths'] as object)).toHaveLength(27)
  })
})
