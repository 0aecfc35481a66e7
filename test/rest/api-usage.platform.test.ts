import { describe, expect, it } from 'vitest'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { anApp, aPerson, discovered, tokensOf, withToken } from '../oauth/oauth.fixture.ts'
import { sessionOf } from '../requests/session.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
const outcome = ({ status, body }: Answer) => `${status} ${(body as { code?: string }).code ?? 'OK'}`

const anOwner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization() })
const signedIn = async (user: Member): Promise<RestClient> =>
  restClient(platform.contract, platform.url, { authorization: `Bearer ${await sessionOf(platform, user)}` })

describe('apiUsageSummary', () => {
  it('answers 200 with the requests of keys, sessions and GraphQL', async () => {
    const owner = await anOwner()
    const session = await signedIn(owner)
    await owner.rest.accountList!()
    await owner.rest.account!({ id: '01900000-0000-7000-8000-000000000000' })
    await owner.graphql('{ accountList { total } }')
    await fetch(`${platform.url}/v1/nowhere`, { headers: owner.headers })
    await session.me!()
    await platform.settled()
    const { status, body } = await session.apiUsageSummary!()
    expect(status).toBe(200)
    expect(body.days).toBe(30)
    expect(body.totals).toMatchObject({
      requests: 5,
      rateLimitHits: 0,
      byStatus: { '2xx': 3, '3xx': 0, '4xx': 2, '5xx': 0 },
    })
    expect(body.byOperation.map(({ operation, requests }: Record<string, unknown>) => [operation, requests])).toEqual([
      ['account', 1],
      ['accountList', 1],
      ['graphql', 1],
      ['me', 1],
      ['unknown', 1],
    ])
    expect(
      body.byCredential.map((caller: Record<string, unknown>) => [caller.credentialKind, caller.name, caller.requests]),
    ).toEqual([
      ['API_KEY', 'test', 4],
      ['SESSION', 'Ann Lee', 1],
    ])
    expect(body.byHour).toMatchObject([{ hour: '2027-02-01T09:00:00.000Z', requests: 5 }])
  })

  it('counts a request refused by the quota as a rate-limit hit, in the summary and on the key', async () => {
    const owner = await anOwner()
    const { id, secret } = await createApiKey(platform.services, owner.organizationId, {
      ownerId: owner.userId,
      name: 'Small',
      scopes: ['*'],
      rateLimit: { limit: 1, window: 'DAY' },
    })
    const client = restClient(platform.contract, platform.url, { 'x-api-key': secret })
    expect([outcome(await client.accountList!()), outcome(await client.accountList!())]).toEqual([
      '200 OK',
      '429 API_KEY_RATE_LIMITED',
    ])
    await platform.settled()
    const session = await signedIn(owner)
    const { body } = await session.apiUsageSummary!({ query: { days: 1 } })
    expect(body.byCredential).toMatchObject([{ credentialId: id, requests: 2, rateLimitHits: 1 }])
    expect((await session.apiKey!({ id })).body).toMatchObject({
      requestCount: 2,
      rateLimitHits: 1,
      lastUsedIp: '127.0.0.1',
      lastUsedAt: platform.now.toISOString(),
    })
  })

  it('counts all tokens of an app for the app, in the organization of the consent', async () => {
    const appOwner = await aPerson(platform, { role: 'ADMIN' })
    const user = await aPerson(platform, { role: 'OWNER' })
    const app = await anApp(appOwner, { rateLimit: { limit: 2, window: 'HOUR' } })
    const config = await discovered(platform.url, app)
    for (const expected of ['200 OK', '200 OK', '429 OAUTH_RATE_LIMITED']) {
      const { access_token: token } = await tokensOf(platform, config, user)
      expect(outcome(await withToken(platform, token)['accountList']!())).toBe(expected)
    }
    await platform.settled()
    const { body } = await user.rest['apiUsageSummary']!()
    expect(body.byCredential).toMatchObject([
      { credentialKind: 'OAUTH_APP', credentialId: app.id, name: 'Calendar link', requests: 3, rateLimitHits: 1 },
    ])
  })

  it('accepts a key with * of an owner or admin, and answers 403 to others', async () => {
    const owner = await anOwner()
    const { organizationId } = owner
    const [admin, manager] = [
      await platform.member({ role: 'ADMIN', organizationId }),
      await platform.member({ role: 'MANAGER', organizationId }),
    ]
    const narrow = await platform.member({
      role: 'OWNER',
      organizationId,
      scopes: ['READ_ACCOUNTS', 'MANAGE_METADATA'],
    })
    expect(outcome(await owner.rest.apiUsageSummary!())).toBe('200 OK')
    expect(outcome(await admin.rest.apiUsageSummary!())).toBe('200 OK')
    expect(outcome(await manager.rest.apiUsageSummary!())).toBe('403 PERMISSION_DENIED')
    const refused = await narrow.rest.apiUsageSummary!()
    expect([outcome(refused), refused.body.missingScopes]).toEqual(['403 API_KEY_SCOPE_INSUFFICIENT', ['*']])
  })

  it.each([0, 91, 1.5, 'x'])('answers 400 for %s days', async (days) => {
    const answer = await (await anOwner()).rest.apiUsageSummary!({ query: { days } })
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, 'days'])
  })
})

describe('in GraphQL', () => {
  it('keys with * of owners and admins can read usage, and only sessions can rotate keys', async () => {
    const owner = await anOwner()
    const summing = await owner.graphql('{ apiUsageSummary(days: 1) { days totals { requests latency { p99 } } } }')
    expect(summing.body).toEqual({
      data: { apiUsageSummary: { days: 1, totals: { requests: 0, latency: { p99: null } } } },
    })
    const rotating = 'mutation($id: ID!) { apiKeyRotate(id: $id, overlapHours: 1) { status secret } }'
    const refused = await owner.graphql(rotating, { id: owner.keyId })
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
    const answer = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await sessionOf(platform, owner)}` },
      body: JSON.stringify({ query: rotating, variables: { id: owner.keyId } }),
    })
    expect(await answer.json()).toEqual({
      data: { apiKeyRotate: { status: 'ROTATING', secret: expect.stringMatching(/^ck_live_\w{38}$/) } },
    })
  })
})

describe('apiKeyDeprecatedUsage', () => {
  it('answers 200 with calls to deprecated operations per user, including calls after the sunset', async () => {
    const owner = await anOwner()
    const session = await signedIn(owner)
    await session.apiKeyRegenerate!({ id: owner.keyId })
    platform.now = new Date('2027-04-01T00:00:00.000Z')
    const later = await signedIn(owner)
    expect(outcome(await later.apiKeyRegenerate!({ id: owner.keyId }))).toBe('410 ENDPOINT_SUNSET')
    await later.apiKeyRegenerate!({ id: owner.keyId })
    await platform.settled()
    expect((await later.apiKeyDeprecatedUsage!()).body).toEqual([
      {
        credentialKind: 'SESSION',
        credentialId: owner.userId,
        name: 'Ann Lee',
        operationId: 'apiKeyRegenerate',
        endpoint: 'POST /v1/api-keys/{id}/regenerate',
        calls: 2,
        lastCalledAt: '2027-04-01T00:00:00.000Z',
        sunset: '2027-04-01',
      },
    ])
  })

  it('is closed to keys with 403', async () => {
    const { rest } = await anOwner()
    expect(outcome(await rest.apiKeyDeprecatedUsage!())).toBe('403 API_KEY_SCOPE_BLOCKED')
  })
})
