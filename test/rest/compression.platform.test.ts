import { request, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
let member: Member
let cookie: string
let id: string

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
  cookie = `access_token=${await sessionOf(platform, member)}`
  for (let index = 0; index < 20; index++) await member.rest.accountCreate!({ body: { name: `Account ${index}` } })
  id = (await member.rest.accountCreate!({ body: { name: 'Small' } })).body.id
})

interface Raw {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Without fetch, which decodes the body itself. */
const send = (path: string, headers: Record<string, string>, body?: unknown, method = body ? 'POST' : 'GET') =>
  new Promise<Raw>((resolve, reject) => {
    const sent = request(platform.url + path, { method, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, bytes: Buffer.concat(chunks) }))
    })
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })

const decoded = ({ headers, bytes }: Raw): string => {
  const coding = headers['content-encoding']
  return String(coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes)
}
const list = '/v1/accounts?sortBy=name&limit=20'
const query = { query: '{ accountList(limit: 20) { data { id name createdAt updatedAt ownerId } } }' }

describe('an answer of more than 1 KB', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['*', 'br'],
    ['deflate, zstd', undefined],
    ['identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('to Accept-Encoding "%s" is encoded with %s and has the same content', async (accepted, coding) => {
    const headers: Record<string, string> = {
      ...member.headers,
      ...(accepted !== undefined && { 'accept-encoding': accepted }),
    }
    const plain = await send(list, member.headers)
    const rest = await send(list, headers)
    expect([rest.status, rest.headers['content-encoding'], rest.headers.vary]).toEqual([200, coding, 'Accept-Encoding'])
    expect(Number(rest.headers['content-length'])).toBe(rest.bytes.length)
    expect(decoded(rest)).toBe(String(plain.bytes))
    expect(rest.bytes.length < plain.bytes.length / 4).toBe(coding !== undefined)

    const graphql = await send('/v1/graphql', { ...headers, 'content-type': 'application/json' }, query)
    expect([graphql.status, graphql.headers['content-encoding']]).toEqual([200, coding])
    expect(JSON.parse(decoded(graphql)).data.accountList.data).toHaveLength(20)
  })

  it('to HEAD has the headers of GET and no body', async () => {
    const headers = { ...member.headers, 'accept-encoding': 'br' }
    const { headers: expected } = await send(list, headers)
    const head = await send(list, headers, undefined, 'HEAD')
    expect([head.bytes.length, head.headers['content-encoding']]).toEqual([0, 'br'])
    expect(head.headers['content-length']).toBe(expected['content-length'])
  })

  it('is not compressed for a session cookie, so that its length tells nothing (BREACH)', async () => {
    const accepts = { 'accept-encoding': 'br, gzip' }
    const byCookie = await send(list, { ...accepts, cookie })
    expect([byCookie.status, byCookie.headers['content-encoding']]).toEqual([200, undefined])
    const byKey = await send(list, { ...accepts, cookie, ...member.headers })
    expect([byKey.status, byKey.headers['content-encoding']]).toEqual([200, 'br'])
  })
})

describe('an answer that is not compressed', () => {
  const accepts = { 'accept-encoding': 'br, gzip' }

  it('has at most 1 KB', async () => {
    const graphql = await send(
      '/v1/graphql',
      { ...member.headers, ...accepts, 'content-type': 'application/json' },
      { query: '{ accountList(limit: 1) { data { id } } }' },
    )
    expect([graphql.status, graphql.headers['content-encoding'], graphql.headers.vary]).toEqual([
      200,
      undefined,
      undefined,
    ])
  })

  it('is a stream of events', async () => {
    const stream = await send(
      '/v1/graphql',
      { ...member.headers, ...accepts, 'content-type': 'application/json', accept: 'text/event-stream' },
      query,
    )
    expect([stream.status, stream.headers['content-encoding']]).toEqual([200, undefined])
    expect(String(stream.bytes)).toContain('event: complete')
  })
})

describe('/openapi.json', () => {
  it('is compressed and answers 304 for its ETag, in every coding', async () => {
    const plain = await send('/openapi.json', {})
    const compressed = await send('/openapi.json', { 'accept-encoding': 'gzip' })
    expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual(['gzip', 'Accept-Encoding'])
    expect(decoded(compressed)).toBe(String(plain.bytes))
    for (const tag of [plain.headers.etag!, compressed.headers.etag!]) {
      const again = await send('/openapi.json', { 'if-none-match': tag, 'accept-encoding': 'br' })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
    }
    expect((await send('/openapi.json', { 'if-none-match': '"x"' })).status).toBe(200)
  })
})

describe('If-None-Match', () => {
  const read = (tag: string, path = `/v1/accounts/${id}`, headers: Record<string, string> = {}) =>
    send(path, { ...member.headers, 'if-none-match': tag, ...headers })

  it.each(['"1"', 'W/"1"', '"7", "1"', '*'])('%s answers 304 without a body for version 1', async (tag) => {
    const { status, headers, bytes } = await read(tag)
    expect([status, headers.etag, bytes.length]).toEqual([304, '"1"', 0])
    expect([headers['api-version'], typeof headers['x-request-id']]).toEqual([platform.contract.version, 'string'])
  })

  it.each(['"2"', '"11"', '1', ''])('%s answers 200 with the record of version 1', async (tag) => {
    const { status, headers, bytes } = await read(tag)
    expect([status, headers.etag, JSON.parse(String(bytes)).name]).toEqual([200, '"1"', 'Small'])
  })

  it('answers 200 after a change of the record, and 304 for the version of the change', async () => {
    const { body, headers } = await member.rest.accountCreate!({ body: { name: 'Pump' } })
    const path = `/v1/accounts/${body.id}`
    expect((await read(headers.get('etag')!, path)).status).toBe(304)
    const changed = await member.rest.accountUpdate!({ id: body.id, body: { name: 'Pump 2' } })
    expect((await read(headers.get('etag')!, path)).status).toBe(200)
    expect((await read(changed.headers.get('etag')!, path)).status).toBe(304)
  })

  it('counts against the quota like any read', async () => {
    const remaining = async () => Number((await read('"1"')).headers['ratelimit-remaining'])
    expect(await remaining()).toBe((await remaining()) + 1)
  })

  it('tells nothing about a record that the caller cannot read', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    for (const headers of [{ 'x-api-key': stranger.secret }, { 'x-api-key': 'wrong' }]) {
      const { status } = await read('*', `/v1/accounts/${id}`, headers)
      expect(status).toBe(headers['x-api-key'] === 'wrong' ? 401 : 404)
    }
  })

  it('is ignored by operations that are not reads of a record by version', async () => {
    expect((await read('*', '/v1/accounts')).status).toBe(200)
    const created = await member.rest.accountCreate!({ body: { name: 'New' }, headers: { 'if-none-match': '*' } })
    expect(created.status).toBe(201)
    // The counters of a key change without a new version, and so does the address that used it last.
    await platform.settled()
    const key = await send(`/v1/api-keys/${member.keyId}`, { cookie, 'if-none-match': '*' })
    expect(key.status).toBe(200)
    expect(key.headers.etag).toMatch(/^"1(-n?[0-9a-z]+)+"$/)
  })
})
