import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { oauthForget } from '../../subgraphs/identity/oauth/oauth-forget.job.ts'
import { unusedMax } from '../../subgraphs/identity/oauth/open-client.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { Browser, type Page } from './browser.ts'
import {
  anApp,
  aPerson,
  discovered,
  tokensOf,
  password,
  refusalOf,
  started,
  withToken,
  type Person,
} from './oauth.fixture.ts'
import * as oauth from 'openid-client'

const platform = usePlatform({ OAUTH_REGISTRATION: 'open', TRUST_PROXY: '127.0.0.1' })
const redirectUri = 'http://localhost:6274/oauth/callback'
let person: Person

beforeAll(async () => {
  person = await aPerson(platform, { role: 'OWNER' })
})

let addresses = 0
const newAddress = (): string => `198.51.${(addresses += 1) >> 8}.${addresses & 255}`

interface Registered {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

async function register(metadata: unknown, address = newAddress()): Promise<Registered> {
  const response = await fetch(`${platform.url}/v1/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
  return { status: response.status, body: (await response.json()) as never, headers: response.headers }
}

const clients = () =>
  platform.query<{ name: string }>('select name, redirect_uris, scopes from identity.oauth_open_client order by id')

/** A client of MCP that keeps in memory what the SDK gives it. */
class Remembering implements OAuthClientProvider {
  readonly redirectUrl = redirectUri
  readonly clientMetadata = {
    client_name: 'Notes',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  client: OAuthClientInformationMixed | undefined
  given: OAuthTokens | undefined
  verifier = ''
  authorizationUrl: URL | null = null
  clientInformation = () => this.client
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client)
  tokens = () => this.given
  saveTokens = (tokens: OAuthTokens) => void (this.given = tokens)
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url)
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  codeVerifier = () => this.verifier
}

const transportOf = (authProvider: Remembering) =>
  new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp`), { authProvider })

async function whoami(client: Client): Promise<Record<string, unknown>> {
  const { content } = (await client.callTool({ name: 'whoami', arguments: {} })) as unknown as {
    content: [{ text: string }]
  }
  return JSON.parse(content[0].text) as Record<string, unknown>
}

/** The consent page that the user sees after the sign-in. */
async function consentOf(browser: Browser, url: string | URL, { email } = person): Promise<Page> {
  return browser.submit(await browser.open(url), 'sign-in', { email, password })
}

const newBrowser = () => new Browser(new URL(platform.url).origin)
const ticked = (page: Page): string[] => [...page.text.matchAll(/value="(\w+)" checked/g)].map(([, name]) => name!)
const offered = (page: Page): string[] =>
  [...page.text.matchAll(/type="checkbox" name="scope" value="(\w+)"/g)].map(([, name]) => name!)

async function aClient(metadata: object = {}): Promise<string> {
  const { status, body } = await register({ redirect_uris: [redirectUri], ...metadata })
  expect(status).toBe(201)
  return body['client_id'] as string
}

describe('a client of MCP that nobody registered', () => {
  it('finds the authorization server, registers, gets what its user grants, calls tools, and refreshes', async () => {
    const provider = new Remembering()
    const first = transportOf(provider)
    await expect(new Client({ name: 'x', version: '1' }).connect(first as never)).rejects.toThrow(UnauthorizedError)
    expect(provider.client).toMatchObject({ client_name: 'Notes', token_endpoint_auth_method: 'none' })
    expect(provider.client).not.toHaveProperty('client_secret')
    const url = provider.authorizationUrl!
    expect([url.searchParams.get('code_challenge_method'), url.searchParams.get('resource')]).toEqual([
      'S256',
      `${platform.url}/mcp`,
    ])
    const browser = newBrowser()
    const consent = await consentOf(browser, url)
    expect(ticked(consent)).toEqual(offered(consent).filter((scope) => scope.startsWith('READ_')))
    expect(offered(consent)).toContain('WRITE_ACCOUNTS')
    const decision = {
      decision: 'allow',
      organization: person.organizationId,
      scope: ['READ_ACCOUNTS', 'READ_CASES'],
    }
    const end = new URL((await browser.submit(consent, 'decision', decision)).url)
    expect(`${end.origin}${end.pathname}`).toBe(redirectUri)
    await first.finishAuth(end.searchParams.get('code')!)
    expect(provider.given).toMatchObject({ token_type: 'Bearer', scope: 'READ_ACCOUNTS READ_CASES' })

    const client = new Client({ name: 'x', version: '1' })
    await client.connect(transportOf(provider) as never)
    expect(await whoami(client)).toMatchObject({ userId: person.userId, scopes: ['READ_ACCOUNTS', 'READ_CASES'] })
    const { tools } = await client.listTools()
    expect(tools.every(({ annotations }) => annotations!.readOnlyHint)).toBe(true)
    const former = provider.given!
    platform.advanceClock(3_600_001)
    expect(await whoami(client)).toMatchObject({ userId: person.userId, scopes: ['READ_ACCOUNTS', 'READ_CASES'] })
    expect(provider.given!.access_token).not.toBe(former.access_token)
    await client.close()

    const rest = withToken(platform, await sessionOf(platform, person))
    const { data } = (await rest['connectedAppList']!()).body
    expect(data).toMatchObject([{ name: 'Notes', scopes: ['READ_ACCOUNTS', 'READ_CASES'], consents: 1 }])
    expect((await rest['oauthAppList']!()).body.data).toEqual([])
    const stranger = await aPerson(platform, { role: 'OWNER' })
    const visible = ({ organizationId }: Person) =>
      platform.services.tenants.of(organizationId).query('select name from identity.oauth_open_client')
    expect([await visible(person), await visible(stranger)]).toEqual([[{ name: 'Notes' }], []])
    expect((await stranger.rest['connectedAppList']!()).body.data).toEqual([])
    await rest['connectedAppDelete']!({ id: data[0].id as string })
    platform.advanceClock(1000)
    expect((await withToken(platform, provider.given!.access_token)['accountList']!()).status).toBe(401)
  })

  it('gets no scope that was not requested or not ticked, and nothing without a tick', async () => {
    const id = await aClient({ client_name: 'Notes' })
    const config = await discovered(platform.url, { id, secret: null })
    const request = { redirect_uri: redirectUri, scope: 'READ_ACCOUNTS WRITE_ACCOUNTS' }
    const { browser, page, checks } = await started(platform, config, request)
    const consent = await browser.submit(page, 'sign-in', { email: person.email, password })
    const organization = person.organizationId
    const none = await browser.submit(consent, 'decision', { decision: 'allow', organization, scope: ['READ_CASES'] })
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('Choose at least one right')])
    expect(await platform.query('select 1 from identity.oauth_grant where app_id = $1', [id])).toEqual([])
    const scope = ['WRITE_ACCOUNTS', 'MANAGE_METADATA', '*']
    const end = await browser.submit(none, 'decision', { decision: 'allow', organization, scope })
    const tokens = await oauth.authorizationCodeGrant(config, new URL(end.url), checks)
    expect(tokens.scope).toBe('WRITE_ACCOUNTS')
    const wider = await refusalOf(oauth.refreshTokenGrant(config, tokens.refresh_token!, { scope: 'READ_ACCOUNTS' }))
    expect(wider).toBe('400 invalid_scope')
    const other = await aPerson(platform)
    const again = await started(platform, config, request)
    const foreign = await again.browser.submit(again.page, 'sign-in', { email: other.email, password })
    const answered = await again.browser.submit(foreign, 'decision', { decision: 'allow', organization, scope })
    expect([answered.status, answered.url.startsWith(platform.url)]).toEqual([400, true])
  })
})

describe('an organization that refuses apps that registered themselves', () => {
  it('lets nobody allow one, while it lets users allow apps of an organization', async () => {
    const strict = await aPerson(platform, { role: 'OWNER' })
    const { organizationId: organization } = strict
    const set = (refuseSelfRegisteredApps: boolean, { rest } = strict) =>
      rest['organizationUpdate']!({ body: { refuseSelfRegisteredApps } })
    const member = await aPerson(platform, { organizationId: organization })
    expect((await set(true, member)).status).toBe(403)
    expect((await set(true)).body.settings.refuseSelfRegisteredApps).toBe(true)
    const id = await aClient()
    const config = await discovered(platform.url, { id, secret: null })
    const { browser, page, checks } = await started(platform, config, { redirect_uri: redirectUri })
    const consent = await browser.submit(page, 'sign-in', { email: member.email, password })
    const allow = { decision: 'allow', organization, scope: 'READ_ACCOUNTS' }
    const refused = await browser.submit(consent, 'decision', allow)
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('does not permit apps')])
    const stored = 'select 1 from identity.oauth_grant where organization_id = $1'
    expect(await platform.query(stored, [organization])).toEqual([])
    const used = 'select used_at from identity.oauth_open_client where id = $1'
    expect(await platform.query(used, [id])).toEqual([{ used_at: null }])
    const app = await anApp(strict)
    const own = await tokensOf(platform, await discovered(platform.url, app), member)
    expect(own.scope).toBe('READ_ACCOUNTS')
    expect((await set(false)).status).toBe(200)
    const end = await browser.submit(refused, 'decision', allow)
    expect((await oauth.authorizationCodeGrant(config, new URL(end.url), checks)).scope).toBe('READ_ACCOUNTS')
    const { data } = (await strict.rest['connectedAppList']!()).body
    const kinds = (data as { appId: string; isSelfRegistered: boolean }[]).map((one) => [
      one.appId,
      one.isSelfRegistered,
    ])
    expect(new Map(kinds as [string, boolean][])).toEqual(
      new Map([
        [id, true],
        [app.id, false],
      ]),
    )
  })
})

describe('the pages', () => {
  it('name the address of the client, and its name as a claim only', async () => {
    const name = `  Acme\u202e CRM\u200b\n<b>official</b>\u0007 ${'x'.repeat(300)}`
    const id = await aClient({
      client_name: name,
      redirect_uris: ['https://аpple.example/cb'.replace('а', 'xn--pple-43d.')],
    })
    const config = await discovered(platform.url, { id, secret: null })
    const { browser, page } = await started(platform, config, { redirect_uri: 'https://xn--pple-43d.pple.example/cb' })
    const consent = await browser.submit(page, 'sign-in', { email: person.email, password })
    for (const { text } of [page, consent]) {
      expect(text).toContain('Nobody has verified this app.')
      expect(text).toContain('<strong>xn--pple-43d.pple.example</strong>')
      expect(/<h1>(.*?)<\/h1>/.exec(text)![1]).toContain('unverified app at xn--pple-43d.pple.example')
      expect(/<h1>(.*?)<\/h1>/.exec(text)![1]).not.toContain('Acme')
      expect(/<bdi>(.*?)<\/bdi>/s.exec(text)![1]).toMatch(/^Acme CRM &#60;b&#62;official&#60;\/b&#62; x{1,80}$/)
      expect(text).not.toMatch(/\u202e|\u200b|<b>/)
    }
  })

  it('show errors of a request, and send nobody to the client before the user has decided', async () => {
    const id = await aClient({ redirect_uris: ['https://evil.example/'] })
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }
    const valid = {
      client_id: id,
      redirect_uri: 'https://evil.example/',
      response_type: 'code',
      scope: 'READ_ACCOUNTS',
    }
    const requests: Record<string, string>[] = [
      valid,
      { ...valid, ...challenge, prompt: 'none' },
      { ...valid, ...challenge, response_type: 'token' },
      { ...valid, ...challenge, response_mode: 'form_post' },
      { ...valid, ...challenge, response_mode: 'fragment' },
      { ...valid, ...challenge, code_challenge_method: 'plain' },
      { ...valid, ...challenge, scope: 'MANAGE_NOTHING' },
      { ...valid, ...challenge, scope: '' },
      { ...valid, ...challenge, request: 'x' },
      { ...valid, ...challenge, resource: 'https://evil.example/mcp' },
      { ...valid, ...challenge, resource: `${platform.url}.evil.example/mcp` },
      { ...valid, ...challenge, resource: '/mcp' },
      { ...valid, ...challenge, redirect_uri: 'https://evil.example/other' },
      { ...valid, ...challenge, redirect_uri: 'https://evil.example' },
      { ...valid, ...challenge, redirect_uri: '//evil.example/' },
    ]
    for (const request of requests) {
      const page = await newBrowser().open(
        `${platform.url}/v1/oauth/authorize?${new URLSearchParams(request).toString()}`,
      )
      expect([request, page.status, page.url.startsWith(platform.url)]).toEqual([request, 400, true])
      expect(page.text).toContain('The authorization failed')
      expect(page.text).not.toContain('http-equiv')
    }
    const browser = newBrowser()
    const query = new URLSearchParams({ ...valid, ...challenge, state: 's' }).toString()
    const page = await browser.open(`${platform.url}/v1/oauth/authorize?${query}`)
    const cancelled = new URL((await browser.submit(page, 'decision', { decision: 'deny' })).url)
    expect([cancelled.origin, cancelled.searchParams.get('error')]).toEqual(['https://evil.example', 'access_denied'])
  })
})

describe('the registration', () => {
  it('makes a public client, and keeps its name, redirect URIs and scopes only', async () => {
    const { status, body } = await register({
      client_name: 'Notes',
      redirect_uris: [redirectUri, 'https://notes.example/cb', redirectUri],
      scope: 'READ_ACCOUNTS openid * MANAGE_NOTHING',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'client_credentials'],
      application_type: 'web',
      client_id: 'chosen',
      client_secret: 'chosen',
      client_uri: 'https://crm.example/',
      logo_uri: 'https://crm.example/logo.png',
      contacts: ['x'.repeat(5000)],
      organizationId: person.organizationId,
    })
    expect([status, body]).toEqual([
      201,
      {
        client_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
        client_id_issued_at: expect.any(Number) as number,
        client_name: 'Notes',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri, 'https://notes.example/cb'],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        scope: 'READ_ACCOUNTS',
      },
    ])
    const config = await discovered(platform.url, { id: body['client_id'] as string, secret: null })
    expect(await refusalOf(oauth.clientCredentialsGrant(config, { scope: 'READ_ACCOUNTS' }))).toMatch(/^40\d /)
    const metadata = config.serverMetadata()
    expect(metadata.registration_endpoint).toBe(`${platform.url}/v1/oauth/register`)
  })

  const bad = 'invalid_redirect_uri'
  const refused: readonly (readonly [unknown, number, string])[] = [
    ['{', 400, 'invalid_client_metadata'],
    ['[]', 400, 'invalid_client_metadata'],
    [{}, 400, bad],
    [{ redirect_uris: [] }, 400, bad],
    [{ redirect_uris: redirectUri }, 400, bad],
    [{ redirect_uris: [1] }, 400, bad],
    [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) }, 400, bad],
    ...[
      'http://app.example.com/cb',
      'http://localhost.evil.example/',
      'http://127.0.0.1.evil.example/',
      'https://localhost/cb',
      'https://app.example.com/cb#x',
      'https://app.example.com/cb#',
      'https://user@app.example.com/',
      'https://app.example.com:x/',
      'https://*.example.com/',
      'https:app.example.com',
      'https://app.example.com\\@evil.example/',
      'https://EVIL.example/%2e%2e/',
      'https://app.example.com/ x',
      'javascript:alert(1)',
      'data:text/html,x',
      'cursor://oauth/callback',
      'urn:ietf:wg:oauth:2.0:oob',
      `https://app.example.com/${'x'.repeat(600)}`,
      '',
    ].map((uri) => [{ redirect_uris: [uri] }, 400, bad] as const),
    [{ redirect_uris: [redirectUri], client_name: {} }, 400, 'invalid_client_metadata'],
    [{ redirect_uris: [redirectUri], scope: ['READ_ACCOUNTS'] }, 400, 'invalid_client_metadata'],
    [{ redirect_uris: [redirectUri], scope: '* SESSION' }, 400, 'invalid_client_metadata'],
    [{ redirect_uris: [redirectUri], grant_types: ['client_credentials'] }, 400, 'invalid_client_metadata'],
    [{ redirect_uris: [redirectUri], client_name: 'x'.repeat(20_000) }, 413, 'invalid_client_metadata'],
  ]

  it('refuses what is not safe or not known, and keeps nothing of it', async () => {
    const before = await clients()
    for (const [metadata, status, error] of refused) {
      const answer = await register(metadata)
      expect([metadata, answer.status, answer.body['error']]).toEqual([metadata, status, error])
      expect(answer.body['error_description']).toMatch(/\w/)
    }
    expect(await clients()).toEqual(before)
    const form = await fetch(`${platform.url}/v1/oauth/register`, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b' }),
    })
    expect(form.status).toBe(415)
    const key = await platform.member()
    const keyed = await fetch(`${platform.url}/v1/oauth/register`, {
      method: 'POST',
      headers: { ...key.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirectUri] }),
    })
    expect([keyed.status, await clients()]).toEqual([403, before])
  })

  it('permits an address 20 in an hour, and all together a number of unused ones, of which the oldest give way', async () => {
    const address = newAddress()
    const metadata = { redirect_uris: [redirectUri], client_name: 'Flood' }
    const flood = await Promise.all(Array.from({ length: 40 }, () => register(metadata, address)))
    expect(flood.filter(({ status }) => status === 201)).toHaveLength(20)
    const { status, body, headers } = flood.find((answer) => answer.status !== 201)!
    expect([status, body['error'], Number(headers.get('retry-after')) > 3000]).toEqual([
      429,
      'temporarily_unavailable',
      true,
    ])
    expect((await register(metadata)).status).toBe(201)

    const used = await aClient({ client_name: 'Used' })
    await platform.query('update identity.oauth_open_client set used_at = now() where id = $1', [used])
    await platform.query(
      `insert into identity.oauth_open_client (id, name, redirect_uris, scopes, created_at)
       select gen_random_uuid(), 'Flood', '{https://a.example/}', '{READ_ACCOUNTS}', $2
       from generate_series(1, $1 - (select count(*) from identity.oauth_open_client where used_at is null))`,
      [unusedMax, platform.services.clock.now().toISOString()],
    )
    const full = await register(metadata)
    expect([full.status, full.body['error'], full.headers.get('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '600',
    ])
    platform.advanceClock(3_600_001)
    expect((await Promise.all([1, 2, 3].map(() => register(metadata)))).map((answer) => answer.status)).toEqual([
      201, 201, 201,
    ])
    const unused = 'select 1 from identity.oauth_open_client where used_at is null'
    expect(await platform.query(unused)).toHaveLength(unusedMax)

    platform.advanceClock(86_400_001)
    await oauthForget.run(platform.services)
    expect((await clients()).map(({ name }) => name)).toEqual(expect.not.arrayContaining(['Flood']))
    expect(await platform.query('select 1 from identity.oauth_open_client where id = $1', [used])).toHaveLength(1)
    expect((await register(metadata, address)).status).toBe(201)
  })

  it('is forgotten when its last consent has ended for 90 days, not before, and such a client gets nothing', async () => {
    const id = await aClient({ client_name: 'Old' })
    const config = await discovered(platform.url, { id, secret: null })
    const { browser, page } = await started(platform, config, { redirect_uri: redirectUri })
    const consent = await browser.submit(page, 'sign-in', { email: person.email, password })
    const allow = { decision: 'allow', organization: person.organizationId, scope: 'READ_ACCOUNTS' }
    await browser.submit(consent, 'decision', allow)
    const left = () => platform.query('select 1 from identity.oauth_open_client where id = $1', [id])
    platform.advanceClock(89 * 86_400_000)
    await oauthForget.run(platform.services)
    expect(await left()).toHaveLength(1)
    platform.advanceClock(2 * 86_400_000)
    const late = await started(platform, config, { redirect_uri: redirectUri })
    const lateConsent = await late.browser.submit(late.page, 'sign-in', { email: person.email, password })
    await oauthForget.run(platform.services)
    expect(await left()).toEqual([])
    const answer = await late.browser.submit(lateConsent, 'decision', allow)
    expect([answer.status, answer.url.startsWith(platform.url)]).toEqual([400, true])
    expect(await platform.query('select 1 from identity.oauth_grant where app_id = $1', [id])).toEqual([])
  })
})

describe('a page of another origin', () => {
  it('may discover, register and exchange codes', async () => {
    const origin = 'https://page.example'
    for (const [path, method] of [
      ['/.well-known/oauth-protected-resource/mcp', 'GET'],
      ['/.well-known/oauth-authorization-server/v1/oauth', 'GET'],
      ['/v1/oauth/register', 'POST'],
      ['/v1/oauth/token', 'POST'],
    ] as const) {
      const asked = {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      }
      const { status, headers } = await fetch(platform.url + path, { method: 'OPTIONS', headers: asked })
      expect([path, status < 300, headers.get('access-control-allow-origin')]).not.toContain(null)
      expect(headers.get('access-control-allow-headers')).toContain('content-type')
    }
    const answer = await fetch(`${platform.url}/v1/oauth/register`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', 'x-forwarded-for': newAddress() },
      body: JSON.stringify({ redirect_uris: [`${origin}/cb`] }),
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, '*'])
  })
})
