import * as oauth from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '../../start-gateway.ts'
import {
  deactivateUser,
  removeUser,
  resumeOrganization,
  suspendOrganization,
  updateUser,
} from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { usePlatform } from '../platform.ts'
import { anApp, aPerson, discovered, refusalOf, tokensOf, withToken, type App, type Person } from './oauth.fixture.ts'

const platform = usePlatform()
let owner: Person
let app: App
let config: oauth.Configuration

beforeAll(async () => {
  owner = await aPerson(platform, { role: 'ADMIN' })
  app = await anApp(owner)
  config = await discovered(platform.url, app)
})

/** Longer than a gateway caches a token, even if it receives no notification, in milliseconds. */
async function codeOf(token: string, operation = 'accountList', url = platform.url): Promise<string> {
  platform.advanceClock(1000)
  const { status, body } = await withToken(platform, token, url)[operation]!()
  return status < 300 ? 'OK' : `${status} ${body.code}`
}

describe('oauthAppCreate', () => {
  it('returns the secret once and sets the defaults', async () => {
    const { body: created } = await owner.rest['oauthAppCreate']!({ body: { name: 'Sync', scopes: ['READ_ACCOUNTS'] } })
    const { clientSecret, ...app } = created
    expect(clientSecret).toMatch(/^cs_[\w-]{43}$/)
    expect(app).toMatchObject({
      ownerId: owner.userId,
      appVersion: '1.0.0',
      type: 'CONFIDENTIAL',
      redirectUris: [],
      rateLimit: { limit: 5000, window: 'HOUR' },
      secretPrefix: clientSecret.slice(0, 11),
      version: 1,
    })
    expect((await owner.rest['oauthApp']!({ id: app.id })).body).toEqual(app)
    expect(await platform.eventTypesOf(app.id)).toEqual(['oauth_app.created'])
    const audit = await platform.query<{ action: string; after: object }>(
      'select action, after from identity.audit_entry where target_id = $1',
      [app.id],
    )
    expect(audit.map(({ action }) => action)).toEqual(['oauth_app.created'])
    expect(JSON.stringify(audit)).not.toContain(clientSecret)
  })

  it.each<[string, object, string]>([
    ['http', { redirectUris: ['http://app.example.com/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a fragment', { redirectUris: ['https://app.example.com/cb#x'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a wildcard', { redirectUris: ['https://*.example.com/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a script', { redirectUris: ['javascript:alert(1)'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['the loopback of a server', { redirectUris: ['http://127.0.0.1/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['no way back', { type: 'PUBLIC' }, 'redirectUris EMPTY'],
    ['a backslash', { redirectUris: ['https://app.example.com\\@evil.com/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a line break', { redirectUris: ['https://app.example.com/cb\r\nx: y'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a leading space', { redirectUris: [' https://app.example.com/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a space within', { redirectUris: ['https://app.example.com/c b'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    [
      'a no-break space',
      { redirectUris: ['https://app.example.com/cb?a=\u00a0'] },
      'redirectUris.0 NOT_A_REDIRECT_URI',
    ],
    ['a control character', { redirectUris: ['https://app.example.com/\u0001'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['dot segments', { redirectUris: ['https://app.example.com/a/../cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    ['a host in upper case', { redirectUris: ['https://App.example.com/cb'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    [
      'a host with non-ASCII letters',
      { redirectUris: ['https://äpp.example.com/cb'] },
      'redirectUris.0 NOT_A_REDIRECT_URI',
    ],
    ['the default port', { redirectUris: ['https://app.example.com:443/'] }, 'redirectUris.0 NOT_A_REDIRECT_URI'],
    [
      'an IP address in short form',
      { type: 'PUBLIC', redirectUris: ['http://127.1/'] },
      'redirectUris.0 NOT_A_REDIRECT_URI',
    ],
  ])('refuses %s', async (_, values, problem) => {
    const body = { name: 'Sync', scopes: ['READ_ACCOUNTS'], ...values }
    const answer = await owner.rest['oauthAppCreate']!({ body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)).toEqual([
      problem,
    ])
  })

  it('stores redirect URIs unchanged, including an origin without a path', async () => {
    const redirectUris = [
      'https://app.example.com',
      'https://app.example.com/cb?a=%20b&c',
      'https://[2001:db8::1]:8443/',
    ]
    const body = { name: 'Sync', scopes: ['READ_ACCOUNTS'], redirectUris }
    const answer = await owner.rest['oauthAppCreate']!({ body })
    expect([answer.status, answer.body.redirectUris]).toEqual([201, redirectUris])
    const update = { redirectUris: ['https://app.example.com\\@evil.com/cb'] }
    expect((await owner.rest['oauthAppUpdate']!({ id: answer.body.id, body: update })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'redirectUris.0', code: 'NOT_A_REDIRECT_URI' }],
    })
  })

  it.each(['*', 'read', 'WEBHOOKS', 'READ_EVERYTHING'])('refuses the scope %s', async (scope) => {
    const { status } = await owner.rest['oauthAppCreate']!({ body: { name: 'Sync', scopes: [scope] } })
    expect(status).toBe(400)
  })
})

describe('apps', () => {
  it('are managed by the user who registered them, and by owners and admins', async () => {
    const { organizationId } = owner
    const [member, other] = [await aPerson(platform, { organizationId }), await aPerson(platform, { organizationId })]
    const { id } = await anApp(member)
    expect((await other.rest['oauthApp']!({ id })).status).toBe(404)
    expect((await other.rest['oauthAppDelete']!({ id })).status).toBe(404)
    expect((await owner.rest['oauthAppUpdate']!({ id, body: { name: 'Renamed' } })).body).toMatchObject({
      name: 'Renamed',
      version: 2,
    })
    const stranger = await aPerson(platform, { role: 'OWNER' })
    expect((await stranger.rest['oauthApp']!({ id })).status).toBe(404)
    expect((await member.rest['oauthAppList']!()).body.total).toBe(1)
  })

  it('get a new secret, and the previous one stops working', async () => {
    const ownApp = await anApp(owner)
    const { status, body } = await owner.rest['oauthAppRotateSecret']!({ id: ownApp.id })
    expect([status, body.clientSecret === ownApp.secret]).toEqual([200, false])
    const former = await discovered(platform.url, ownApp)
    expect(await refusalOf(oauth.clientCredentialsGrant(former, { scope: 'READ_ACCOUNTS' }))).toBe('401 invalid_client')
    const next = await discovered(platform.url, { ...ownApp, secret: body.clientSecret as string })
    expect(await refusalOf(oauth.clientCredentialsGrant(next, { scope: 'READ_ACCOUNTS' }))).toBe('allowed')
    const open = await anApp(owner, { type: 'PUBLIC' })
    expect((await owner.rest['oauthAppRotateSecret']!({ id: open.id })).body.code).toBe('INVALID_STATE')
  })

  it('keep their secret in a dry run, whose new apps and secrets open nothing', async () => {
    const ownApp = await anApp(owner)
    const headers = { Prefer: 'dry-run' }
    const rotated = await owner.rest['oauthAppRotateSecret']!({ id: ownApp.id, headers })
    const body = { name: 'Tried', scopes: ['READ_ACCOUNTS'], redirectUris: ['https://app.example.com/cb'] }
    const created = await owner.rest['oauthAppCreate']!({ body, headers })
    expect([rotated.status, created.status]).toEqual([200, 200])
    const { id, clientSecret } = created.body as { id: string; clientSecret: string }
    const granted = async (app: { id: string; secret: string | null }) =>
      refusalOf(oauth.clientCredentialsGrant(await discovered(platform.url, app), { scope: 'READ_ACCOUNTS' }))
    expect(await granted({ ...ownApp, secret: rotated.body.clientSecret as string })).toBe('401 invalid_client')
    expect(await granted({ id, secret: clientSecret })).toBe('401 invalid_client')
    expect([await granted(ownApp), (await owner.rest['oauthApp']!({ id })).status]).toEqual(['allowed', 404])
  })

  it('lose removed scopes immediately, and all access when they are deleted', async () => {
    const ownApp = await anApp(owner)
    const { access_token } = await tokensOf(platform, await discovered(platform.url, ownApp), owner)
    expect(await codeOf(access_token)).toBe('OK')
    await owner.rest['oauthAppUpdate']!({ id: ownApp.id, body: { scopes: ['READ_CASES'] } })
    expect(await codeOf(access_token)).toBe('403 OAUTH_SCOPE_INSUFFICIENT')
    await owner.rest['oauthAppDelete']!({ id: ownApp.id })
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
    const gone = oauth.clientCredentialsGrant(await discovered(platform.url, ownApp), { scope: 'READ_ACCOUNTS' })
    expect(await refusalOf(gone)).toBe('401 invalid_client')
  })

  it('have a separate quota in each organization', async () => {
    const ownApp = await anApp(owner, { rateLimit: { limit: 2, window: 'HOUR' } })
    const there = await discovered(platform.url, ownApp)
    const other = await aPerson(platform)
    const [here, elsewhere] = [await tokensOf(platform, there, owner), await tokensOf(platform, there, other)]
    expect([await codeOf(here.access_token), await codeOf(here.access_token)]).toEqual(['OK', 'OK'])
    const spent = await withToken(platform, here.access_token)['accountList']!()
    // The second request was sent one second after the first.
    expect([spent.status, spent.body.code, spent.headers.get('retry-after')]).toEqual([
      429,
      'OAUTH_RATE_LIMITED',
      '3599',
    ])
    expect(spent.headers.get('ratelimit-remaining')).toBe('0')
    expect(await codeOf(elsewhere.access_token)).toBe('OK')
  })
})

describe('a token', () => {
  it('never has more rights than its user: changes of the user take effect immediately', async () => {
    const person = await aPerson(platform)
    const { organizationId, userId } = person
    const { access_token, refresh_token } = await tokensOf(platform, config, person, 'READ_ACCOUNTS WRITE_ACCOUNTS')
    const create = async () =>
      (await withToken(platform, access_token)['accountCreate']!({ body: { name: 'Acme' } })).status
    expect(await create()).toBe(201)
    await updateUser(platform.services, organizationId, userId, { role: 'READ_ONLY' })
    platform.advanceClock(1000)
    expect(await create()).toBe(403)
    await suspendOrganization(platform.services, organizationId)
    expect(await codeOf(access_token)).toBe('401 ORGANIZATION_SUSPENDED')
    expect(await refusalOf(oauth.refreshTokenGrant(config, refresh_token!))).toBe('400 invalid_grant')
    expect(await oauth.tokenIntrospection(config, access_token)).toEqual({ active: false })
    await resumeOrganization(platform.services, organizationId)
    expect(await codeOf(access_token)).toBe('OK')
    await deactivateUser(platform.services, organizationId, userId)
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
    expect(await refusalOf(oauth.refreshTokenGrant(config, refresh_token!))).toBe('400 invalid_grant')
  })

  it('is refused in every organization while the organization of its app is suspended', async () => {
    const appOwner = await aPerson(platform, { role: 'OWNER' })
    const foreignApp = await anApp(appOwner)
    const there = await discovered(platform.url, foreignApp)
    const person = await aPerson(platform)
    const { access_token, refresh_token } = await tokensOf(platform, there, person)
    const own = await oauth.clientCredentialsGrant(there, { scope: 'READ_ACCOUNTS' })
    expect([await codeOf(access_token), await codeOf(own.access_token)]).toEqual(['OK', 'OK'])
    await suspendOrganization(platform.services, appOwner.organizationId)
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
    expect(await codeOf(own.access_token)).toBe('401 ORGANIZATION_SUSPENDED')
    expect(await refusalOf(oauth.refreshTokenGrant(there, refresh_token!))).toBe('401 invalid_client')
    await resumeOrganization(platform.services, appOwner.organizationId)
    expect([await codeOf(access_token), await codeOf(own.access_token)]).toEqual(['OK', 'OK'])
    expect(await refusalOf(oauth.refreshTokenGrant(there, refresh_token!))).toBe('allowed')
  })

  it('ends when its user leaves the organization', async () => {
    const person = await aPerson(platform)
    const { access_token } = await tokensOf(platform, config, person)
    expect(await codeOf(access_token)).toBe('OK')
    await removeUser(platform.services, person.organizationId, person.userId)
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
  })
})

describe('connected apps', () => {
  it('are seen and disconnected by their users, and for the whole organization by owners and admins', async () => {
    const organizationOwner = await aPerson(platform, { role: 'OWNER' })
    const { organizationId } = organizationOwner
    const [one, two] = [await aPerson(platform, { organizationId }), await aPerson(platform, { organizationId })]
    const first = await tokensOf(platform, config, one)
    const second = await tokensOf(platform, config, two, 'READ_ACCOUNTS WRITE_ACCOUNTS')
    const [ownApp] = (await one.rest['connectedAppList']!()).body.data
    expect(ownApp).toMatchObject({ appId: app.id, name: 'Calendar link', scopes: ['READ_ACCOUNTS'], consents: 1 })
    expect((await organizationOwner.rest['connectedAppList']!()).body.data).toMatchObject([
      { id: ownApp.id, scopes: ['READ_ACCOUNTS', 'WRITE_ACCOUNTS'], consents: 2 },
    ])
    expect((await owner.rest['connectedApp']!({ id: ownApp.id })).status).toBe(404)

    expect((await one.rest['connectedAppDelete']!({ id: ownApp.id })).status).toBe(204)
    expect([await codeOf(first.access_token), await codeOf(second.access_token)]).toEqual(['401 UNAUTHENTICATED', 'OK'])
    expect((await one.rest['connectedApp']!({ id: ownApp.id })).status).toBe(404)

    expect((await organizationOwner.rest['connectedAppDelete']!({ id: ownApp.id })).status).toBe(204)
    expect(await codeOf(second.access_token)).toBe('401 UNAUTHENTICATED')
    expect(await refusalOf(oauth.refreshTokenGrant(config, second.refresh_token!))).toBe('400 invalid_grant')
  })

  it('are listed in pages, each once', async () => {
    const organizationOwner = await aPerson(platform, { role: 'OWNER' })
    const member = await aPerson(platform, { organizationId: organizationOwner.organizationId })
    for (const name of ['C', 'A', 'B', 'A', 'D']) {
      const other = await anApp(owner, { name })
      await tokensOf(platform, await discovered(platform.url, other), name === 'D' ? organizationOwner : member)
    }
    const byName = { sortBy: 'name', sortOrder: 'asc' }
    const page = async ({ rest }: Person, more: Record<string, string | number>) => {
      const query = { ...byName, ...more }
      const { data, ...rest_ } = (await rest['connectedAppList']!({ query })).body
      return { names: data.map(({ name }: { name: string }) => name).join(''), ...rest_ }
    }
    const whole = { names: 'AABCD', page: 1, limit: 20, total: 5, totalPages: 1, hasMore: false, nextCursor: null }
    expect(await page(organizationOwner, {})).toEqual(whole)
    expect(await page(member, { limit: 2, page: 2 })).toMatchObject({
      names: 'BC',
      total: 4,
      totalPages: 2,
      hasMore: false,
    })
    let readNames = ''
    let cursor = ''
    do {
      const { names, nextCursor } = await page(organizationOwner, {
        limit: 1,
        ...(cursor && { cursor }),
        includeTotal: 'false',
      })
      readNames += names
      cursor = nextCursor
    } while (cursor)
    expect(readNames).toBe('AABCD')
    const invented = Buffer.from('["A",1]').toString('base64url')
    for (const query of ['cursor=x', `cursor=${invented}`, 'limit=101', 'page=0']) {
      expect((await organizationOwner.rest['connectedAppList']!({ query })).status).toBe(400)
    }
  })

  it('get an audit log entry when the app revokes its token', async () => {
    const person = await aPerson(platform, { role: 'OWNER' })
    const { refresh_token } = await tokensOf(platform, config, person)
    await oauth.tokenRevocation(config, refresh_token!)
    const query = { targetType: 'oauth_grant', sortBy: 'id', sortOrder: 'asc' }
    const before = { appId: app.id, userId: person.userId, scopes: ['READ_ACCOUNTS'] }
    expect((await person.rest['auditLogEntryList']!({ query })).body.data).toMatchObject([
      { action: 'oauth_grant.created', actorId: person.userId },
      { action: 'oauth_grant.ended', actorId: null, actorKind: 'SYSTEM', before },
    ])
  })

  it('have settings that owners and admins write and the app reads', async () => {
    const organizationOwner = await aPerson(platform, { role: 'OWNER' })
    const member = await aPerson(platform, { organizationId: organizationOwner.organizationId })
    const { access_token } = await tokensOf(platform, config, member)
    const [{ id }] = (await organizationOwner.rest['connectedAppList']!()).body.data
    const body = { settings: { region: 'north' } }
    expect((await member.rest['connectedAppUpdate']!({ id, body })).body).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    })
    expect((await organizationOwner.rest['connectedAppUpdate']!({ id, body })).body.settings).toEqual({
      region: 'north',
    })
    expect((await withToken(platform, access_token)['appInstallation']!()).body).toEqual({
      id,
      appId: app.id,
      organizationId: organizationOwner.organizationId,
      name: 'Calendar link',
      version: '1.0.0',
      scopes: ['READ_ACCOUNTS'],
      settings: { region: 'north' },
      createdAt: expect.any(String) as string,
    })
  })
})

describe('appInstallation', () => {
  it('can be called only by apps', async () => {
    expect((await owner.rest['appInstallation']!()).body).toMatchObject({ status: 403, code: 'OAUTH_TOKEN_REQUIRED' })
    const key = await platform.member()
    expect((await key.rest['appInstallation']!()).body).toMatchObject({ status: 403, code: 'OAUTH_TOKEN_REQUIRED' })
    const narrow = await platform.member({ scopes: ['READ_ACCOUNTS'] })
    expect((await narrow.rest['appInstallation']!()).body).toMatchObject({
      status: 403,
      code: 'API_KEY_SCOPE_INSUFFICIENT',
      missingScopes: ['*'],
    })
  })
})

describe('another gateway on the same database', () => {
  it('accepts the tokens of the first, refreshes them, and learns when they are revoked', async () => {
    const environment = { PORT: '0', DEMO: 'off', IP_LIMITS: 'off', DATABASE_URL: platform.services.databaseUrl }
    const other = await startGateway(readConfig({ ...environment, OAUTH_REGISTRATION: 'on' }), platform.services)
    try {
      const { access_token, refresh_token } = await tokensOf(platform, config, owner)
      expect(await codeOf(access_token, 'accountList', other.url)).toBe('OK')
      const there = await discovered(other.url, app)
      const next = await oauth.refreshTokenGrant(there, refresh_token!)
      expect(await codeOf(next.access_token)).toBe('OK')
      await oauth.tokenRevocation(there, next.access_token)
      platform.advanceClock(1000)
      expect(await codeOf(next.access_token)).toBe('401 UNAUTHENTICATED')
      await registers(other.url)
    } finally {
      await other.close()
    }
  })
})

describe('the end of an app', () => {
  const environment = { PORT: '0', DEMO: 'off', IP_LIMITS: 'off' }
  const ends: readonly (readonly [string, (appOwner: Person, app: App) => Promise<unknown>, string])[] = [
    [
      'the suspension of its organization',
      (appOwner) => suspendOrganization(platform.services, appOwner.organizationId),
      '401 UNAUTHENTICATED',
    ],
    ['its deletion', (appOwner, { id }) => appOwner.rest['oauthAppDelete']!({ id }), '401 UNAUTHENTICATED'],
    [
      'fewer scopes',
      (appOwner, { id }) => appOwner.rest['oauthAppUpdate']!({ id, body: { scopes: ['READ_CASES'] } }),
      '403 OAUTH_SCOPE_INSUFFICIENT',
    ],
  ]

  it.each(ends)('takes effect immediately at every gateway, also in other organizations: %s', async (_, end, code) => {
    const DATABASE_URL = platform.services.databaseUrl
    const other = await startGateway(readConfig({ ...environment, DATABASE_URL }), platform.services)
    try {
      const appOwner = await aPerson(platform, { role: 'OWNER' })
      const foreignApp = await anApp(appOwner)
      const { access_token } = await tokensOf(
        platform,
        await discovered(platform.url, foreignApp),
        await aPerson(platform),
      )
      // The clock stands still, so cached entries never expire and only a notification removes them.
      const codes = () =>
        Promise.all(
          [platform.url, other.url].map(async (url) => {
            const { status, body } = await withToken(platform, access_token, url)['accountList']!()
            return status < 300 ? 'OK' : `${status} ${body.code}`
          }),
        )
      expect(await codes()).toEqual(['OK', 'OK'])
      await end(appOwner, foreignApp)
      await expect.poll(codes, { timeout: 900, interval: 5 }).toEqual([code, code])
    } finally {
      await other.close()
    }
  })
})

/** Registers an app; registration is enabled, and the app belongs to the user of the session. */
async function registers(url: string): Promise<void> {
  const { body } = await owner.rest['authLogin']!({ body: { email: owner.email, password: 'Correct horse 7!' } })
  const metadata = {
    client_name: 'Registered',
    redirect_uris: ['https://app.example.com/callback'],
    scope: 'READ_ACCOUNTS',
    token_endpoint_auth_method: 'client_secret_basic',
  }
  const register = (headers: Record<string, string>, changed: object = {}) =>
    fetch(`${url}/v1/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...metadata, ...changed }),
    })
  expect((await register({})).status).toBe(401)
  const session = { Authorization: `Bearer ${body.accessToken}` }
  expect((await register(session, { redirect_uris: ['http://app.example.com/'] })).status).toBe(400)
  const reader = await aPerson(platform, { role: 'READ_ONLY' })
  const { body: read } = await reader.rest['authLogin']!({
    body: { email: reader.email, password: 'Correct horse 7!' },
  })
  const denied = await register({ Authorization: `Bearer ${read.accessToken}` })
  expect([denied.status, ((await denied.json()) as { error: string }).error]).toEqual([403, 'access_denied'])
  const registered = await register(session, { client_uri: 'https://app.example.com/', contacts: ['a@example.com'] })
  expect(registered.status).toBe(201)
  const { client_id, client_secret, ...outcome } = (await registered.json()) as Record<string, string>
  expect(client_secret).toMatch(/^cs_[\w-]{43}$/)
  expect(outcome).toEqual({
    client_name: 'Registered',
    client_uri: 'https://app.example.com/',
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: ['https://app.example.com/callback'],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    scope: 'READ_ACCOUNTS',
    client_id_issued_at: expect.any(Number) as number,
    client_secret_expires_at: 0,
  })
  const config = await discovered(platform.url, { id: client_id!, secret: client_secret! })
  expect(await refusalOf(tokensOf(platform, config, owner))).toBe('allowed')
  expect((await owner.rest['oauthApp']!({ id: client_id! })).body).toMatchObject({
    name: 'Registered',
    ownerId: owner.userId,
  })
}
