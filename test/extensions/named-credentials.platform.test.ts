import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StoredCredentials } from '../../subgraphs/extensions/named-credential/credentials.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { CredentialServices } from '../../subgraphs/kernel/outbound/named-credentials.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { deliver } from '../webhooks/deliver.ts'
import { answerJson, echoed, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let service: Service
let login: Service
let owner: Member
let headers: Readonly<Record<string, string>>

beforeAll(async () => {
  service = await Service.start()
  login = await Service.start()
})
afterAll(() => {
  service.close()
  login.close()
})
beforeEach(async () => {
  service.take()
  login.take()
  service.respond = echoed
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  headers = await sessionHeaders(owner)
})

const sessionHeaders = async (member: Member) => ({
  'X-API-Key': '',
  Authorization: `Bearer ${await sessionOf(platform, member)}`,
})

type Call = Parameters<Member['rest'][string]>[0]
/** A request with the session of the owner. */
async function send(operation: string, call: Call = {}, session = headers) {
  const { 'X-API-Key': _, ...credential } = session
  const { operations } = platform.contract
  const { path, method } = operations.find(({ id }) => id === operation)!
  const { query, body, headers: more, ...parameters } = call
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(parameters[name])))
  const response = await fetch(platform.url + target + (query ? `?${new URLSearchParams(query as never)}` : ''), {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...credential, ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: text === '' ? null : JSON.parse(text) }
}

const secret = 's3cret-of-the-service'
async function aCredential(given: object = {}, value: string | null = secret) {
  const values = { apiName: 'erp', label: 'ERP', baseUrl: `${service.origin}/api`, authType: 'BEARER' }
  const { status, body } = await send('namedCredentialCreate', { body: { ...values, ...given } })
  expect([status, body.errors]).toEqual([201, undefined])
  if (value !== null) {
    const set = await send('namedCredentialSetSecret', { id: body.apiName, body: { secret: value } })
    expect([set.status, set.body.secretStatus]).toEqual([200, 'SET'])
  }
  return body as { readonly id: string; readonly apiName: string; readonly secretStatus: string }
}

/** What a function gets that fetches with a credential. */
async function fetched(path: unknown, init: unknown = null, apiName = 'erp') {
  const source = `export default ({ apiName, path, init }, { credentials }) => credentials.fetch(apiName, path, init)`
  const body = { apiName: `f_${newId().slice(-12)}`, name: 'Fetch', language: 'javascript', source }
  const { id } = (await owner.rest.serverlessFunctionCreate!({ body })).body
  const run = await owner.rest.serverlessFunctionTest!({ id, body: { input: { apiName, path, init } } })
  return run.body as {
    status: string
    output: { status: number; body: string; url: string }
    error: { message: string } | null
  }
}

const tokens = (issued: string[] = []) => {
  login.respond = (res) => {
    const token = `token-${issued.length + 1}-of-the-login`
    issued.push(token)
    answerJson(res, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 })
  }
  return issued
}
const oauth = () => ({
  authType: 'OAUTH2_CLIENT_CREDENTIALS',
  tokenUrl: `${login.origin}/token`,
  clientId: 'crm client',
  scopes: ['read', 'write'],
})

describe('operations on named credentials', () => {
  it('are for owners and admins with a session, in REST and GraphQL', async () => {
    const { id } = await aCredential()
    const member = await platform.member({ organizationId: owner.organizationId, role: 'MANAGER' })
    const ofMember = await sessionHeaders(member)
    const foreign = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const before = await platform.fingerprint(owner.organizationId)
    const body = { apiName: 'other', label: 'x', baseUrl: 'https://a.example.com', authType: 'NONE' }
    for (const answer of [
      await owner.rest.namedCredentialList!(),
      await owner.rest.namedCredential!({ id }),
      await owner.rest.namedCredentialCreate!({ body }),
      await owner.rest.namedCredentialUpdate!({ id, body: { label: 'y' } }),
      await owner.rest.namedCredentialSetSecret!({ id, body: { secret: 'another' } }),
      await owner.rest.namedCredentialDelete!({ id }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
    for (const query of [
      '{ namedCredentialList { data { id } } }',
      `mutation { namedCredentialSetSecret(id: "${id}", secret: "x") { id } }`,
    ]) {
      const { body: answer } = await owner.graphql(query)
      expect(answer.errors[0].extensions.code).toBe('API_KEY_SCOPE_BLOCKED')
    }
    const refused = await send('namedCredentialList', {}, ofMember)
    expect([refused.status, refused.body.code]).toEqual([403, 'PERMISSION_DENIED'])
    const missing = await send('namedCredentialSetSecret', { id, body: { secret: 'x' } }, await sessionHeaders(foreign))
    expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND'])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('never show the secret: not in answers, events, the audit log or the tables', async () => {
    const { id, secretStatus } = await aCredential({ apiName: 'hidden' })
    expect(secretStatus).toBe('MISSING')
    const read = await send('namedCredential', { id })
    expect([read.body.secretStatus, read.body.version]).toEqual(['SET', 2])
    expect(read.text).not.toContain(secret)
    expect(read.text).not.toContain('sealed')
    const deleted = await send('namedCredentialDelete', { id })
    expect(deleted.status).toBe(204)
    expect(await platform.eventTypesOf(id)).toEqual([
      'named_credential.created',
      'named_credential.updated',
      'named_credential.deleted',
    ])
    const stored = await platform.query(
      `select (select json_agg(e) from kernel.event e where e.record_id = $1)::text
         || (select json_agg(a) from identity.audit_entry a)::text
         || (select json_agg(c) from extensions.named_credential c where c.id = $1)::text as text`,
      [id],
    )
    expect(stored[0]!['text']).toContain('hidden')
    expect(stored[0]!['text']).not.toContain(secret)
    const [row] = await platform.query('select sealed_secret from extensions.named_credential where id = $1', [id])
    expect(row!['sealed_secret']).toBeNull()
  })

  it('take a secret of 8192 characters, and of each kind what its header can carry', async () => {
    const { id } = await aCredential({ authType: 'BASIC', username: 'crm', headerName: 'X-Key' }, null)
    const set = async (value: string) => {
      const { status, body } = await send('namedCredentialSetSecret', { id, body: { secret: value } })
      return status === 200 ? body.secretStatus : body.errors[0].code
    }
    expect(await set('😀'.repeat(8192))).toBe('SET')
    expect(await set('a'.repeat(8193))).toBe('TOO_LONG')
    expect(await set('a\nb')).toBe('WRONG_FORMAT')
    await send('namedCredentialUpdate', { id, body: { authType: 'API_KEY_HEADER' } })
    expect([await set('a b'), await set('ä'), await set(' a')]).toEqual(['SET', 'WRONG_FORMAT', 'WRONG_FORMAT'])
    await send('namedCredentialUpdate', { id, body: { authType: 'BEARER' } })
    expect([await set('a'.repeat(8192)), await set('a b')]).toEqual(['SET', 'WRONG_FORMAT'])
  })

  it('take the secret away when it would go to somebody else', async () => {
    const { id } = await aCredential(oauth())
    const statusAfter = async (body: object) =>
      (await send('namedCredentialUpdate', { id, body })).body.secretStatus as string
    const again = () => send('namedCredentialSetSecret', { id, body: { secret } })
    expect(await statusAfter({ label: 'Other', baseUrl: `${service.origin}/other`, clientId: 'x' })).toBe('SET')
    expect(await statusAfter({ baseUrl: 'https://evil.example.com/other' })).toBe('MISSING')
    await again()
    expect(await statusAfter({ tokenUrl: 'https://evil.example.com/token' })).toBe('MISSING')
    await again()
    expect(await statusAfter({ authType: 'BEARER' })).toBe('MISSING')
    expect(await statusAfter({ authType: 'NONE' })).toBe('NOT_NEEDED')
    const refused = await again()
    expect([refused.status, refused.body.code]).toEqual([409, 'INVALID_STATE'])
  })

  it.each([
    [{ apiName: 'Erp' }, 'apiName', 'WRONG_FORMAT'],
    [{ apiName: '__proto__' }, 'apiName', 'WRONG_FORMAT'],
    [{ baseUrl: 'http://erp.example.com' }, 'baseUrl', 'NOT_HTTPS'],
    [{ baseUrl: 'https://erp.example.com/a?b=c' }, 'baseUrl', 'QUERY_IN_URL'],
    [{ baseUrl: 'https://10.0.0.1/' }, 'baseUrl', 'ADDRESS_NOT_PUBLIC'],
    [{ baseUrl: 'https://a:b@erp.example.com/' }, 'baseUrl', 'CREDENTIALS_IN_URL'],
    [{ authType: 'BASIC' }, 'username', 'REQUIRED'],
    [{ authType: 'BASIC', username: 'a:b' }, 'username', 'WRONG_FORMAT'],
    [{ authType: 'API_KEY_HEADER' }, 'headerName', 'REQUIRED'],
    [{ authType: 'API_KEY_HEADER', headerName: 'Host' }, 'headerName', 'RESERVED'],
    [{ authType: 'API_KEY_HEADER', headerName: 'a\r\nb' }, 'headerName', 'NOT_A_HEADER'],
    [{ authType: 'OAUTH2_CLIENT_CREDENTIALS', clientId: 'x' }, 'tokenUrl', 'REQUIRED'],
    [{ authType: 'OAUTH2_CLIENT_CREDENTIALS', clientId: 'x', tokenUrl: 'ftp://a' }, 'tokenUrl', 'NOT_A_URL'],
    [{ scopes: ['a b'] }, 'scopes.0', 'WRONG_FORMAT'],
    [{ staticHeaders: { Authorization: 'x' } }, 'staticHeaders.Authorization', 'RESERVED'],
    [{ staticHeaders: { 'X-A': 'a\nb' } }, 'staticHeaders.X-A', 'NOT_A_HEADER'],
    [{ staticHeaders: ['x'] }, 'staticHeaders', 'WRONG_TYPE'],
  ])('refuse %j', async (given, path, code) => {
    const before = await platform.fingerprint(owner.organizationId)
    const values = { apiName: 'erp', label: 'ERP', baseUrl: 'https://erp.example.com', authType: 'NONE' }
    const { status, body } = await send('namedCredentialCreate', { body: { ...values, ...given } })
    expect([status, body.errors?.map((one: { path: string; code: string }) => `${one.path} ${one.code}`)]).toEqual([
      400,
      [`${path} ${code}`],
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })
})

describe('a request of a function with a credential', () => {
  it.each([
    [{ authType: 'NONE' }, null, { 'x-tenant': 'emea' }],
    [{ authType: 'BEARER' }, secret, { authorization: `Bearer ${secret}`, 'x-tenant': 'emea' }],
    [{ authType: 'API_KEY_HEADER', headerName: 'X-Erp-Key' }, secret, { 'x-erp-key': secret }],
    [
      { authType: 'BASIC', username: 'crm' },
      'pässword',
      { authorization: `Basic ${Buffer.from('crm:pässword').toString('base64')}` },
    ],
  ])('authenticates by %j, and its answer does not show how', async (given, value, sent) => {
    await aCredential({ ...given, staticHeaders: { 'X-Tenant': 'emea' } }, value)
    const init = { method: 'POST', body: '{"a":1}', headers: { Authorization: 'Bearer mine', 'X-Erp-Key': 'mine' } }
    const { status, output, error } = await fetched('/stock?sku=1', init)
    expect([status, error]).toEqual(['SUCCEEDED', null])
    const [request, ...others] = service.take()
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/api/stock?sku=1', text: '{"a":1}' })
    expect(request!.headers).toMatchObject({ ...sent, 'x-service-function-depth': '1' })
    expect(output.status).toBe(200)
    for (const shown of value === null ? [] : [value, Buffer.from(`crm:${value}`).toString('base64')])
      expect(JSON.stringify(output)).not.toContain(shown)
  })

  it('goes nowhere but below the base URL, and not after a redirect', async () => {
    await aCredential()
    for (const path of ['/../admin', '/%2e%2e/admin', '/..%2fadmin', '/a%5C..%5Cadmin', '/a\\..\\..\\b']) {
      const { status, error } = await fetched(path)
      expect([path, status, error!.message]).toEqual([path, 'FAILED', expect.stringContaining('must lie under')])
    }
    for (const path of ['admin', 'https://evil.example.com/', null, 7])
      expect((await fetched(path)).error!.message).toContain('must be text that begins with /')
    expect((await fetched('/x', null, 'missing')).error!.message).toContain('was not found')
    const { credentials } = platform.services
    for (const apiName of ['\0', '__proto__', ''])
      await expect(
        credentials.authenticate({ organizationId: owner.organizationId, managedBy: null, apiName, url: '/x' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(service.take()).toEqual([])
    service.respond = (res) => void res.writeHead(307, { location: `${login.origin}/stolen` }).end()
    const { output } = await fetched('/moved')
    expect(output.status).toBe(307)
    expect([service.take().length, login.take().length]).toEqual([1, 0])
  })

  it('is not sent while the credential is off, or has no secret', async () => {
    const { id } = await aCredential({}, null)
    expect((await fetched('/x')).error!.message).toContain('has no secret')
    await send('namedCredentialSetSecret', { id, body: { secret } })
    await send('namedCredentialUpdate', { id, body: { isActive: false } })
    expect((await fetched('/x')).error!.message).toContain('is turned off')
    expect(service.take()).toEqual([])
  })
})

describe('the port of credentials', () => {
  const wanted = (path: string) => ({
    organizationId: owner.organizationId,
    managedBy: null,
    url: service.origin + path,
  })

  it('finds the credential with the longest base URL over an address, by whole segments', async () => {
    const { credentials } = platform.services
    await aCredential({ apiName: 'outer', baseUrl: service.origin })
    const inner = await aCredential({ apiName: 'inner', baseUrl: `${service.origin}/api/` })
    const nameOf = async (path: string) => {
      const found = await credentials.authenticate(wanted(path))
      return found && (found.credentialId === inner.id ? 'inner' : 'outer')
    }
    expect(await Promise.all(['/api', '/api/x', '/apix', '/', '/api/../x'].map(nameOf))).toEqual([
      'inner',
      'inner',
      'outer',
      'outer',
      'outer',
    ])
    const elsewhere = { organizationId: owner.organizationId, managedBy: null, url: `${login.origin}/api/x` }
    expect(await credentials.authenticate(elsewhere)).toBeNull()
    const foreign = { ...wanted('/api/x'), organizationId: await platform.organization() }
    expect(await credentials.authenticate(foreign)).toBeNull()
  })

  it('fetches a token once for many requests in several processes, and keeps it sealed', async () => {
    const issued = tokens()
    const { id } = await aCredential(oauth())
    const services = platform.services as CredentialServices
    const processes = [platform.services.credentials, new StoredCredentials(services), new StoredCredentials(services)]
    const answers = await Promise.all(
      [...processes, ...processes].map((one) =>
        one.send({ organizationId: owner.organizationId, managedBy: null }, get('/api/x')),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(issued).toEqual(['token-1-of-the-login'])
    const [asked] = login.take()
    expect(asked!.headers.authorization).toBe(`Basic ${Buffer.from(`crm+client:${secret}`).toString('base64')}`)
    expect(asked!.text).toBe('grant_type=client_credentials&scope=read+write')
    expect(new Set(service.take().map((request) => request.headers.authorization))).toEqual(
      new Set(['Bearer token-1-of-the-login']),
    )
    const [row] = await platform.query('select * from extensions.named_credential_token where credential_id = $1', [id])
    expect(row).toMatchObject({ sealed_token: expect.stringMatching(/^k\d+\./), lease_id: null })
    // Another secret, and the token that was issued for the former one is forgotten.
    await send('namedCredentialSetSecret', { id, body: { secret: 'another secret' } })
    await platform.services.credentials.send({ organizationId: owner.organizationId, managedBy: null }, get('/api/x'))
    expect(issued.length).toBe(2)
  })

  it('renews a token once after 401, and when it has expired', async () => {
    const issued = tokens()
    await aCredential(oauth())
    const request = () =>
      platform.services.credentials.send({ organizationId: owner.organizationId, managedBy: null }, get('/api/x'))
    service.respond = (res, { headers: { authorization } }) =>
      answerJson(res, authorization === 'Bearer token-1-of-the-login' ? 401 : 200, {})
    expect((await request()).status).toBe(200)
    expect((await request()).status).toBe(200)
    expect([issued.length, service.take().length]).toEqual([2, 3])
    service.respond = (res) => answerJson(res, 401, {})
    expect((await request()).status).toBe(401)
    expect([issued.length, service.take().length]).toEqual([3, 2])
    service.respond = echoed
    platform.now = new Date(platform.now.getTime() + 3_600_000)
    await request()
    expect(issued.length).toBe(4)
  })

  it('refuses a request without a token with 503, without what the endpoint said, and lets the next one try', async () => {
    await aCredential(oauth())
    const request = () =>
      platform.services.credentials
        .send({ organizationId: owner.organizationId, managedBy: null }, get('/api/x'))
        .catch((e) => e)
    for (const respond of [
      (res: Parameters<Service['respond']>[0]) => answerJson(res, 401, { error: secret }),
      (res: Parameters<Service['respond']>[0]) => answerJson(res, 200, { access_token: 'a\nb' }),
      (res: Parameters<Service['respond']>[0]) => answerJson(res, 200, []),
      (res: Parameters<Service['respond']>[0]) => void res.writeHead(200).end('{'),
      (res: Parameters<Service['respond']>[0]) => void res.writeHead(302, { location: service.origin }).end(),
    ]) {
      login.respond = respond
      const refused = await request()
      expect([refused.code, refused.message]).toEqual(['UNAVAILABLE', expect.stringContaining('credential erp')])
      expect(refused.message).not.toContain(secret)
    }
    expect(service.take()).toEqual([])
    tokens()
    expect((await request()).status).toBe(200)
  })

  const get = (path: string) => ({ method: 'GET' as const, url: service.origin + path })
})

describe('a webhook with a credential', () => {
  const settings = (namedCredentialId: string, given: object = {}) => ({
    name: 'ERP',
    url: `${service.origin}/api/hooks`,
    events: ['account.created'],
    retryAttempts: 1,
    namedCredentialId,
    ...given,
  })
  const attempts = (webhookId: string) =>
    platform.query(
      'select status, error, request_headers as headers, response_body as body from events.delivery_shown where webhook_id = $1',
      [webhookId],
    )
  const anEvent = async () => {
    await owner.rest.accountCreate!({ body: { name: 'Acme' } })
    await deliver(platform.services, owner.organizationId)
  }

  it('authenticates its deliveries, and the log does not show how', async () => {
    const { id } = await aCredential()
    const { status, body } = await owner.rest.webhookCreate!({ body: settings(id) })
    expect([status, body.namedCredentialId]).toEqual([201, id])
    await anEvent()
    const [delivery, ...others] = service.take()
    expect(others).toEqual([])
    expect(delivery!.headers.authorization).toBe(`Bearer ${secret}`)
    expect(delivery!.headers['x-service-signature']).toMatch(/^t=\d+,v1=/)
    const [logged] = await attempts(body.id)
    expect(logged).toMatchObject({ status: 'SUCCEEDED', headers: { authorization: '[redacted]' } })
    expect(JSON.stringify(logged)).not.toContain(secret)
  })

  it('keep no part of a secret that the end of the kept answer cuts', async () => {
    const { id } = await aCredential()
    const { body } = await owner.rest.webhookCreate!({ body: settings(id) })
    const before = 'x'.repeat(2_048 - secret.length + 1)
    service.respond = (res, { headers }) =>
      void res.writeHead(200).end(before + String(headers['authorization']).slice('Bearer '.length) + 'more')
    await anEvent()
    const [logged] = await attempts(body.id as string)
    expect(logged!['body']).toBe(`${before}[secret]`)
  })

  it('fails an attempt with the reason while its credential is off, and sends nothing', async () => {
    const { id } = await aCredential()
    const { body } = await owner.rest.webhookCreate!({ body: settings(id) })
    await send('namedCredentialUpdate', { id, body: { isActive: false } })
    await anEvent()
    expect(service.take()).toEqual([])
    expect(await attempts(body.id)).toMatchObject([
      { status: 'RETRY_SCHEDULED', error: 'The named credential erp is turned off.' },
    ])
  })

  it('must have a URL under the base URL of a credential of its organization', async () => {
    const { id } = await aCredential()
    const before = await platform.fingerprint(owner.organizationId)
    const problems = async (body: object) =>
      (await owner.rest.webhookCreate!({ body })).body.errors?.map((one: { path: string; code: string }) => one.code)
    expect(await problems(settings(id, { url: `${service.origin}/apix` }))).toEqual(['NOT_COVERED'])
    expect(await problems(settings(id, { url: `${login.origin}/api/hooks` }))).toEqual(['NOT_COVERED'])
    expect(await problems(settings(newId()))).toEqual(['UNKNOWN_REFERENCE'])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const { body } = await owner.rest.webhookCreate!({ body: settings(id) })
    const moved = await owner.rest.webhookUpdate!({ id: body.id, body: { url: `${login.origin}/hooks` } })
    expect([moved.status, moved.body.errors[0].code]).toEqual([400, 'NOT_COVERED'])
  })

  it('keeps its credential from being deleted', async () => {
    const { id } = await aCredential()
    const { body } = await owner.rest.webhookCreate!({ body: settings(id) })
    const refused = await send('namedCredentialDelete', { id })
    expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([
      409,
      'HAS_DEPENDENTS',
      [{ object: 'webhook', id: body.id, name: 'ERP' }],
    ])
    expect((await send('namedCredential', { id })).body.secretStatus).toBe('SET')
    await owner.rest.webhookDelete!({ id: body.id })
    expect((await send('namedCredentialDelete', { id })).status).toBe(204)
  })
})

it('a token endpoint that does not answer takes no longer than the request that needs a token may', async () => {
  login.respond = () => undefined
  await aCredential({ ...oauth(), baseUrl: service.origin })
  const hook = {
    objectType: 'ACCOUNT',
    name: 'Checked elsewhere',
    url: `${service.origin}/hook`,
    timeoutMs: 250,
    failureMode: 'FAIL_CLOSED',
  }
  expect((await send('beforeSaveHookCreate', { body: hook })).status).toBe(201)
  const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
  const action = { apiName: 'act', label: 'A', url: `${service.origin}/act`, timeoutMs: 500, ...schemas }
  const { body: made } = await send('customActionCreate', { body: action })
  const began = performance.now()
  const saved = await Promise.all([1, 2].map((n) => send('accountCreate', { body: { name: `Account ${n}` } })))
  const ran = await send('customActionExecute', { id: made.id, body: {} })
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(saved.map(({ status, body }) => [status, body.code])).toEqual([1, 2].map(() => [503, 'HOOK_UNAVAILABLE']))
  expect([ran.status, ran.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(login.take().length).toBeGreaterThan(0)
  expect(service.take()).toEqual([])
})
