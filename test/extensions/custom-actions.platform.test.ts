import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signatureHeaders } from '../../subgraphs/events/public.ts'
import { actionsMax } from '../../subgraphs/extensions/action/custom-action.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerJson, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let service: Service
let owner: Member
let actions = 0

beforeAll(async () => {
  service = await Service.start()
})
afterAll(() => service.close())
beforeEach(async () => {
  service.take()
  service.respond = (res) => answerJson(res, 200, { stock: 14 })
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

const sku = { type: 'object', properties: { sku: { type: 'string', pattern: '^[A-Z]-[0-9]+$' } }, required: ['sku'] }
const stock = { type: 'object', properties: { stock: { type: 'integer' } }, required: ['stock'] }
const values = (given: object = {}) => ({
  apiName: `action_${++actions}`,
  label: 'Check the stock',
  url: `${service.origin}/api/stock`,
  inputSchema: sku,
  outputSchema: stock,
  ...given,
})

async function anAction(given: object = {}) {
  const { status, body } = await owner.rest.customActionCreate!({ body: values(given) })
  expect([status, body.errors]).toEqual([201, undefined])
  return body as { readonly id: string; readonly apiName: string; readonly secret: string }
}
const input = { sku: 'A-100' }
const executed = (id: string, body: object = { input }, who = owner) => who.rest.customActionExecute!({ id, body })

async function aFunction(source: string, given: object = {}) {
  const body = { apiName: `f_${newId().slice(-12)}`, name: 'F', language: 'javascript', source, ...given }
  const answer = await owner.rest.serverlessFunctionCreate!({ body })
  expect(answer.status).toBe(201)
  return answer.body as { readonly id: string; readonly apiName: string }
}

describe('a custom action', () => {
  it('sends its input to its URL, signed, and answers the output', async () => {
    const { id, apiName, secret } = await anAction()
    const { status, body } = await executed(apiName)
    expect([status, body]).toEqual([200, { status: 'SUCCEEDED', output: { stock: 14 }, error: null }])
    const [request, ...more] = service.take()
    expect(more).toEqual([])
    const { method, path, headers, text } = request!
    expect([method, path, JSON.parse(text)]).toEqual([
      'POST',
      '/api/stock',
      { action: apiName, recordId: null, objectType: null, input },
    ])
    expect(headers['x-service-function-depth']).toBe('1')
    const signed = signatureHeaders(
      {
        eventId: String(headers['webhook-id']),
        body: Buffer.from(text),
        now: new Date(Number(headers['webhook-timestamp']) * 1000),
      },
      [secret],
    )
    expect(headers['x-service-signature']).toBe(signed['X-Service-Signature'])
    expect(headers['webhook-signature']).toBe(signed['webhook-signature'])
    const read = await owner.rest.customAction!({ id })
    expect(read.body).not.toHaveProperty('secret')
    expect(JSON.stringify(read.body)).not.toContain(secret)
  })

  it('carries the named credential that lies over its URL, and hides its secret in the output', async () => {
    const session = { Authorization: `Bearer ${await sessionOf(platform, owner)}`, 'Content-Type': 'application/json' }
    const send = (method: string, path: string, body: object) =>
      fetch(`${platform.url}/v1/named-credentials${path}`, { method, headers: session, body: JSON.stringify(body) })
    const base = { apiName: 'erp', label: 'ERP', baseUrl: `${service.origin}/api`, authType: 'BEARER' }
    expect((await send('POST', '', base)).status).toBe(201)
    const { id } = await anAction({ outputSchema: { type: 'object' } })
    const missing = await executed(id)
    expect([missing.status, missing.body.code]).toEqual([409, 'CREDENTIAL_SECRET_MISSING'])
    expect(service.take()).toEqual([])
    expect((await send('PUT', '/erp/secret', { secret: 's3cret-of-the-erp' })).status).toBe(200)
    service.respond = (res, { headers }) => answerJson(res, 200, { said: headers['authorization'] })
    expect((await executed(id)).body).toMatchObject({ status: 'SUCCEEDED' })
    const { body } = await executed(id)
    expect(service.take()[0]!.headers['authorization']).toBe('Bearer s3cret-of-the-erp')
    expect(JSON.stringify(body)).not.toContain('s3cret-of-the-erp')
  })

  it('is repeated with one key after 429, 5xx and no answer, if that has no second effect', async () => {
    const answers = (...statuses: number[]) => {
      service.respond = (res) => {
        const status = statuses.shift() ?? 200
        if (status === 0) return void res.destroy()
        answerJson(res, status, { stock: 1 })
      }
    }
    const tried = async (given: object, ...statuses: number[]) => {
      const { id } = await anAction({ maxRetries: 2, ...given })
      service.take()
      answers(...statuses)
      const { body } = await executed(id)
      const keys = service.take().map(({ headers }) => headers['idempotency-key'])
      expect(new Set(keys).size).toBe(1)
      return [keys.length, body.status, body.error?.code]
    }
    expect(await tried({ kind: 'READ' }, 503, 0)).toEqual([3, 'SUCCEEDED', undefined])
    expect(await tried({ kind: 'WRITE', idempotent: true }, 429, 429, 429)).toEqual([3, 'FAILED', 'STATUS'])
    expect(await tried({ kind: 'WRITE' }, 503)).toEqual([1, 'FAILED', 'STATUS'])
    expect(await tried({ kind: 'READ' }, 404)).toEqual([1, 'FAILED', 'STATUS'])
    expect(await tried({ kind: 'READ', maxRetries: 0 }, 0)).toEqual([1, 'FAILED', 'NO_ANSWER'])
  })

  it('checks the input and the output by its schemas, without time for hostile ones', async () => {
    const { id } = await anAction({ outputSchema: { ...stock, additionalProperties: false } })
    const problems = async (given: unknown) => {
      const { status, body } = await executed(id, { input: given })
      return [status, ...(body.errors ?? []).map((one: { path: string; code: string }) => `${one.path} ${one.code}`)]
    }
    expect(await problems({})).toEqual([400, 'input.sku REQUIRED'])
    expect(await problems({ sku: 7 })).toEqual([400, 'input.sku WRONG_TYPE'])
    expect(await problems({ sku: 'a' })).toEqual([400, 'input.sku WRONG_VALUE'])
    expect(await problems([])).toEqual([400, 'input WRONG_TYPE'])
    expect(service.take()).toEqual([])
    for (const [answer, code] of [
      [{}, 'OUTPUT_INVALID'],
      [{ stock: 1, more: 2 }, 'OUTPUT_INVALID'],
      [[1], 'NOT_JSON'],
    ] as const) {
      service.respond = (res) => answerJson(res, 200, answer)
      expect((await executed(id)).body).toMatchObject({ status: 'FAILED', output: null, error: { code } })
    }
    const refused = async (given: object) => {
      const { status, body } = await owner.rest.customActionCreate!({ body: values({ inputSchema: given }) })
      return [status, ...(body.errors ?? []).map((one: { path: string; code: string }) => `${one.path} ${one.code}`)]
    }
    expect(await refused({ type: 'object', $ref: '#' })).toEqual([400, 'inputSchema.$ref UNKNOWN_FIELD'])
    expect(await refused({ type: 'array' })).toEqual([400, 'inputSchema.type WRONG_VALUE'])
    expect(await refused({ type: 'object', properties: { constructor: { type: 'string' } } })).toEqual([
      400,
      'inputSchema.properties.constructor WRONG_FORMAT',
    ])
    const nested = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } }
    expect(await refused(nested(8))).toEqual([400, expect.stringMatching(/^inputSchema\.properties\.a.* TOO_DEEP$/)])
    const slow = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+b$' } } }
    const hostile = await anAction({ inputSchema: slow })
    const startedAt = performance.now()
    const { status } = await executed(hostile.id, { input: { text: 'a'.repeat(20_000) } })
    expect(status).toBe(400)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('is for its record types, for visible records, and for whom it allows', async () => {
    const account = (await owner.rest.accountCreate!({ body: { name: 'Acme' } })).body.id as string
    const contact = (await owner.rest.contactCreate!({ body: { lastName: 'Lee' } })).body.id as string
    const member = await platform.member({ organizationId: owner.organizationId, role: 'MEMBER', visibility: 'OWN' })
    const reader = await platform.member({ organizationId: owner.organizationId, role: 'READ_ONLY' })
    const foreign = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const { id } = await anAction({ objectTypes: ['ACCOUNT'] })
    const codeOf = async (action: string, recordId: string | undefined, who = owner) => {
      const { status, body } = await executed(action, { input, recordId }, who)
      return [status, body.code]
    }
    expect(await codeOf(id, undefined)).toEqual([400, 'VALIDATION_FAILED'])
    expect(await codeOf(id, contact)).toEqual([409, 'INVALID_STATE'])
    expect(await codeOf(id, newId())).toEqual([404, 'NOT_FOUND'])
    expect(await codeOf(id, account, member)).toEqual([404, 'NOT_FOUND'])
    expect(await codeOf(id, account, foreign)).toEqual([404, 'NOT_FOUND'])
    expect(await codeOf(id, account, reader)).toEqual([403, 'PERMISSION_DENIED'])
    expect(await codeOf((await anAction({ isActive: false })).id, undefined)).toEqual([409, 'INVALID_STATE'])
    expect(await codeOf((await anAction({ allowManual: false })).id, undefined)).toEqual([409, 'INVALID_STATE'])
    expect(service.take()).toEqual([])
    expect(await codeOf((await anAction({ kind: 'READ' })).id, account, reader)).toEqual([200, undefined])
    expect(await codeOf(id, account)).toEqual([200, undefined])
    expect(service.take().map(({ text }) => JSON.parse(text).objectType)).toEqual(['ACCOUNT', 'ACCOUNT'])
  })

  it('is sent once for an Idempotency-Key, also for two requests at once', async () => {
    const { id } = await anAction()
    const headers = { 'Idempotency-Key': newId() }
    const send = () => owner.rest.customActionExecute!({ id, body: { input }, headers })
    const first = await send()
    const second = await send()
    expect([first.status, second.body]).toEqual([200, first.body])
    expect(service.take()).toHaveLength(1)
  })
})

it('runs once for several requests at once with one Idempotency-Key, and each action of one mutation', async () => {
  const { id } = await anAction()
  const headers = { 'Idempotency-Key': newId() }
  const answers = await Promise.all(
    [1, 2, 3].map(() => owner.rest.customActionExecute!({ id, body: { input }, headers })),
  )
  expect(answers.map(({ status }) => status)).toContain(200)
  expect(answers.every(({ status, body }) => status === 200 || body.code === 'IDEMPOTENCY_IN_PROGRESS')).toBe(true)
  expect(service.take()).toHaveLength(1)
  const query = `mutation ($id: String!, $a: JSON, $b: JSON) {
    a: customActionExecute(id: $id, input: { input: $a }) { status }
    b: customActionExecute(id: $id, input: { input: $b }) { status }
  }`
  const response = await fetch(`${platform.url}/graphql`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json', 'Idempotency-Key': newId() },
    body: JSON.stringify({ query, variables: { id, a: { sku: 'A-1' }, b: { sku: 'B-2' } } }),
  })
  expect(await response.json()).toEqual({ data: { a: { status: 'SUCCEEDED' }, b: { status: 'SUCCEEDED' } } })
  expect(service.take().map(({ text }) => JSON.parse(text).input.sku)).toEqual(['A-1', 'B-2'])
})

describe('a custom action that is a function', () => {
  it('runs the function, whose log says ACTION, and is what it returns', async () => {
    const { id: functionId, apiName } = await aFunction('export default ({ input }) => ({ stock: input.sku.length })')
    const { id, apiName: name } = await anAction({ url: null, function: apiName })
    expect((await executed(id)).body).toEqual({ status: 'SUCCEEDED', output: { stock: 5 }, error: null })
    const [invocation] = (await owner.rest.serverlessFunctionInvocationList!({ id: functionId })).body.data
    expect([invocation.trigger, invocation.status]).toEqual(['ACTION', 'SUCCEEDED'])
    const read = await owner.rest.serverlessFunctionInvocation!({ id: functionId, invocationId: invocation.id })
    expect(read.body.input).toEqual({ action: name, recordId: null, objectType: null, input })
    const failing = await aFunction('export default () => { throw new Error("no stock") }')
    const other = await anAction({ url: null, function: failing.apiName })
    expect((await executed(other.id)).body).toEqual({
      status: 'FAILED',
      output: null,
      error: { code: 'FUNCTION_FAILED', message: 'no stock' },
    })
  })

  it('keeps the function from being deleted', async () => {
    const { id: functionId, apiName } = await aFunction('export default () => ({ stock: 1 })')
    const { id, apiName: name } = await anAction({ url: null, function: apiName })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = await owner.rest.serverlessFunctionDelete!({ id: functionId })
    expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([
      409,
      'HAS_DEPENDENTS',
      [{ object: 'custom_action', id, name }],
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await owner.rest.customActionDelete!({ id })).status).toBe(204)
    expect((await owner.rest.serverlessFunctionDelete!({ id: functionId })).status).toBe(200)
  })

  it('needs a function that exists, and a URL or a function', async () => {
    const problems = async (given: object) => {
      const { status, body } = await owner.rest.customActionCreate!({ body: values(given) })
      return [status, ...body.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`)]
    }
    expect(await problems({ url: null, function: 'nowhere' })).toEqual([400, 'function UNKNOWN_REFERENCE'])
    expect(await problems({ url: null })).toEqual([400, 'url REQUIRED'])
    expect(await problems({ function: 'nowhere' })).toEqual([400, 'url NOT_TOGETHER'])
    expect(await problems({ url: 'http://10.0.0.7/stock' })).toEqual([400, expect.stringMatching(/^url /)])
  })
})

it('are at most 200 in an organization', async () => {
  const { id } = await anAction()
  await platform.query(
    `insert into extensions.custom_action select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'api_name', 'copy_' || n))).*
     from extensions.custom_action a, generate_series(2, $2) n where a.id = $1`,
    [id, actionsMax],
  )
  const { status, body } = await owner.rest.customActionCreate!({ body: values() })
  expect([status, body.errors.map(({ code }: { code: string }) => code)]).toEqual([400, ['TOO_MANY']])
  const count = 'select count(*)::int as count from extensions.custom_action where organization_id = $1'
  expect(await platform.query(count, [owner.organizationId])).toEqual([{ count: 200 }])
})
