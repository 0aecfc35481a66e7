import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { chromium } from '../chromium.ts'
import { usePlatform } from '../platform.ts'
import { customEventsDocument, publishOne } from './publish.ts'

// Pages in a real browser. The origin of a page is `localhost` with the port of its server; the API is at another port.

/** Serves an empty page and returns its origin. */
async function servePage() {
  const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

interface Sent {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly credentials?: 'include'
}

/** What a page gets from `fetch`; null if the browser refuses it. */
interface Got {
  readonly status: number
  readonly headers: Record<string, string>
  // Tests check the fields of the body that they expect.
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

const fetchFrom = (page: Page, sent: Sent): Promise<Got | null> =>
  page.evaluate(async ({ url, body, ...init }) => {
    try {
      const response = await fetch(url, {
        ...init,
        ...(body !== undefined && {
          method: init.method ?? 'POST',
          headers: { 'Content-Type': 'application/json', ...init.headers },
          body: JSON.stringify(body),
        }),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: JSON.parse(text || 'null'),
      }
    } catch {
      return null
    }
  }, sent)

const here = chromium()
if (!here.executablePath) console.warn(`test/clients: ${here.explanation}`)
const named = await servePage()
const other = await servePage()
const platform = usePlatform({ CORS_ORIGINS: `*,${named.origin}` })
const closed = usePlatform({ CORS_ORIGINS: named.origin })

describe.skipIf(!here.executablePath)('a page of another origin in Chromium', () => {
  let browser: Browser
  let api: string

  beforeAll(async () => {
    browser = await here.launch()
    // The same site as the pages, so that the browser sends cookies.
    api = platform.url.replace('127.0.0.1', 'localhost')
  })
  afterAll(async () => {
    await browser.close()
    named.close()
    other.close()
  })

  async function pageAt(origin: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(origin)
    return page
  }

  it('calls REST and GraphQL with an API key, and reads the headers', async () => {
    const member = await platform.member()
    const page = await pageAt(other.origin)
    const created = await fetchFrom(page, {
      url: `${platform.url}/v1/accounts`,
      headers: { ...member.headers, 'Idempotency-Key': newId() },
      body: { name: 'From a page' },
    })
    const { id } = created!.body
    expect(created).toMatchObject({
      status: 201,
      headers: {
        etag: '"1"',
        location: `/v1/accounts/${id}`,
        'api-version': platform.contract.version,
        'x-request-id': expect.stringMatching(/^req_/),
        'ratelimit-limit': '1000000',
      },
    })
    const changed = await fetchFrom(page, {
      url: `${platform.url}/v1/accounts/${id}`,
      method: 'PATCH',
      headers: { ...member.headers, 'If-Match': '"1"' },
      body: { name: 'Changed' },
    })
    expect([changed!.status, changed!.headers['etag']]).toEqual([200, '"2"'])
    const query = `{ account(id: "${id}") { name } }`
    const posted = await fetchFrom(page, {
      url: `${platform.url}/v1/graphql`,
      headers: member.headers,
      body: { query },
    })
    const got = await fetchFrom(page, {
      url: `${platform.url}/v1/graphql?query=${encodeURIComponent(query)}`,
      headers: { ...member.headers, Accept: 'application/json' },
    })
    const expected = { data: { account: { name: 'Changed' } } }
    expect([posted!.body, got!.body]).toEqual([expected, expected])
  })

  it('gets custom events as server-sent events and over a websocket', async () => {
    const owner = await platform.member({ role: 'OWNER' })
    const type = await publishOne(owner)
    const page = await pageAt(other.origin)
    const request = { query: customEventsDocument, variables: { types: [type] } }
    const expected = { data: { customEvents: { type, data: { level: 7 } } } }
    const streamed = await page.evaluate(
      async ({ url, headers, body }) => {
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
          body,
        })
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (!/^data: ?(\{.*)$/m.test(text)) {
          const { value, done } = await reader.read()
          if (done) break
          text += value
        }
        await reader.cancel()
        return JSON.parse(/^data: ?(\{.*)$/m.exec(text)![1]!) as unknown
      },
      { url: `${platform.url}/v1/graphql`, headers: owner.headers, body: JSON.stringify(request) },
    )
    expect(streamed).toMatchObject(expected)
    const overSocket = await page.evaluate(
      ({ url, payload, connection }) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url, 'graphql-transport-ws')
          socket.onopen = () => socket.send(JSON.stringify({ type: 'connection_init', payload: connection }))
          socket.onclose = ({ code, reason }) => reject(new Error(`${code} ${reason}`))
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(String(data)) as { type: string; payload: unknown }
            if (message.type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
            if (message.type !== 'next' && message.type !== 'error') return
            resolve(message.payload)
            socket.close()
          }
        }),
      { url: `${platform.url.replace('http', 'ws')}/v1/graphql`, payload: request, connection: owner.headers },
    )
    expect(overSocket).toMatchObject(expected)
  })

  it('reads refusals', async () => {
    const page = await pageAt(other.origin)
    const url = `${platform.url}/v1/accounts`
    expect(await fetchFrom(page, { url, headers: { 'X-API-Key': 'wrong' } })).toMatchObject({
      status: 401,
      body: { code: 'API_KEY_INVALID' },
    })
    expect(await fetchFrom(page, { url })).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  })

  it('uses the session cookie if its origin is named, and writes with the CSRF token', async () => {
    const page = await pageAt(named.origin)
    const credentials = 'include'
    const registration = { email: `p${newId()}@example.com`, password: 'Correct horse 7!' }
    const registered = await fetchFrom(page, { url: `${api}/v1/auth/register`, credentials, body: registration })
    expect(registered!.status).toBe(201)
    const me = await fetchFrom(page, { url: `${api}/v1/auth/me`, credentials })
    expect([me!.status, me!.body.email]).toEqual([200, registration.email])

    const account = { url: `${api}/v1/accounts`, credentials, body: { name: 'By cookie' } } as const
    expect((await fetchFrom(page, account))!.body.code).toBe('CSRF_TOKEN_INVALID')
    const headers = { 'X-CSRF-Token': registered!.body.csrfToken as string }
    expect((await fetchFrom(page, { ...account, headers }))!.status).toBe(201)
    const read = {
      url: `${api}/v1/graphql`,
      credentials,
      headers,
      body: { query: '{ accountList { total } }' },
    } as const
    expect((await fetchFrom(page, read))!.body).toEqual({ data: { accountList: { total: 1 } } })
  })

  it('cannot use the session cookie if its origin is not named', async () => {
    const page = await pageAt(other.origin)
    const url = `${api}/v1/auth/me`
    expect(await fetchFrom(page, { url, credentials: 'include' })).toBeNull()
    expect((await fetchFrom(page, { url }))!.status).toBe(401)
  })

  it('cannot call anything if only another origin is named', async () => {
    const { headers } = await closed.member()
    const url = `${closed.url}/v1/accounts`
    const before = await closed.fingerprint()
    expect(await fetchFrom(await pageAt(other.origin), { url, headers, body: { name: 'x' } })).toBeNull()
    expect(await closed.fingerprint()).toBe(before)
    expect((await fetchFrom(await pageAt(named.origin), { url, headers, body: { name: 'x' } }))!.status).toBe(201)
  })
})
