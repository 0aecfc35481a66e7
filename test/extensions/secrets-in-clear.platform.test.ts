import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { deliver } from '../webhooks/deliver.ts'
import { answerJson, Service } from './service.ts'
import { workflowsOf } from './workflows.fixture.ts'

const logged: string[] = []
const platform = usePlatform(
  { OUTBOUND_ALLOW: '127.0.0.0/8' },
  undefined,
  openLog('trace', { write: (line: string) => void logged.push(line) }),
)
let service: Service
let owner: Member
let session: string
/** The kind of each secret. */
const secrets = new Map<string, string>()
const clear = {
  function: 'clear-function-of-the-test',
  token: 'clear-token-of-the-test',
  header: 'clear-header-of-the-test',
}
for (const [kind, secret] of Object.entries(clear)) secrets.set(secret, kind)
const secretOf = (authType: string) => `clear-${authType.toLowerCase()}-of-the-test`
/** The answers of the platform, without the secrets that it must return once. */
const answers: string[] = []

beforeAll(async () => {
  service = await Service.start()
  // It repeats what it got, in the text of a refusal too, and fails where it is asked to.
  service.respond = (res, request) => {
    if (request.path.endsWith('/token'))
      return answerJson(res, 200, { access_token: clear.token, token_type: 'Bearer', expires_in: 3600 })
    const message = Object.values(request.headers).join(' ')
    const results = [{ decision: 'REJECT', message, changes: {} }]
    answerJson(res, request.path.endsWith('/fail') ? 500 : 200, { ...request, message, results })
  }
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  session = await sessionOf(platform, owner)
  secrets.set(session, 'session').set(owner.secret, 'API key')
})
afterAll(() => service.close())

/** A request with the session of the owner, repeated under its Idempotency-Key. */
async function send(method: string, path: string, body?: object, expected = 200, credential = {}) {
  const isRepeated = method === 'POST' || method === 'PUT'
  const headers = {
    authorization: `Bearer ${session}`,
    'content-type': 'application/json',
    ...(isRepeated && { 'idempotency-key': newId() }),
    ...credential,
  }
  for (let repetition = 0; ; repetition++) {
    const answer = await fetch(`${platform.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect([path, answer.status, text]).toEqual([path, expected, text])
    const parsed = text === '' ? {} : JSON.parse(text)
    const { secret, ...shown } = parsed
    answers.push(JSON.stringify(shown) + JSON.stringify([...answer.headers]))
    if (repetition > 0 || !isRepeated) return parsed
    if (typeof secret === 'string') secrets.set(secret, path)
  }
}

async function aFunction(apiName: string, handler: string): Promise<string> {
  const source = `export default ${handler}`
  return (await send('POST', '/v1/functions', { apiName, name: apiName, source, language: 'javascript' }, 201)).id
}

const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
const authentications = {
  NONE: {},
  API_KEY_HEADER: { headerName: 'X-Erp-Key' },
  BEARER: {},
  BASIC: { username: 'crm' },
  OAUTH2_CLIENT_CREDENTIALS: { clientId: 'crm' },
}

/** Uses a credential in every way in which its requests are sent, to a receiver that repeats them. */
async function useCredential(authType: keyof typeof authentications, functionId: string): Promise<void> {
  const apiName = authType.toLowerCase()
  const base = `${service.origin}/${apiName}`
  const tokenUrl = authType.startsWith('OAUTH2') ? { tokenUrl: `${service.origin}/token` } : {}
  const values = { apiName, label: apiName, baseUrl: base, authType, ...authentications[authType], ...tokenUrl }
  const { id } = await send('POST', '/v1/named-credentials', values, 201)
  if (authType !== 'NONE') {
    const secret = secretOf(authType)
    secrets.set(secret, authType)
    await send('PUT', `/v1/named-credentials/${id}/secret`, { secret })
    await send('PUT', `/v1/named-credentials/${newId()}/secret`, { secret }, 404)
    await send('PUT', `/v1/named-credentials/${id}/secret`, { secret: `${secret}\n` }, 400)
  }
  for (const path of ['/echo', '/fail'])
    for (const fails of [false, true])
      await send('POST', `/v1/functions/${functionId}/test`, { input: { apiName, path, fails } })
  for (const path of ['echo', 'fail']) {
    const action = { apiName: `${path}_${apiName}`, label: path, url: `${base}/${path}`, ...schemas }
    const { id: actionId } = await send('POST', '/v1/custom-actions', action, 201)
    await send('POST', `/v1/custom-actions/${actionId}/execute`, { input: {} })
    const hook = {
      objectType: 'ACCOUNT',
      name: `${path} ${apiName}`,
      url: `${base}/${path}`,
      failureMode: 'FAIL_CLOSED',
    }
    const { id: hookId } = await send('POST', '/v1/hooks', hook, 201)
    await send('POST', '/v1/accounts', { name: 'Refused' }, path === 'echo' ? 422 : 503)
    await send('GET', `/v1/hooks/${hookId}`)
    await send('DELETE', `/v1/hooks/${hookId}`, undefined, 204)
    const step = { id: 'send', type: 'HTTP_REQUEST', config: { method: 'GET', url: `${base}/${path}` } }
    const flows = workflowsOf(platform)
    const run = await flows.ran(owner, [step])
    await send('GET', `/v1/workflow-runs/${run.id}`)
    await send(
      'POST',
      '/v1/webhooks',
      {
        name: action.apiName,
        url: `${base}/${path}`,
        events: ['account.created'],
        namedCredentialId: id,
        retryAttempts: 0,
      },
      201,
    )
  }
}

/** Every list and figure of the API that needs no id. */
const lists = restContract()
  .operations.filter(({ method, path }) => method === 'get' && !path.includes('{'))
  .map(({ path }) => path)

/** What an owner reads there, or its refusal. */
async function textOf(path: string): Promise<string> {
  const answer = await fetch(`${platform.url}${path}`, { headers: { authorization: `Bearer ${session}` } })
  expect([path, answer.status < 500]).toEqual([path, true])
  return answer.text()
}

/** All rows of all tables, as text. */
async function dump(): Promise<string[]> {
  const tables = await platform.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const texts = []
  for (const { name } of tables) {
    const [row] = await platform.query<{ rows: string | null }>(
      `select string_agg(t::text, E'\\n') as rows from ${name} t`,
    )
    texts.push(`${name}: ${row!.rows ?? ''}`)
  }
  return texts
}

/** A secret as it may stand in a text: also as hexadecimal digits, URL text and base64 after any other bytes. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  ...[0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + secret)
      .toString('base64')
      .slice(before + 1, -4),
  ),
]

it('no secret stands in clear in logs, answers, replays, invocations, deliveries, events or any table', async () => {
  const value = clear.function
  const leaky = await aFunction(
    'leaky',
    `async ({ apiName, path, fails }, { secrets, credentials }) => {
      const answer = await credentials.fetch(apiName, path).catch((error) => ({ error: error.message }))
      console.log(secrets.TOKEN, answer)
      if (fails) throw new Error(secrets.TOKEN + JSON.stringify(answer))
      return { answer, [secrets.TOKEN]: [secrets.TOKEN, btoa('user:' + secrets.TOKEN)] }
    }`,
  )
  await send('PUT', `/v1/functions/${leaky}/secrets/TOKEN`, { value })
  await send('PUT', `/v1/functions/${newId()}/secrets/TOKEN`, { value }, 404)
  await send('PUT', `/v1/functions/${leaky}/secrets/TOKEN`, { value, valeu: 1 }, 400)
  for (const authType of Object.keys(authentications)) await useCredential(authType as 'NONE', leaky)

  const headers = { Authorization: `Bearer ${clear.header}` }
  const webhook = {
    name: 'Header',
    url: `${service.origin}/fail`,
    events: ['account.created'],
    headers,
    retryAttempts: 0,
  }
  await send('POST', '/v1/webhooks', webhook, 201)
  await send('POST', '/v1/webhooks', { ...webhook, name: 'Echo', url: `${service.origin}/echo` }, 201)
  const trigger = { name: 'Inbound', eventType: null, prompt: 'Summarize.', actions: [] }
  const ai = await send('POST', '/v1/webhook-ai-workflows/triggers', trigger, 201)
  const workflow = {
    name: 'Inbound',
    triggerType: 'WEBHOOK',
    steps: [{ id: 'a', type: 'CREATE_TASK', config: { subject: 'x' } }],
  }
  const flow = await send('POST', '/v1/workflows', workflow, 201)
  await send('POST', `/v1/workflows/${flow.id}/activate`)
  for (const [url, secret] of [
    [ai.inboundUrl, ai.secret],
    [flow.hookUrl, flow.secret],
  ] as const) {
    const time = Math.floor(platform.now.getTime() / 1000)
    const v1 = createHmac('sha256', secret).update(`${time}.{}`).digest('hex')
    for (const signature of [`t=${time},v1=${v1}`, secret])
      answers.push(
        await (await fetch(url, { method: 'POST', headers: { 'X-Service-Signature': signature }, body: '{}' })).text(),
      )
  }
  const key = await send('POST', '/v1/api-keys', { name: 'Sync', scopes: ['READ_ACCOUNTS'] }, 201)
  await send('GET', '/v1/accounts', undefined, 200, { authorization: '', 'x-api-key': key.secret })
  await send('GET', '/v1/tasks', undefined, 403, { authorization: '', 'x-api-key': key.secret })
  await send('POST', '/v1/accounts', { name: 'Saved' }, 201)
  await deliver(platform.services, owner.organizationId)
  await send('GET', '/v1/functions/leaky/invocations')
  expect(lists.length).toBeGreaterThan(60)
  for (const path of lists) answers.push(await textOf(path))

  // All kinds are there, and were used: the receiver knows those that it may.
  expect([...new Set(secrets.values())].toSorted()).toEqual([
    '/v1/api-keys',
    '/v1/custom-actions',
    '/v1/hooks',
    '/v1/webhook-ai-workflows/triggers',
    '/v1/webhooks',
    '/v1/workflows',
    'API key',
    'API_KEY_HEADER',
    'BASIC',
    'BEARER',
    'OAUTH2_CLIENT_CREDENTIALS',
    'function',
    'header',
    'session',
    'token',
  ])
  const known = JSON.stringify(service.received)
  const basic = Buffer.from(`crm:${secretOf('BASIC')}`).toString('base64')
  for (const text of [clear.token, clear.header, secretOf('API_KEY_HEADER'), `Bearer ${secretOf('BEARER')}`, basic])
    expect(known).toContain(text)
  const places = { log: logged, answer: answers, table: await dump() }
  expect(places.log.length).toBeGreaterThan(0)
  const found = Object.entries(places).flatMap(([place, texts]) =>
    texts.flatMap((text) =>
      [...secrets].flatMap(([secret, kind]) =>
        formsOf(secret).some((form) => text.includes(form)) ? [`${place}: ${kind}: ${text.slice(0, 60)}`] : [],
      ),
    ),
  )
  expect(found).toEqual([])
})
