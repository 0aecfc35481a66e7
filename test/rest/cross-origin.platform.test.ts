import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'

const named = 'https://app.example.com'
const other = 'https://other.example.com'
const open = usePlatform()
const both = usePlatform({ CORS_ORIGINS: `*,${named}` })
const restricted = usePlatform({ CORS_ORIGINS: named, IP_LIMITS: '3/h' })
const closed = usePlatform({ CORS_ORIGINS: 'off' })

let member: Member
beforeAll(async () => {
  member = await open.member()
})

type Sent = Record<string, string>

const corsOf = ({ headers }: Response): Sent =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => (name.startsWith('access-control-') && !name.endsWith('expose-headers')) || name === 'vary',
    ),
  )

const preflight = (url: string, origin: string, headers: Sent = {}): Promise<Response> =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type,x-api-key,x-of-the-client',
      ...headers,
    },
  })

const allowed = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'content-type,x-api-key,x-of-the-client',
  'access-control-max-age': '7200',
}
const anyOrigin = { 'access-control-allow-origin': '*' }
const withCookies = { 'access-control-allow-origin': named, 'access-control-allow-credentials': 'true', vary: 'Origin' }

describe('a preflight', () => {
  const paths = [
    '/v1/accounts',
    '/v1/accounts/x',
    '/v1/graphql',
    '/graphql',
    '/v1/auth/login',
    '/v1/scim/v2/Users',
    '/mcp',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/v1/oauth/register',
    '/v1/nothing',
  ]

  it.each(paths)('on %s is answered for any origin, without cookies', async (path) => {
    const response = await preflight(open.url + path, other)
    expect([response.status, await response.text(), corsOf(response)]).toEqual([204, '', { ...anyOrigin, ...allowed }])
  })

  it('allows cookies to named origins only', async () => {
    expect(corsOf(await preflight(`${both.url}/v1/accounts`, named))).toEqual({ ...withCookies, ...allowed })
    expect(corsOf(await preflight(`${both.url}/v1/accounts`, other))).toEqual({
      ...anyOrigin,
      ...allowed,
      vary: 'Origin',
    })
    expect(corsOf(await preflight(`${restricted.url}/v1/graphql`, named))).toEqual({ ...withCookies, ...allowed })
  })

  it.each([other, 'null', `${named}.evil.example`, named.replace('https', 'http'), `${named}:8443`])(
    'from %s is answered without permission if only another origin is named',
    async (origin) => {
      const response = await preflight(`${restricted.url}/v1/accounts`, origin)
      expect([response.status, corsOf(response)]).toEqual([204, { vary: 'Origin' }])
    },
  )

  it('gets no permission with CORS_ORIGINS=off', async () => {
    expect(corsOf(await preflight(`${closed.url}/v1/accounts`, other))).toEqual({})
  })

  it.each(['/metrics', '/health/ready', '/v1/oauth/authorize', '/'])('on %s gives no permission', async (path) => {
    expect(corsOf(await preflight(open.url + path, other))).not.toHaveProperty('access-control-allow-origin')
  })

  it('counts against no quota and no rate limit, and does not look at a credential', async () => {
    const key = { 'x-api-key': member.secret, authorization: 'Bearer wrong' }
    const response = await preflight(`${open.url}/v1/accounts`, other, key)
    expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([204, null])
    const remaining = async () => Number((await member.rest.accountList!()).headers.get('ratelimit-remaining'))
    const before = await remaining()
    for (let sent = 0; sent < 5; sent++) await preflight(`${open.url}/v1/accounts`, other, key)
    expect(await remaining()).toBe(before - 1)
    for (let sent = 0; sent < 10; sent++)
      expect((await preflight(`${restricted.url}/v1/accounts`, named)).status).toBe(204)
  })

  it('is not an OPTIONS request without Origin, which is answered with the methods of the path', async () => {
    const response = await fetch(`${open.url}/v1/accounts`, { method: 'OPTIONS', headers: member.headers })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST'])
  })
})

describe('a page of another origin that is a client of MCP', () => {
  const initialize = (url: string, origin: string | null, headers: Sent) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...(origin !== null && { origin }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: { elicitation: {} },
          clientInfo: { name: 'page', version: '1' },
        },
      }),
    })

  it('may read the headers of the protocol, and of a refusal where tokens come from', async () => {
    const answer = await initialize(open.url, other, member.headers)
    expect([answer.status, corsOf(answer)]).toEqual([200, anyOrigin])
    const exposed = answer.headers.get('access-control-expose-headers')!.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Mcp-Session-Id', 'Mcp-Protocol-Version', 'WWW-Authenticate']))
    expect(answer.headers.get('mcp-session-id')).toMatch(/^[\w-]{43}$/)
    const refused = await initialize(open.url, other, {})
    expect([refused.status, corsOf(refused)]).toEqual([401, anyOrigin])
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=')
  })

  it.each([other, 'null', `${named}.evil.example`, 'http://127.0.0.1.evil.example', ''])(
    'is refused from %s where pages of this origin are not permitted, also with a right key',
    async (origin) => {
      for (const platform of [restricted, closed]) {
        const { headers } = await platform.member()
        const answer = await initialize(platform.url, origin, headers)
        expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'PERMISSION_DENIED'])
        expect(corsOf(answer)).not.toHaveProperty('access-control-allow-origin')
      }
    },
  )

  it('may call from a named origin, and programs and pages of the API itself always', async () => {
    const { headers } = await both.member()
    expect((await initialize(both.url, named, headers)).status).toBe(200)
    const { headers: own } = await closed.member()
    expect((await initialize(closed.url, null, own)).status).toBe(200)
    expect((await initialize(closed.url, new URL(closed.url).origin, own)).status).toBe(200)
  })
})

describe('an answer to a page of another origin', () => {
  const call = (url: string, origin: string, headers: Sent = {}) => fetch(url, { headers: { origin, ...headers } })

  it('can be read with its headers', async () => {
    const response = await call(`${open.url}/v1/accounts`, other, member.headers)
    expect([response.status, corsOf(response)]).toEqual([200, anyOrigin])
    const exposed = response.headers.get('access-control-expose-headers')!.split(', ')
    for (const name of ['ETag', 'Location', 'Retry-After', 'API-Version', 'X-Request-Id', 'Idempotent-Replayed'])
      expect(exposed).toContain(name)
    for (const [name] of response.headers) {
      if (name.startsWith('ratelimit-')) expect(exposed.map((one) => one.toLowerCase())).toContain(name)
    }
  })

  it('can be read when it is a refusal', async () => {
    for (const path of ['/v1/accounts', '/v1/nothing', '/v1/graphql?query={me{id}}']) {
      const response = await call(open.url + path, other)
      expect([response.status >= 400, corsOf(response)], path).toEqual([true, anyOrigin])
    }
    const limited = await Promise.all([1, 2, 3, 4].map(() => call(`${restricted.url}/v1/accounts`, named)))
    const refused = limited.find(({ status }) => status === 429)!
    expect(corsOf(refused)).toEqual(withCookies)
  })

  it('can be read with cookies by a named origin only', async () => {
    const owner = await both.member({ role: 'OWNER' })
    const cookie = `access_token=${await sessionOf(both, owner)}`
    const read = async (origin: string) => {
      const response = await call(`${both.url}/v1/auth/me`, origin, { cookie })
      return [response.status, corsOf(response)]
    }
    expect(await read(named)).toEqual([200, withCookies])
    expect(await read(other)).toEqual([200, { ...anyOrigin, vary: 'Origin' }])
  })

  it('has no CORS header without Origin', async () => {
    const response = await fetch(`${both.url}/v1/auth/me`)
    expect(corsOf(response)).toEqual({})
    expect(response.headers.has('access-control-expose-headers')).toBe(false)
  })
})
