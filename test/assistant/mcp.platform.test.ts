import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { authorizationCodeGrant } from 'openid-client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '../../start-gateway.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { readDocuments } from './documents.fixture.ts'
import { anApp, aPerson, discovered, password, started } from '../oauth/oauth.fixture.ts'

const platform = usePlatform()
const opened: Client[] = []
let ann: Member
let accountId: string

beforeAll(async () => {
  ann = await platform.member()
  accountId = (await account(ann, { name: 'Halvorsen Marine', annualRevenue: 7_300_400 })).id
})
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close()
})

interface Options {
  /** What the user answers to a question; without it the client cannot ask. */
  readonly answer?: (message: string) => 'accept' | 'decline' | 'cancel'
  readonly headers?: Record<string, string>
}

async function connected(member: Member, { answer, headers = member.headers }: Options = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} })
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: answer(params.message), content: {} }))
  opened.push(client)
  const transport = new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp`), { requestInit: { headers } })
  await client.connect(transport as never)
  return client
}

interface Told {
  readonly isError: boolean
  readonly told: Record<string, unknown>
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Told> {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as {
    readonly content: readonly { readonly text: string }[]
    readonly isError: boolean
  }
  return { isError, told: JSON.parse(content[0]!.text) as Record<string, unknown> }
}

const propose = (client: Client, input: object) =>
  call(client, 'propose_change', { action: 'update', object: 'account', id: accountId, input })
const read = async () => (await ann.rest.account!({ id: accountId })).body

const post = (body: unknown, headers: object = {}, url = platform.url): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

describe('a client of MCP', () => {
  it('is told who it is, what there is, and gets exact figures and records', async () => {
    const client = await connected(ann)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'whoami',
      'describe',
      'search',
      'search_documents',
      'get',
      'ask',
      'query',
      'propose_change',
      'confirm_change',
    ])
    expect(tools.find(({ name }) => name === 'confirm_change')!.annotations).toMatchObject({
      destructiveHint: true,
      readOnlyHint: false,
    })
    expect(tools.filter(({ annotations }) => annotations!.readOnlyHint)).toHaveLength(7)
    expect(await call(client, 'whoami')).toMatchObject({
      isError: false,
      told: { credential: 'API_KEY', userId: ann.userId, organization: { id: ann.organizationId }, role: 'MEMBER' },
    })
    expect((await call(client, 'ask', { intent: 'COUNT', object: 'account' })).told).toMatchObject({ total: 1 })
    expect((await call(client, 'search', { text: 'Halvorsen' })).told).toMatchObject({
      untrusted: true,
      hits: [{ object: 'account', total: 1, rows: [{ id: accountId }] }],
    })
    expect((await call(client, 'get', { object: 'account', id: accountId })).told).toMatchObject({
      record: { name: 'Halvorsen Marine' },
    })
    const document = '{ accountList(limit: 5) { total data { name } } }'
    expect((await call(client, 'query', { document })).told).toMatchObject({
      data: { accountList: { total: 1, data: [{ name: 'Halvorsen Marine' }] } },
    })
    const described = (await call(client, 'describe', { object: 'account' })).told
    expect(JSON.stringify(described)).toContain('annualRevenue')
  })

  it('changes a record only after its user was asked, and has accepted', async () => {
    const asked: string[] = []
    let decision: 'accept' | 'decline' | 'cancel' = 'decline'
    const answer = (text: string) => {
      asked.push(text)
      return decision
    }
    const client = await connected(ann, { answer })
    const before = await read()
    const { proposalId } = (await propose(client, { description: 'New' })).told
    expect((await call(client, 'confirm_change', { proposalId })).told).toEqual({ status: 'NOT_CONFIRMED', proposalId })
    expect(await read()).toEqual(before)
    decision = 'accept'
    expect((await call(client, 'confirm_change', { proposalId })).told).toMatchObject({
      status: 'CONFIRMED',
      recordId: accountId,
    })
    const question = 'Update account Halvorsen Marine: description?\ndescription: null → "New"'
    expect(asked).toEqual([question, question])
    expect([(await read()).description, (await read()).version]).toEqual(['New', before.version + 1])
    const again = await call(client, 'confirm_change', { proposalId })
    expect([again.isError, asked.length]).toEqual([true, 2])
  })

  it('gets the change made when the answer of its user reaches another process', async () => {
    const DATABASE_URL = platform.services.databaseUrl
    const environment = { PORT: '0', DEMO: 'off', IP_LIMITS: 'off', DATABASE_URL }
    const other = await startGateway(readConfig(environment), platform.services)
    try {
      const { proposalId } = (await propose(await connected(ann), { description: 'Elsewhere' })).told
      const initialize = message('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'x', version: '1' },
      })
      const mark = (await post(initialize, ann.headers, other.url)).headers.get('mcp-session-id')!
      const headers = { ...ann.headers, 'mcp-session-id': mark }
      const confirm = message('tools/call', { name: 'confirm_change', arguments: { proposalId } })
      const stream = (await post(confirm, headers)).body!.pipeThrough(new TextDecoderStream())
      let told = ''
      let isAnswered = false
      for await (const part of stream) {
        told += part
        const [, question] = /"id":"(confirm-[\w-]+)"/.exec(told) ?? []
        if (question === undefined || isAnswered) continue
        isAnswered = true
        const answer = { jsonrpc: '2.0', id: question, result: { action: 'accept' } }
        expect((await post(answer, headers, other.url)).status).toBe(202)
      }
      expect(told).toMatch(/"status\\*":\\*"CONFIRMED/)
      expect((await read()).description).toBe('Elsewhere')
    } finally {
      await other.close()
    }
  })

  it('that cannot ask its user gets a link, and nothing is changed', async () => {
    const client = await connected(ann)
    const before = await read()
    const { proposalId } = (await propose(client, { description: 'Other' })).told
    const { told } = await call(client, 'confirm_change', { proposalId })
    expect(told).toMatchObject({
      status: 'CONFIRMATION_NEEDED',
      confirmUrl: `${platform.url}/proposals/${String(proposalId)}`,
    })
    expect(await read()).toEqual(before)
    // The mark of another credential says nothing about this one.
    const other = await platform.member()
    const initialize = message('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'x', version: '1' },
    })
    const mark = (await post(initialize, other.headers)).headers.get('mcp-session-id')!
    const forged = await post(message('tools/call', { name: 'confirm_change', arguments: { proposalId } }), {
      ...ann.headers,
      'mcp-session-id': mark,
    })
    expect(await forged.text()).toContain('CONFIRMATION_NEEDED')
    // An answer to a question that was never asked of this user changes nothing.
    const answered = await post({ jsonrpc: '2.0', id: `confirm-${newId()}`, result: { action: 'accept' } }, ann.headers)
    expect([answered.status, await read()]).toEqual([202, before])
  })

  it('sees nothing of other organizations, and with a scope only what it covers', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    const foreign = await connected(stranger)
    expect((await call(foreign, 'get', { object: 'account', id: accountId })).isError).toBe(true)
    expect((await call(foreign, 'search', { text: 'Halvorsen' })).told).toMatchObject({ hits: [] })
    expect((await propose(foreign, { description: 'Theirs' })).isError).toBe(true)
    const { told } = await propose(await connected(ann), { description: 'Mine' })
    const asked = await call(foreign, 'confirm_change', { proposalId: told['proposalId'] })
    expect([asked.isError, asked.told]).toEqual([true, { error: expect.stringContaining('not') }])
    const limited = await connected(await platform.member({ scopes: ['READ_CASES'] }))
    expect((await limited.listTools()).tools).toHaveLength(7)
    expect((await call(limited, 'get', { object: 'account', id: accountId })).told).toEqual({
      error: expect.stringContaining('READ_ACCOUNTS'),
    })
    expect((await call(limited, 'ask', { intent: 'COUNT', object: 'account' })).isError).toBe(true)
    expect((await call(limited, 'describe', { object: 'account' })).isError).toBe(true)
    expect((await call(limited, 'search', { text: 'Halvorsen' })).told).toMatchObject({ hits: [] })
    await expect(call(limited, 'propose_change', {})).rejects.toThrow('no such tool')
    const reading = await connected(await platform.member({ role: 'READ_ONLY' }))
    expect((await reading.listTools()).tools).toHaveLength(7)
  })

  describe('with custom actions', () => {
    const input = { sku: 'A-100' }
    const client = async (given: object, options: Options = {}) =>
      connected(await platform.member({ organizationId: ann.organizationId, ...given }), options)
    const actionsOf = async (one: Client) =>
      (await one.listTools()).tools.filter(({ name }) => name.startsWith('action_'))

    beforeAll(async () => {
      const owner = await platform.member({ role: 'OWNER', organizationId: ann.organizationId })
      const source = 'export default ({ input }) => ({ got: input.sku })'
      await owner.rest.serverlessFunctionCreate!({
        body: { apiName: 'echo_sku', name: 'Echo', language: 'javascript', source },
      })
      const properties = { sku: { type: 'string' } }
      const common = {
        function: 'echo_sku',
        exposeAsTool: true,
        inputSchema: { type: 'object', properties },
        outputSchema: { type: 'object' },
      }
      for (const [apiName, kind] of [
        ['find_part', 'READ'],
        ['order_part', 'WRITE'],
      ]) {
        const body = { ...common, apiName, kind, label: apiName }
        await owner.rest.customActionCreate!({ body })
      }
    })

    it('runs what reads, and what writes after its user has accepted', async () => {
      const asked: string[] = []
      const answer = (text: string) => {
        asked.push(text)
        return 'accept' as const
      }
      const one = await connected(ann, { answer })
      expect((await actionsOf(one)).map(({ name, annotations }) => [name, annotations!.readOnlyHint])).toEqual([
        ['action_find_part', true],
        ['action_order_part', false],
      ])
      expect(await call(one, 'action_find_part', { input })).toEqual({
        isError: false,
        told: { untrusted: true, status: 'SUCCEEDED', output: { got: 'A-100' } },
      })
      const { proposalId } = (await call(one, 'action_order_part', { recordId: accountId, input })).told
      expect(asked).toEqual([])
      expect(await call(one, 'confirm_change', { proposalId })).toMatchObject({
        isError: false,
        told: { untrusted: true, status: 'CONFIRMED', output: { got: 'A-100' } },
      })
      expect(asked).toEqual(['Run order_part (order_part) for account Halvorsen Marine?\n{"sku":"A-100"}'])
    })

    it('has those that its credential may run, and says why another cannot run', async () => {
      const invoking = await client({ scopes: ['INVOKE_FUNCTIONS'] })
      const names = (await invoking.listTools()).tools.map(({ name }) => name)
      expect(names.slice(-3)).toEqual(['confirm_change', 'action_find_part', 'action_order_part'])
      expect(names).not.toContain('propose_change')
      expect((await call(invoking, 'action_order_part', { input })).told).toMatchObject({ status: 'PENDING' })
      const without = await client({ scopes: ['READ_ACCOUNTS'] })
      expect(await actionsOf(without)).toEqual([])
      await expect(call(without, 'action_find_part', { input })).rejects.toThrow('no such tool')
      const reading = await client({ role: 'READ_ONLY' })
      expect((await actionsOf(reading)).map(({ name }) => name)).toEqual(['action_find_part'])
      expect((await call(reading, 'action_find_part', { input })).isError).toBe(false)
      expect((await call(reading, 'action_order_part', { input })).told).toEqual({
        error: 'Your role may read but not change records.',
      })
      const foreign = await connected(await platform.member({ organizationId: await platform.organization('Else') }))
      expect(await actionsOf(foreign)).toEqual([])
      const unknown = await call(foreign, 'action_find_part', { input })
      expect([unknown.isError, unknown.told]).toEqual([true, { error: expect.stringContaining('custom action') }])
    })
  })

  it('finds documents about records that it may read, and no others', async () => {
    const { organizationId } = ann
    const add = async (name: string, values: object): Promise<void> => {
      const content = Buffer.from('The walrus clause: notice is ninety days.').toString('base64')
      const { status } = await ann.rest.knowledgeDocumentCreate!({ body: { name, content, ...values } })
      expect(status).toBe(201)
    }
    await add('shared.txt', { isShared: true })
    await add('own.txt', {})
    await add('about.txt', { recordType: 'ACCOUNT', recordId: accountId })
    await readDocuments(platform, organizationId)
    const find = async (member: Member, args: object = {}) => {
      const found = await call(await connected(member), 'search_documents', { query: 'walrus', ...args })
      expect(found).toMatchObject({ isError: false, told: { untrusted: true } })
      const passages = found.told['passages'] as readonly { documentName: string }[]
      return passages.map(({ documentName }) => documentName).sort()
    }
    expect(await find(ann)).toEqual(['about.txt', 'own.txt', 'shared.txt'])
    expect(await find(ann, { recordId: accountId })).toEqual(['about.txt'])
    expect(await find(await platform.member({ organizationId }))).toEqual(['about.txt', 'shared.txt'])
    expect(await find(await platform.member({ organizationId, visibility: 'OWN' }))).toEqual(['shared.txt'])
    expect(await find(await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] }))).toEqual(['about.txt'])
    expect(await find(await platform.member({ organizationId, scopes: ['READ_CASES'] }))).toEqual([])
    expect(await find(await platform.member({ organizationId: await platform.organization('Strangers') }))).toEqual([])
    const wrong = await call(await connected(ann), 'search_documents', { query: 'walrus', recordId: '7' })
    expect([wrong.isError, wrong.told]).toEqual([true, { error: expect.stringContaining('recordId') }])
  })

  it('sees nothing of fields that the profile hides', async () => {
    const { organizationId } = ann
    const restricted = await platform.member({ organizationId })
    const fields = { account: { annualRevenue: 'HIDDEN' } }
    const { id } = await createProfile(systemContext(platform.services, organizationId), {
      name: 'No revenue',
      fields: fields as never,
    })
    await assignProfile(systemContext(platform.services, organizationId), restricted.userId, id)
    const client = await connected(restricted)
    const filters = [{ field: 'annualRevenue', operator: 'gt', value: 1 }]
    const answers = [
      await call(client, 'describe', { object: 'account' }),
      await call(client, 'get', { object: 'account', id: accountId }),
      await call(client, 'search', { text: '7300400' }),
      await call(client, 'query', { document: `{ account(id: "${accountId}") { annualRevenue } }` }),
      await call(client, 'query', { document: '{ accountList(filter: {annualRevenue: {gt: 1}}) { total } }' }),
      await call(client, 'ask', { intent: 'COUNT', object: 'account', filters }),
      await call(client, 'ask', { intent: 'SUM', object: 'account', measure: 'annualRevenue' }),
      await propose(client, { annualRevenue: 1 }),
    ]
    expect(JSON.stringify(answers.map(({ told }) => told))).not.toMatch(/7300400|"total":1|"name":"annualRevenue"/)
    expect(answers.slice(5).map(({ isError }) => isError)).toEqual([true, true, true])
  })
})

describe('the page of a proposal', () => {
  it('makes the change for its user, signed in, and for nobody else', async () => {
    const person = await aPerson(platform)
    const login = async (email: string): Promise<string> => {
      const response = await fetch(`${platform.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
      return response.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0]!)
        .join('; ')
    }
    const cookie = await login(person.email)
    const stranger = await login((await aPerson(platform)).email)
    const { id } = (await person.rest['accountCreate']!({ body: { name: 'A <b>bold</b> name' } })).body
    const { body: key } = await person.rest['apiKeyCreate']!({
      body: { name: 'agent', scopes: ['WRITE_ACCOUNTS'] },
    })
    const client = await connected(ann, { headers: { 'X-API-Key': String(key.secret) } })
    const change = { action: 'update', object: 'account', id, input: { description: '<script>x</script>' } }
    const { proposalId } = (await call(client, 'propose_change', change)).told
    const { confirmUrl } = (await call(client, 'confirm_change', { proposalId })).told
    const page = (headers: Record<string, string>, form?: Record<string, string>) =>
      fetch(`${String(confirmUrl)}${form ? '/decision' : ''}`, {
        method: form ? 'POST' : 'GET',
        headers,
        ...(form && { body: new URLSearchParams(form) }),
      })
    const csrf = /csrf_token=([^;]+)/.exec(cookie)![1]!
    const confirm = { decision: 'confirm', csrf }
    const refused = [
      await page({}),
      await page({ 'X-API-Key': String(key.secret) }),
      await page({ cookie: stranger }),
      await page({}, confirm),
      await page({ cookie }, { decision: 'confirm' }),
      await page({ cookie }, { decision: 'confirm', csrf: 'x' }),
      await page({ cookie: stranger }, { decision: 'confirm', csrf: /csrf_token=([^;]+)/.exec(stranger)![1]! }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 404, 401, 403, 403, 404])
    const fromAnotherSite = await (await page({ cookie: cookie.replace(/; csrf_token=[^;]+/, '') })).text()
    expect(fromAnotherSite).not.toContain('<form')
    const text = await (await page({ cookie })).text()
    expect(text).toContain('&#60;script&#62;x&#60;/script&#62;')
    expect(text).not.toMatch(/<script|<b>/)
    expect((await person.rest['account']!({ id })).body.description).toBe(null)
    const done = await page({ cookie }, confirm)
    expect([done.status, (await person.rest['account']!({ id })).body.description]).toEqual([200, '<script>x</script>'])
    expect((await page({ cookie }, confirm)).status).toBe(409)
  })
})

describe('the endpoint', () => {
  it('takes the token of an app, with the scopes that the user has granted', async () => {
    const owner = await aPerson(platform, { role: 'OWNER' })
    const { id } = (await owner.rest['accountCreate']!({ body: { name: 'Fjordline' } })).body
    const app = await anApp(owner, { scopes: ['READ_ACCOUNTS'] })
    const config = await discovered(platform.url, app)
    const resource = `${platform.url}/mcp`
    const { browser, page, checks } = await started(platform, config, { scope: 'READ_ACCOUNTS', resource })
    const consent = await browser.submit(page, 'sign-in', { email: owner.email, password })
    expect(consent.text).toContain('<strong>app.example.com</strong>')
    const decided = { decision: 'allow', organization: owner.organizationId }
    const end = new URL((await browser.submit(consent, 'decision', decided)).url)
    const { access_token: token } = await authorizationCodeGrant(config, end, checks)
    const client = await connected(ann, { headers: { Authorization: `Bearer ${token}` } })
    expect((await call(client, 'whoami')).told).toMatchObject({ credential: 'OAUTH', scopes: ['READ_ACCOUNTS'] })
    expect((await client.listTools()).tools).toHaveLength(7)
    expect((await call(client, 'get', { object: 'account', id })).told).toMatchObject({ record: { name: 'Fjordline' } })
    expect((await call(client, 'get', { object: 'account', id: accountId })).isError).toBe(true)
    const cases = await call(client, 'ask', { intent: 'COUNT', object: 'case' })
    expect([cases.isError, String(cases.told['error'])]).toEqual([true, expect.stringContaining('READ_CASES')])
  })

  it('needs a key or a token, and says where tokens come from', async () => {
    const refused = [
      await post(message('tools/list')),
      await post(message('tools/list'), { authorization: 'Bearer wrong' }),
      await post(message('tools/list'), { cookie: 'access_token=x' }),
      await post(message('tools/list'), { 'x-api-key': 'wrong' }),
    ]
    const metadataUrl = `${platform.url}/.well-known/oauth-protected-resource/mcp`
    const leading = `resource_metadata="${metadataUrl}"`
    expect(refused.map(({ status, headers }) => [status, headers.get('www-authenticate')])).toEqual([
      [401, `Bearer ${leading}`],
      [401, `Bearer error="invalid_token", ${leading}`],
      [401, `Bearer ${leading}`],
      [401, `Bearer ${leading}`],
    ])
    const metadata = (await (await fetch(metadataUrl)).json()) as Record<string, unknown>
    expect(metadata).toMatchObject({
      resource: `${platform.url}/mcp`,
      authorization_servers: [`${platform.url}/v1/oauth`],
      bearer_methods_supported: ['header'],
    })
    const discovery = await fetch(`${platform.url}/.well-known/oauth-authorization-server/v1/oauth`)
    expect(
      ((await discovery.json()) as { code_challenge_methods_supported: string[] }).code_challenge_methods_supported,
    ).toEqual(['S256'])
  })

  it('refuses what is no message, and other methods, and answers within its bounds', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const called = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":${args}}}`
    const bodies = ['', '{', '[]', 'null', '"x"', deep(50_000), called(deep(5_000)), `"${'x'.repeat(300_000)}"`]
    for (const body of bodies) {
      const { status } = await post(body, ann.headers)
      expect([body.slice(0, 20), status >= 400 && status < 500]).toEqual([body.slice(0, 20), true])
    }
    const within = [
      called('{"document":"mutation { conversationDeleteAll }"}'),
      called('{"document":"{ __proto__ }","variables":{"constructor":1}}'),
      called(`{"document":"${'{a'.repeat(4_000)}"}`),
      called('{"document":"{ a(b: \\"\\\\u0000\\") }"}'),
      called(`{"document":"{ x }","variables":${deep(60)}}`),
      called(`{"document":"${'x'.repeat(30_000)}"}`),
      called('{"__proto__":{"document":"{x}"}}'),
      called('[]'),
      called('{"nothing":1}'),
      called('{"document":"{ accountList(limit: 100) { data { ...a } } } fragment a on Account { ...a }"}'),
    ]
    for (const body of within) {
      const startedMs = performance.now()
      const answer = await post(body, ann.headers)
      const text = await answer.text()
      expect([body.slice(0, 120), answer.status < 500, text.length < 20_000]).toEqual([body.slice(0, 120), true, true])
      expect(text).toMatch(/"isError":true|"error"|"errors"/)
      expect(performance.now() - startedMs).toBeLessThan(3000)
    }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(`${platform.url}/mcp`, { method, headers: ann.headers })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('refuses an unknown version of the protocol, and negotiates one that it knows', async () => {
    const wrong = await post(message('tools/list'), { ...ann.headers, 'mcp-protocol-version': '1999-01-01' })
    expect(wrong.status).toBe(400)
    const initialize = message('initialize', {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    })
    const answer = (await (await post(initialize, ann.headers)).json()) as { result: { protocolVersion: string } }
    expect(answer.result.protocolVersion).toBe('2025-11-25')
    const unknown = (await (await post(message('resources/list'), ann.headers)).json()) as { error: { code: number } }
    expect(unknown.error.code).toBe(-32601)
  })

  it('counts each message for the limit of the key, as every request', async () => {
    const first = await post(message('ping'), ann.headers)
    const second = await post(message('ping'), ann.headers)
    const left = ({ headers }: Response) =>
      Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] ?? headers.get('ratelimit-remaining'))
    expect(left(first) - left(second)).toBe(1)
  })
})
