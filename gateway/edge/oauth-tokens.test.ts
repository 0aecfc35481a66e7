import { describe, expect, it } from 'vitest'
import type { OAuthTokenRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { anEdge, start } from './edge.fixture.ts'

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('an access token of an app', () => {
  it('acts as its user with its scopes, on the quota of its app', async () => {
    const { send, authorize } = anEdge()
    const { code, admission, headers } = await send(bearer(authorize()))
    expect(code).toBe('OK')
    expect(admission?.caller).toMatchObject({
      kind: 'OAUTH',
      organizationId: 'org-1',
      userId: 'user-1',
      role: 'MEMBER',
      scopes: ['READ_ACCOUNTS'],
      credentialId: 'grant-1',
    })
    expect(headers).toMatchObject({
      'ratelimit-limit': '5000',
      'ratelimit-remaining': '4999',
      'ratelimit-reset': '3600',
      'ratelimit-policy': '5000;w=3600',
    })
  })

  it('shares the quota of its app in its organization with other tokens, and with no other organization', async () => {
    const { send, authorize } = anEdge()
    const rateLimit = { limit: 1, window: 'HOUR' } as const
    const [one, other] = [authorize({ rateLimit }), authorize({ rateLimit, id: 'grant-2', userId: 'user-2' })]
    expect((await send(bearer(one))).code).toBe('OK')
    const { refusal, headers } = await send(bearer(other))
    expect([refusal?.code, refusal?.status, refusal?.extensions.retryAfter]).toEqual(['OAUTH_RATE_LIMITED', 429, 3600])
    expect(headers).toMatchObject({ 'ratelimit-remaining': '0' })
    expect((await send(bearer(authorize({ rateLimit, organizationId: 'org-2' })))).code).toBe('OK')
    expect((await send(bearer(authorize({ rateLimit, appId: 'app-2' })))).code).toBe('OK')
  })

  it.each<[string, Partial<OAuthTokenRecord>, string, number]>([
    ['expired', { expiresAt: start }, 'TOKEN_EXPIRED', 401],
    ['of a suspended organization', { organizationSuspended: true }, 'ORGANIZATION_SUSPENDED', 401],
    ['of a deactivated user', { ownerActive: false }, 'UNAUTHENTICATED', 401],
    ['of a user who left', { ownerInOrganization: false }, 'UNAUTHENTICATED', 401],
  ])('%s is refused', async (_, values, code, status) => {
    const { send, authorize } = anEdge()
    const { refusal } = await send(bearer(authorize(values)))
    expect([refusal?.code, refusal?.status]).toEqual([code, status])
  })

  it('that was never issued is refused, and is counted for no key', async () => {
    const { send, used } = anEdge()
    expect((await send(bearer('A'.repeat(43)))).code).toBe('UNAUTHENTICATED')
    expect(used).toEqual([])
  })

  it.each(['/v1/oauth-apps', '/v1//connected-apps', '/v1/%61uth/me', '/V1/oauth/token'])(
    'may not call %s',
    async (url) => {
      const { send, authorize } = anEdge()
      expect((await send({ ...bearer(authorize()), url })).code).toBe('API_KEY_SCOPE_BLOCKED')
    },
  )

  it('stops working immediately after `forget`, otherwise within a second', async () => {
    const { send, authorize, edge, tokens, setNow } = anEdge()
    const token = authorize()
    const [[hash, record]] = [...tokens] as [[string, OAuthTokenRecord]]
    expect((await send(bearer(token))).code).toBe('OK')
    tokens.clear()
    expect((await send(bearer(token))).code).toBe('OK')
    edge.forget('org-1')
    expect((await send(bearer(token))).code).toBe('UNAUTHENTICATED')
    tokens.set(hash, record)
    setNow(900)
    expect((await send(bearer(token))).code).toBe('OK')
  })
})
