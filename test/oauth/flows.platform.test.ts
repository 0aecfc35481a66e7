import { hash } from 'node:crypto'
import * as oauth from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import { usePlatform } from '../platform.ts'
import {
  allowed,
  anApp,
  aPerson,
  discovered,
  password,
  redirectUri,
  refusalOf,
  started,
  tokensOf,
  withToken,
  type App,
  type Person,
} from './oauth.fixture.ts'

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
const codeOf = async (token: string) => {
  platform.advanceClock(1000)
  const { status, body } = await withToken(platform, token)['accountList']!()
  return status === 200 ? 'OK' : `${status} ${body.code}`
}

describe('discovery', () => {
  it('returns the metadata at every well-known path', async () => {
    const issuer = `${platform.url}/v1/oauth`
    const places = [
      '/.well-known/oauth-authorization-server/v1/oauth',
      '/.well-known/oauth-authorization-server',
      '/v1/oauth/.well-known/oauth-authorization-server',
    ]
    for (const place of places) {
      const metadata = (await (await fetch(platform.url + place)).json()) as Record<string, unknown>
      expect(metadata).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
        introspection_endpoint: `${issuer}/introspect`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      })
      expect(metadata).not.toHaveProperty('registration_endpoint')
      expect(metadata['scopes_supported']).toEqual([...appScopes])
    }
  })

  it('does not use the Host header of the request in its addresses', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example', Host: 'evil.example' }
    const response = await fetch(`${platform.url}/.well-known/oauth-authorization-server`, { headers })
    expect(await response.text()).not.toContain('evil')
  })
})

describe('authorization code', () => {
  it('returns tokens that act as the user who consented, with the granted scopes', async () => {
    const tokens = await tokensOf(platform, config, owner)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'READ_ACCOUNTS' })
    expect(tokens.access_token).toMatch(/^[\w-]{43}$/)
    const rest = withToken(platform, tokens.access_token)
    const listed = await rest['accountList']!()
    expect(listed.status).toBe(200)
    expect(listed.headers.get('ratelimit-policy')).toBe('5000;w=3600')
    expect((await rest['accountCreate']!({ body: { name: 'Acme' } })).body).toMatchObject({
      status: 403,
      code: 'OAUTH_SCOPE_INSUFFICIENT',
      missingScopes: ['WRITE_ACCOUNTS'],
    })
    expect((await rest['oauthAppList']!()).body).toMatchObject({ status: 403, code: 'API_KEY_SCOPE_BLOCKED' })
  })

  it('shows the app and the scopes, has no script, and cannot be framed', async () => {
    const { page } = await started(platform, config, { scope: 'READ_ACCOUNTS WRITE_ACCOUNTS' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Calendar link asks to act for you')
    expect(page.text).toContain('<code>READ_ACCOUNTS</code>')
    expect(page.text).toContain('<code>WRITE_ACCOUNTS</code>')
    expect(page.text).not.toMatch(/<script|\son\w+=/i)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example\.com; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  it('let an app act in an area that keys otherwise open with `*`', async () => {
    const reader = await anApp(owner, { scopes: ['READ_INVOICES'] })
    const own = await discovered(platform.url, reader)
    const { page } = await started(platform, own, { scope: 'READ_INVOICES' })
    expect(page.text).toContain(
      'Read invoices, payments, credit notes and the settings of reminders. <code>READ_INVOICES</code>',
    )
    const { access_token: token } = await tokensOf(platform, own, owner, 'READ_INVOICES')
    const rest = withToken(platform, token)
    expect((await rest['invoiceList']!()).status).toBe(200)
    const before = await platform.fingerprint()
    const refused = await rest['invoiceCreate']!({ body: {} })
    expect(refused.body).toMatchObject({
      status: 403,
      code: 'OAUTH_SCOPE_INSUFFICIENT',
      missingScopes: ['WRITE_INVOICES'],
    })
    expect(await platform.fingerprint()).toBe(before)
    expect((await rest['whoami']!()).body).toMatchObject({
      credential: 'OAUTH',
      scopes: ['READ_INVOICES'],
      quota: { limit: 5000, window: 'HOUR' },
    })
    const { operations } = (await rest['recordType']!({ object: 'invoice' })).body as {
      readonly operations: readonly {
        readonly name: string
        readonly scopes: string[]
        readonly refusedBy: string | null
      }[]
    }
    const named = (name: string) => operations.find((one) => one.name === name)
    expect(named('invoiceList')).toMatchObject({ scopes: ['READ_INVOICES'], refusedBy: null })
    expect(named('invoiceCreate')).toMatchObject({ scopes: ['WRITE_INVOICES'], refusedBy: 'SCOPE' })
  })

  it('escapes the name of an app', async () => {
    const appWithScript = await anApp(owner, { name: '<script>alert(1)</script>' })
    const { page } = await started(platform, await discovered(platform.url, appWithScript))
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('&#60;script&#62;')
  })

  it('lets the user choose the organization, and acts there', async () => {
    const other = await aPerson(platform, { email: owner.email })
    const start = await started(platform, config)
    const consent = await start.browser.submit(start.page, 'sign-in', { email: owner.email, password })
    expect(consent.text.match(/<option/g)).toHaveLength(2)
    const end = await start.browser.submit(consent, 'decision', {
      decision: 'allow',
      organization: other.organizationId,
    })
    const tokens = await oauth.authorizationCodeGrant(config, new URL(end.url), start.checks)
    const { body } = await withToken(platform, tokens.access_token)['appInstallation']!()
    expect(body).toMatchObject({ appId: app.id, organizationId: other.organizationId, scopes: ['READ_ACCOUNTS'] })
  })

  it('grants nothing in an organization that the user does not belong to', async () => {
    const stranger = await aPerson(platform)
    const start = await started(platform, config)
    const consent = await start.browser.submit(start.page, 'sign-in', { email: owner.email, password })
    const page = await start.browser.submit(consent, 'decision', {
      decision: 'allow',
      organization: stranger.organizationId,
    })
    expect(page.status).toBe(400)
    expect(
      await platform.query('select 1 from identity.oauth_grant where organization_id = $1', [stranger.organizationId]),
    ).toEqual([])
  })

  it('answers a wrong password like the sign-in, with the same limits', async () => {
    const person = await aPerson(platform)
    const { browser, page } = await started(platform, config)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      const answer = await browser.submit(page, 'sign-in', { email: person.email, password: 'Wrong horse 7!' })
      statuses.push(answer.status)
      expect(answer.text).toContain('role="alert"')
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    const signIn = await person.rest['authLogin']!({ body: { email: person.email, password } })
    expect([signIn.status, signIn.body.code]).toEqual([429, 'SIGN_IN_THROTTLED'])
  })

  it('accepts a person on a known device after failed sign-ins of others at the same address', async () => {
    const person = await aPerson(platform)
    const signIn = (word: string) => person.rest['authLogin']!({ body: { email: person.email, password: word } })
    const { headers } = await signIn(password)
    for (let attempt = 0; attempt < 10; attempt++) await signIn('Wrong horse 7!')
    const { browser, page } = await started(platform, config)
    const submit = () => browser.submit(page, 'sign-in', { email: person.email, password })
    expect((await submit()).status).toBe(429)
    browser.keep(headers.getSetCookie().filter((line) => line.startsWith('device_token=')))
    expect((await submit()).text).toContain('name="organization"')
  })

  it('redirects with an error when the user does not consent', async () => {
    const { browser, page, checks } = await started(platform, config)
    const end = await browser.submit(page, 'decision', { decision: 'deny' })
    expect(end.url.startsWith(redirectUri)).toBe(true)
    expect(await refusalOf(oauth.authorizationCodeGrant(config, new URL(end.url), checks))).toBe('access_denied')
  })

  it('requires a new sign-in each time', async () => {
    const start = await started(platform, config)
    await allowed(start, owner)
    const { page } = await started(platform, config)
    expect(page.text).toContain('action=')
    const again = await start.browser.open(
      oauth.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'READ_ACCOUNTS',
        code_challenge: await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
      }),
    )
    expect(again.text).toContain('type="password"')
  })

  it('ignores scopes that apps cannot have', async () => {
    const { page } = await started(platform, config, { scope: 'READ_ACCOUNTS write *' })
    expect(page.text.match(/<code>[^<]*/g)).toEqual(['<code>READ_ACCOUNTS'])
  })

  it('can be completed only in the browser that started it', async () => {
    const { page } = await started(platform, config)
    const elsewhere = await (await started(platform, config)).browser.open(page.url)
    expect([elsewhere.status, elsewhere.text.includes('in another browser')]).toEqual([400, true])
  })

  it('refuses a redirect URI that does not exactly equal one of the app, without a redirect', async () => {
    for (const redirect_uri of [
      `${redirectUri}/`,
      `${redirectUri}?a=b`,
      'https://app.example.com',
      'http://app.example.com/callback',
    ]) {
      const { page } = await started(platform, config, { redirect_uri })
      expect([page.status, new URL(page.url).origin]).toEqual([400, platform.url])
      expect(page.text).toContain('redirect_uri')
    }
  })

  it.each<[string, Record<string, string>, string]>([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['a scope that the app does not have', { scope: 'READ_ACCOUNTS READ_CASES' }, 'invalid_scope'],
    ['every scope', { scope: '*' }, 'invalid_scope'],
    ['legacy scopes', { scope: 'read write' }, 'invalid_scope'],
    ['an id token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['an answer in a form', { response_mode: 'form_post' }, 'invalid_request'],
    ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['an answer in a message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['an answer in a token', { response_mode: 'query.jwt' }, 'unsupported_response_mode'],
  ])('refuses %s', async (_, parameters, code) => {
    const { page } = await started(platform, config, parameters)
    const end = new URL(page.url)
    const outcome = end.searchParams.get('error') ?? new URLSearchParams(end.hash.slice(1)).get('error')
    expect([end.origin, outcome]).toEqual(['https://app.example.com', code])
  })

  it('returns the response in the query, with and without response_mode, as the metadata says', async () => {
    const start = await started(platform, config, { response_mode: 'query' })
    expect((await allowed(start, owner)).searchParams.get('code')).not.toBeNull()
    const { page } = await started(platform, config, { response_mode: 'form_post' })
    const end = new URL(page.url)
    expect([end.searchParams.get('error'), end.hash]).toEqual(['invalid_request', ''])
    expect(end.searchParams.get('error_description')).toContain('response_mode')
  })

  it('exchanges a code only with its verifier, and once: a second use revokes the consent', async () => {
    const start = await started(platform, config)
    const end = await allowed(start, owner)
    const wrong = { ...start.checks, pkceCodeVerifier: oauth.randomPKCECodeVerifier() }
    expect(await refusalOf(oauth.authorizationCodeGrant(config, end, wrong))).toBe('400 invalid_grant')
    const tokens = await oauth.authorizationCodeGrant(config, end, start.checks)
    expect(await codeOf(tokens.access_token)).toBe('OK')
    expect(await refusalOf(oauth.authorizationCodeGrant(config, end, start.checks))).toBe('400 invalid_grant')
    expect(await codeOf(tokens.access_token)).toBe('401 UNAUTHENTICATED')
  })

  it('serves an app without a secret on the loopback, on any port', async () => {
    const native = await anApp(owner, { type: 'PUBLIC', redirectUris: ['http://127.0.0.1/callback'] })
    expect(native.secret).toBeNull()
    const config = await discovered(platform.url, native)
    const start = await started(platform, config, { redirect_uri: 'http://127.0.0.1:7777/callback' })
    const tokens = await oauth.authorizationCodeGrant(config, await allowed(start, owner), start.checks)
    expect(await codeOf(tokens.access_token)).toBe('OK')
  })
})

describe('refresh', () => {
  it('returns the next token, and revokes the consent when a token is used again', async () => {
    const first = await tokensOf(platform, config, owner)
    const second = await oauth.refreshTokenGrant(config, first.refresh_token!)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect([await codeOf(first.access_token), await codeOf(second.access_token)]).toEqual(['OK', 'OK'])
    expect(await refusalOf(oauth.refreshTokenGrant(config, first.refresh_token!))).toBe('400 invalid_grant')
    expect(await refusalOf(oauth.refreshTokenGrant(config, second.refresh_token!))).toBe('400 invalid_grant')
    expect([await codeOf(first.access_token), await codeOf(second.access_token)]).toEqual([
      '401 UNAUTHENTICATED',
      '401 UNAUTHENTICATED',
    ])
  })

  it('succeeds for one of several concurrent requests, and all their tokens are revoked', async () => {
    const { refresh_token } = await tokensOf(platform, config, owner)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => oauth.refreshTokenGrant(config, refresh_token!).catch(() => null)),
    )
    const succeeded = answers.filter((answer) => answer !== null)
    expect(succeeded.length).toBeLessThanOrEqual(1)
    for (const { access_token, refresh_token: next } of succeeded) {
      expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
      expect(await refusalOf(oauth.refreshTokenGrant(config, next!))).toBe('400 invalid_grant')
    }
  })

  it('narrows scopes and never widens them', async () => {
    const { refresh_token } = await tokensOf(platform, config, owner, 'READ_ACCOUNTS WRITE_ACCOUNTS')
    const narrow = await oauth.refreshTokenGrant(config, refresh_token!, { scope: 'READ_ACCOUNTS' })
    expect(narrow.scope).toBe('READ_ACCOUNTS')
    const wide = oauth.refreshTokenGrant(config, narrow.refresh_token!, { scope: 'READ_ACCOUNTS READ_CASES' })
    expect(await refusalOf(wide)).toBe('400 invalid_scope')
  })

  it('works only for the app to which the token was issued', async () => {
    const { refresh_token } = await tokensOf(platform, config, owner)
    const other = await discovered(platform.url, await anApp(owner))
    expect(await refusalOf(oauth.refreshTokenGrant(other, refresh_token!))).toBe('400 invalid_grant')
  })
})

describe('client credentials', () => {
  it('act as the user who registered the app, in its organization', async () => {
    const { access_token, refresh_token } = await oauth.clientCredentialsGrant(config, { scope: 'WRITE_ACCOUNTS' })
    expect(refresh_token).toBeUndefined()
    const created = await withToken(platform, access_token)['accountCreate']!({ body: { name: 'Acme' } })
    expect(created.status).toBe(201)
    expect(created.body.ownerId).toBe(owner.userId)
    expect((await withToken(platform, access_token)['appInstallation']!()).body).toMatchObject({
      appId: app.id,
      organizationId: owner.organizationId,
      scopes: ['WRITE_ACCOUNTS'],
    })
  })

  it.each(['READ_CASES', '*', 'write', 'READ_EVERYTHING'])('are refused for the scope %s', async (scope) => {
    expect(await refusalOf(oauth.clientCredentialsGrant(config, { scope }))).toBe('400 invalid_scope')
  })

  it('require the secret', async () => {
    const wrong = await discovered(platform.url, { ...app, secret: 'cs_wrong' })
    expect(await refusalOf(oauth.clientCredentialsGrant(wrong, { scope: 'READ_ACCOUNTS' }))).toBe('401 invalid_client')
    const hashed = await discovered(platform.url, { ...app, secret: hash('sha256', app.secret!, 'hex') })
    expect(await refusalOf(oauth.clientCredentialsGrant(hashed, { scope: 'READ_ACCOUNTS' }))).toBe('401 invalid_client')
  })
})

describe('revocation and introspection', () => {
  it('describe a token until it is revoked', async () => {
    const { access_token } = await tokensOf(platform, config, owner)
    expect(await oauth.tokenIntrospection(config, access_token)).toMatchObject({
      active: true,
      client_id: app.id,
      scope: 'READ_ACCOUNTS',
      sub: `${owner.organizationId}.${owner.userId}`,
    })
    await oauth.tokenRevocation(config, access_token)
    expect(await oauth.tokenIntrospection(config, access_token)).toEqual({ active: false })
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
  })

  it('revoke access tokens with the refresh token', async () => {
    const { access_token, refresh_token } = await tokensOf(platform, config, owner)
    expect(await codeOf(access_token)).toBe('OK')
    await oauth.tokenRevocation(config, refresh_token!)
    expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
    expect(await refusalOf(oauth.refreshTokenGrant(config, refresh_token!))).toBe('400 invalid_grant')
  })

  it('return nothing to other apps, and revoke nothing for them', async () => {
    const other = await discovered(platform.url, await anApp(owner))
    const { access_token } = await tokensOf(platform, config, owner)
    expect(await oauth.tokenIntrospection(other, access_token)).toEqual({ active: false })
    await oauth.tokenRevocation(other, access_token).catch(() => {})
    expect(await codeOf(access_token)).toBe('OK')
  })
})

describe('the database', () => {
  it('contains no token, code, secret or cookie value in plain text', async () => {
    const start = await started(platform, config)
    const end = await allowed(start, owner)
    const waiting = await started(platform, config)
    const code = end.searchParams.get('code')!
    const tokens = await oauth.authorizationCodeGrant(config, end, start.checks)
    const cookies = [...start.browser.cookies(), ...waiting.browser.cookies()]
    const secrets = [
      tokens.access_token,
      tokens.refresh_token!,
      code,
      app.secret!,
      ...cookies.map(({ value }) => value),
    ]
    const tables = await platform.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('kernel', 'identity') and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      for (const secret of secrets) {
        const rows = await platform.query(`select 1 from ${name} t where strpos(t::text, $1) > 0`, [secret])
        expect([name, rows]).toEqual([name, []])
      }
    }
    const stored = await platform.query('select 1 from identity.oauth_token where token_hash = $1', [
      hash('sha256', tokens.access_token, 'hex'),
    ])
    expect(stored).toHaveLength(1)
  })
})

describe('an API key', () => {
  it.each(['/v1/oauth/token', '/v1/oauth/authorize', '/v1/oauth/register', '/v1/oauth/nowhere'])(
    'is blocked at %s',
    async (path) => {
      const { headers } = await platform.member()
      const response = await fetch(platform.url + path, { method: 'POST', headers })
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
        403,
        'API_KEY_SCOPE_BLOCKED',
      ])
    },
  )
})

describe('registration', () => {
  it('is disabled unless it is configured', async () => {
    const response = await fetch(`${platform.url}/v1/oauth/register`, { method: 'POST' })
    expect(response.status).toBe(404)
  })
})
