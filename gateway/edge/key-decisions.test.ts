import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { anEdge, fromNow, inventedKey, start } from './edge.fixture.ts'

interface Fault {
  readonly name: string
  readonly code: string
  readonly status: number
  readonly detail: RegExp
  readonly key?: Partial<ApiKeyRecord>
  readonly url?: string
}

/** In the documented order: a key with several of these faults is refused because of the first one. */
const faults: Fault[] = [
  { name: 'revoked', code: 'API_KEY_INVALID', status: 401, detail: /revoked/, key: { revokedAt: start } },
  { name: 'expired', code: 'API_KEY_EXPIRED', status: 401, detail: /expired/, key: { expiresAt: start } },
  {
    name: 'rotated out',
    code: 'API_KEY_EXPIRED',
    status: 401,
    detail: /rotated/,
    key: { previousSecretExpiresAt: start },
  },
  {
    name: 'suspended',
    code: 'ORGANIZATION_SUSPENDED',
    status: 401,
    detail: /suspended/,
    key: { organizationSuspended: true },
  },
  {
    name: 'owner inactive',
    code: 'API_KEY_OWNER_INACTIVE',
    status: 401,
    detail: /deactivated/,
    key: { ownerActive: false },
  },
  {
    name: 'owner not in the organization',
    code: 'API_KEY_OWNER_NOT_IN_ORG',
    status: 401,
    detail: /left/,
    key: { ownerInOrganization: false },
  },
  {
    name: 'wrong address',
    code: 'API_KEY_IP_NOT_ALLOWED',
    status: 403,
    detail: /allow-list/,
    key: { ipAllowList: ['192.0.2.1'] },
  },
  { name: 'blocked path', code: 'API_KEY_SCOPE_BLOCKED', status: 403, detail: /session/, url: '/v1/api-keys' },
  {
    name: 'quota spent',
    code: 'API_KEY_RATE_LIMITED',
    status: 429,
    detail: /0 requests/,
    key: { rateLimit: { limit: 0, window: 'HOUR' } },
  },
]

describe('a key', () => {
  it('that is valid acts as its owner', async () => {
    const { sendWithKey, issue, used } = anEdge()
    const { code, admission } = await sendWithKey(issue().secret, { headers: { 'user-agent': 'curl/8' } })
    expect(code).toBe('OK')
    expect(admission?.caller).toEqual({
      kind: 'API_KEY',
      organizationId: 'org-1',
      userId: 'user-1',
      role: 'MEMBER',
      visibility: 'OWN',
      ownerIds: ['user-1'],
      fields: null,
      entitlements: [],
      scopes: ['READ_ACCOUNTS'],
      credentialId: 'key-1',
      ip: '203.0.113.7',
      userAgent: 'curl/8',
    })
    expect(used).toEqual([`key-1 203.0.113.7 ${start.toISOString()}`])
  })

  it('is refused without a lookup when its form or checksum is wrong', async () => {
    const { sendWithKey, reads, used } = anEdge()
    for (const secret of ['', 'garbage', `${inventedKey().slice(0, -1)}!`, `ck_live_${'a'.repeat(38)}`]) {
      expect((await sendWithKey(secret)).code).toBe('API_KEY_INVALID')
    }
    expect(reads).toEqual([])
    expect(used).toEqual([])
  })

  it('that does not exist is refused', async () => {
    const { refusal } = await anEdge().sendWithKey(inventedKey())
    expect([refusal?.code, refusal?.status]).toEqual(['API_KEY_INVALID', 401])
  })

  it.each(faults)('that is $name is refused with $status $code', async ({ code, status, detail, key, url }) => {
    const { sendWithKey, issue } = anEdge()
    const { refusal } = await sendWithKey(issue(key).secret, { url })
    expect([refusal?.code, refusal?.status]).toEqual([code, status])
    expect(refusal?.message).toMatch(detail)
  })

  it.each(faults.slice(0, -1).map((fault, at) => ({ first: fault, rest: faults.slice(at) })))(
    'with the fault "$first.name" and all later ones is refused for the first one',
    async ({ first, rest }) => {
      const { sendWithKey, issue } = anEdge()
      const key = Object.assign({}, ...rest.map((fault) => fault.key)) as Partial<ApiKeyRecord>
      const { refusal } = await sendWithKey(issue(key).secret, { url: rest.find(({ url }) => url)?.url })
      expect(refusal?.code).toBe(first.code)
      expect(refusal?.message).toMatch(first.detail)
    },
  )

  it('works until the instant it expires, and a rotated-out one until its overlap ends', async () => {
    const { sendWithKey, issue, setNow } = anEdge()
    const expiring = issue({ id: 'expiring', expiresAt: fromNow(5000) }).secret
    const rotated = issue({ id: 'rotated', previousSecretExpiresAt: fromNow(5000) }).secret
    setNow(4999)
    expect([(await sendWithKey(expiring)).code, (await sendWithKey(rotated)).code]).toEqual(['OK', 'OK'])
    setNow(5000)
    expect([(await sendWithKey(expiring)).code, (await sendWithKey(rotated)).code]).toEqual([
      'API_KEY_EXPIRED',
      'API_KEY_EXPIRED',
    ])
  })

  it('is checked against its allow-list by the connecting address, not by X-Forwarded-For', async () => {
    const { sendWithKey, issue } = anEdge()
    const { secret } = issue({ ipAllowList: ['198.51.100.0/24', '2001:db8::/32'] })
    const claims = { 'x-forwarded-for': '198.51.100.1' }
    expect((await sendWithKey(secret, { headers: claims })).code).toBe('API_KEY_IP_NOT_ALLOWED')
    expect((await sendWithKey(secret, { peer: '::ffff:198.51.100.1' })).code).toBe('OK')
    expect((await sendWithKey(secret, { peer: '2001:db8::5' })).code).toBe('OK')
  })

  it('is checked against its allow-list by the address that a trusted proxy sends', async () => {
    const { sendWithKey, issue } = anEdge({ trustProxy: ['10.0.0.0/8'] })
    const { secret } = issue({ ipAllowList: ['198.51.100.1'] })
    const via = (forwarded: string) => ({ peer: '10.1.2.3', headers: { 'x-forwarded-for': forwarded } })
    expect((await sendWithKey(secret, via('198.51.100.1'))).code).toBe('OK')
    expect((await sendWithKey(secret, via('198.51.100.1, 203.0.113.7'))).code).toBe('API_KEY_IP_NOT_ALLOWED')
  })
})

describe('the presented credential', () => {
  it('may be a key in either header, or the same key in both', async () => {
    const { send, issue } = anEdge()
    const { secret } = issue()
    for (const authorization of [`ApiKey ${secret}`, `apikey   ${secret}`]) {
      expect((await send({ headers: { authorization } })).code).toBe('OK')
      expect((await send({ headers: { authorization, 'x-api-key': secret } })).code).toBe('OK')
    }
  })

  it('may not be two different keys', async () => {
    const { send, issue } = anEdge()
    const headers = { 'x-api-key': issue().secret, authorization: `ApiKey ${issue().secret}` }
    const { refusal } = await send({ headers })
    expect([refusal?.code, refusal?.status]).toEqual(['CREDENTIALS_CONFLICT', 400])
  })

  it('is the API key if there is one: an invalid key does not fall back to the session token', async () => {
    const { send, signIn, issue } = anEdge()
    const authorization = `Bearer ${await signIn()}`
    for (const key of ['', 'garbage', inventedKey()]) {
      expect((await send({ headers: { authorization, 'x-api-key': key } })).code).toBe('API_KEY_INVALID')
    }
    const { admission } = await send({ headers: { authorization, 'x-api-key': issue().secret } })
    expect(admission?.caller.kind).toBe('API_KEY')
  })

  it('is anonymous when there is none: no scopes, no visible records', async () => {
    const { admission, headers } = await anEdge().send()
    expect(admission?.caller).toMatchObject({
      kind: 'ANONYMOUS',
      organizationId: '',
      userId: '',
      ownerIds: [],
      scopes: [],
    })
    expect(Object.keys(headers)).toEqual(['x-request-id'])
  })

  it.each(['Basic dXNlcjpwYXNz', 'Digest x', 'nonsense with spaces', ''])(
    'in the form %j is refused',
    async (authorization) => {
      const { refusal } = await anEdge().send({ headers: { authorization } })
      expect([refusal?.code, refusal?.status]).toEqual(['UNAUTHENTICATED', 401])
    },
  )
})
