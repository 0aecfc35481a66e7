import * as oauth from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'
import { anApp, aPerson, discovered, redirectUri, refusalOf, type Person } from './oauth.fixture.ts'

const platform = usePlatform()
let owner: Person
let admin: Person

beforeAll(async () => {
  owner = await aPerson(platform, { role: 'OWNER' })
  admin = await aPerson(platform, { role: 'ADMIN', organizationId: owner.organizationId })
})

const narrow = { scopes: ['WRITE_ACCOUNTS', 'READ_CASES'], rateLimit: { limit: 100, window: 'HOUR' } }

const wider: readonly (readonly [string, object])[] = [
  ['a scope more', { scopes: ['READ_CASES', 'READ_LEADS'] }],
  ['WRITE for READ', { scopes: ['WRITE_CASES'] }],
  ['another redirect URI', { redirectUris: [redirectUri, 'https://app.example.org/callback'] }],
  ['more requests', { rateLimit: { limit: 101, window: 'HOUR' } }],
  ['as many requests more often', { rateLimit: { limit: 100, window: 'MINUTE' } }],
]

const narrower: readonly (readonly [string, object])[] = [
  ['a name', { name: 'Renamed' }],
  ['a scope less', { scopes: ['READ_CASES'] }],
  ['no redirect URI', { redirectUris: [] }],
  ['fewer requests', { rateLimit: { limit: 99, window: 'HOUR' } }],
  ['the same', { ...narrow, redirectUris: [redirectUri] }],
]

describe('the app of a user with the role OWNER', () => {
  it('does not show its secret to an admin, so that no admin can act as the owner', async () => {
    const app = await anApp(owner, narrow)
    const { status, body } = await admin.rest['oauthAppRotateSecret']!({ id: app.id })
    expect([status, body.code, body.requiredRoles, 'clientSecret' in body]).toEqual([
      403,
      'PERMISSION_DENIED',
      ['OWNER'],
      false,
    ])
    const config = await discovered(platform.url, app)
    expect(await refusalOf(oauth.clientCredentialsGrant(config, { scope: 'READ_CASES' }))).toBe('allowed')
    const other = await aPerson(platform, { role: 'OWNER', organizationId: owner.organizationId })
    expect((await other.rest['oauthAppRotateSecret']!({ id: app.id })).status).toBe(200)
  })

  it.each(wider)('can get %s from its owner, but not from an admin', async (_, body) => {
    const { id } = await anApp(owner, narrow)
    const before = (await owner.rest['oauthApp']!({ id })).body
    const refused = await admin.rest['oauthAppUpdate']!({ id, body })
    expect([refused.status, refused.body.code]).toEqual([403, 'PERMISSION_DENIED'])
    expect((await owner.rest['oauthApp']!({ id })).body).toEqual(before)
    expect((await owner.rest['oauthAppUpdate']!({ id, body })).status).toBe(200)
  })

  it.each(narrower)('can get %s from an admin', async (_, body) => {
    const { id } = await anApp(owner, narrow)
    expect((await admin.rest['oauthAppUpdate']!({ id, body })).status).toBe(200)
  })

  it('can be deleted by an admin', async () => {
    const { id } = await anApp(owner, narrow)
    expect((await admin.rest['oauthAppDelete']!({ id })).status).toBe(204)
  })
})

it('an admin can widen and rotate the apps of users without the role OWNER, and their own', async () => {
  const { organizationId } = owner
  const member = await aPerson(platform, { organizationId })
  for (const holder of [admin, member]) {
    const { id } = await anApp(holder, narrow)
    expect((await admin.rest['oauthAppUpdate']!({ id, body: { scopes: ['WRITE_CASES'] } })).status).toBe(200)
    expect((await admin.rest['oauthAppRotateSecret']!({ id })).body.clientSecret).toMatch(/^cs_/)
  }
})
