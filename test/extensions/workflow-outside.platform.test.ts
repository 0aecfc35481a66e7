import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LanguageModel, ModelRequest } from '../../subgraphs/kernel/language-model/language-model.ts'
import { aSequence } from '../outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
let flows: ReturnType<typeof workflowsOf>
let owner: Member
let server: Server
let url: string
let received: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[]
let asked: ModelRequest[]

beforeAll(async () => {
  flows = workflowsOf(platform)
  server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url: path = '', headers } = req
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
      if (path.startsWith('/moved')) return res.writeHead(302, { location: '/orders' }).end()
      res.writeHead(path.startsWith('/orders') ? 200 : 500, { 'content-type': 'application/json' }).end('{"number":17}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const languageModel: LanguageModel = {
    async *stream(request) {
      asked.push(request)
      await Promise.resolve()
      yield { kind: 'text', text: '{"urgent":true}' }
      const usage = { inputTokens: 9, outputTokens: 3, isEstimated: false }
      yield { kind: 'end', model: 'scripted', reason: 'stop', usage }
    },
  }
  Object.assign(platform.services.languageModel, languageModel)
  Object.assign(platform.services.settings, { modelModes: ['model'] })
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(async () => {
  received = []
  asked = []
  owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
})

const step = (id: string, type: string, config: object, more: object = {}) => ({ id, type, config, ...more })

describe('a step', () => {
  it('sends a request once with its key, and fails by another status or a redirect', async () => {
    const post = {
      method: 'POST',
      url: `${url}/orders?of={{input.id | url_encode}}`,
      headers: { 'X-Source': 'crm' },
      body: { amount: '{{input.amount}}' },
    }
    const run = await flows.ran(owner, [step('send', 'HTTP_REQUEST', post)], { input: { id: 'a b', amount: 12.5 } })
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { status: 200, body: { number: 17 } } }] })
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/orders?of=a+b',
        body: '{"amount":12.5}',
        headers: {
          'x-source': 'crm',
          'idempotency-key': `${run.id}:send:1:1`,
          'x-service-function-depth': '2',
        },
      },
    ])
    for (const path of ['/broken', '/moved']) {
      const failed = await flows.ran(owner, [step('get', 'HTTP_REQUEST', { method: 'GET', url: url + path })])
      expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'HTTP_STATUS', stepId: 'get' } })
    }
    expect(received.map(({ path }) => path)).toEqual(['/orders?of=a+b', '/broken', '/moved'])
  })

  it('cannot set the depth of its request, so that a workflow that starts itself over the API ends', async () => {
    const headers = { 'X-API-Key': owner.secret, 'X-Service-Function-Depth': '0' }
    const config = { method: 'POST', url: 'https://crm.example.com/', headers }
    const refused = await owner.rest.workflowCreate!({
      body: { name: 'Reset', triggerType: 'MANUAL', steps: [step('again', 'HTTP_REQUEST', config)] },
    })
    expect([refused.status, refused.body.errors[0].path]).toEqual([
      400,
      'steps.0.config.headers.X-Service-Function-Depth',
    ])
    const { id } = await flows.create(owner, {})
    const again = {
      ...config,
      headers: { 'X-API-Key': owner.secret },
      url: `${platform.url}/v1/workflows/${id}/run`,
      body: {},
    }
    const steps = [step('again', 'HTTP_REQUEST', again)]
    expect((await owner.rest.workflowUpdate!({ id, body: { steps } })).status).toBe(200)
    expect((await owner.rest.workflowActivate!({ id })).status).toBe(200)
    await flows.start(owner, id)
    // Each run that was started by the one before is executed in a turn of its own.
    for (let turn = 0; turn < 6; turn++) await flows.work()
    const runs = await flows.runs(owner, id)
    expect(runs.map(({ depth, status }) => [depth, status])).toEqual([
      [1, 'SUCCEEDED'],
      [2, 'SUCCEEDED'],
      [3, 'SUCCEEDED'],
      [4, 'SUCCEEDED'],
      [5, 'FAILED'],
    ])
  })

  it('sends a mail, with values escaped in HTML', async () => {
    const config = { to: ['{{input.to}}'], subject: 'Order {{input.number}}', bodyHtml: '<p>Dear {{input.name}}</p>' }
    const input = { to: 'ida@customer.example', number: 17, name: '<b>Ida</b>' }
    const run = await flows.ran(owner, [step('mail', 'SEND_EMAIL', config)], { input })
    expect(run.error).toBeNull()
    const mails = await platform.query<{ id: string; subject: string; body: string }>(
      'select id, subject, body_html as body from outreach.email_message where organization_id = $1',
      [owner.organizationId],
    )
    expect(mails).toMatchObject([{ id: run.steps[0]!.output!['id'], subject: 'Order 17' }])
    expect(mails[0]!.body).toContain('Dear &lt;b&gt;Ida&lt;/b&gt;')
  })

  it('enrolls a lead in a sequence', async () => {
    const { id } = await aSequence(owner, [{ type: 'TASK', task: { subject: 'Look' } }])
    const lead = await owner.rest.leadCreate!({ body: { lastName: 'Halvorsen', email: 'halvorsen@customer.example' } })
    const steps = [step('enroll', 'ENROLL_SEQUENCE', { sequenceId: id })]
    const run = await flows.ran(owner, steps, { recordId: lead.body.id }, { triggerEntity: 'LEAD' })
    expect(run.error).toBeNull()
    const enrolled = await platform.query(
      'select id, sequence_id as "sequenceId" from outreach.sequence_enrollment where organization_id = $1',
      [owner.organizationId],
    )
    expect(enrolled).toEqual([{ id: run.steps[0]!.output!['id'], sequenceId: id }])
  })

  it('asks the language model, and fails by an answer that does not fit', async () => {
    const outputSchema = { type: 'object', properties: { urgent: { type: 'boolean' } }, required: ['urgent'] }
    const config = { prompt: 'Is it urgent? {{input.text}}', outputSchema }
    const run = await flows.ran(owner, [step('ask', 'AI_PROMPT', config)], { input: { text: 'Help!' } })
    expect(run.steps).toMatchObject([{ status: 'SUCCEEDED', output: { urgent: true } }])
    expect(asked[0]!.messages.at(-1)).toEqual({ role: 'user', content: 'Is it urgent? Help!' })
    const other = { ...outputSchema, properties: { urgent: { type: 'string' } } }
    const failed = await flows.ran(owner, [step('ask', 'AI_PROMPT', { ...config, outputSchema: other })], {
      input: { text: 'Help!' },
    })
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'OUTPUT_INVALID', stepId: 'ask' } })
  })

  it('runs a custom action for the record of the run, with the key of the step', async () => {
    const sku = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] }
    const action = {
      apiName: 'check_stock',
      label: 'Check',
      url: `${url}/orders`,
      inputSchema: sku,
      outputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
      objectTypes: ['LEAD'],
      allowManual: false,
    }
    const created = await owner.rest.customActionCreate!({ body: action })
    expect(created.status).toBe(201)
    const lead = (await owner.rest.leadCreate!({ body: { lastName: 'Berg' } })).body.id as string
    const steps = [
      step(
        'check',
        'CUSTOM_ACTION',
        { actionApiName: 'check_stock', input: { sku: '{{record.lastName}}' } },
        { next: 'task' },
      ),
      step('task', 'CREATE_TASK', { subject: 'Stock {{steps.check.output.number}}' }),
    ]
    const run = await flows.ran(owner, steps, { recordId: lead }, { triggerEntity: 'LEAD' })
    expect([run.status, run.steps[0]!.output]).toEqual(['SUCCEEDED', { number: 17 }])
    expect(received).toHaveLength(1)
    expect(JSON.parse(received[0]!.body)).toEqual({
      action: 'check_stock',
      recordId: lead,
      objectType: 'LEAD',
      input: { sku: 'Berg' },
    })
    expect([received[0]!.headers['idempotency-key'], received[0]!.headers['x-service-function-depth']]).toEqual([
      `${run.id}:check:1:1`,
      '3',
    ])
    const [task] = (await owner.rest.taskList!()).body.data
    expect(task.subject).toBe('Stock 17')
    const wrong = await flows.ran(owner, [step('check', 'CUSTOM_ACTION', { actionApiName: 'check_stock', input: {} })])
    expect(wrong.error).toMatchObject({ code: 'VALIDATION_FAILED', stepId: 'check' })
    expect(received).toHaveLength(1)
  })

  it('names functions and actions, which are not deleted before the step is', async () => {
    const action = {
      apiName: 'ping',
      label: 'Ping',
      url,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
    }
    const { id: actionId } = (await owner.rest.customActionCreate!({ body: action })).body
    const source = 'export default () => 1'
    const made = { apiName: 'one', name: 'One', source, language: 'javascript' }
    const { id: functionId } = (await owner.rest.serverlessFunctionCreate!({ body: made })).body
    const steps = [
      step('action', 'CUSTOM_ACTION', { actionApiName: 'ping' }, { next: 'function' }),
      step('function', 'FUNCTION', { functionApiName: 'one' }),
    ]
    const { id, name } = (await owner.rest.workflowCreate!({ body: { name: 'Both', triggerType: 'MANUAL', steps } }))
      .body
    const unknown = [step('action', 'CUSTOM_ACTION', { actionApiName: 'nobody' })]
    const refused = await owner.rest.workflowUpdate!({ id, body: { steps: unknown } })
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [expect.objectContaining({ path: 'steps.0.config.actionApiName', code: 'UNKNOWN_REFERENCE' })],
    ])
    const before = await platform.fingerprint(owner.organizationId)
    for (const answer of [
      await owner.rest.customActionDelete!({ id: actionId }),
      await owner.rest.serverlessFunctionDelete!({ id: functionId }),
    ])
      expect([answer.status, answer.body.code, answer.body.usedBy]).toEqual([
        409,
        'HAS_DEPENDENTS',
        [{ object: 'workflow', id, name }],
      ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    expect((await owner.rest.workflowUpdate!({ id, body: { steps: [] } })).status).toBe(200)
    expect((await owner.rest.customActionDelete!({ id: actionId })).status).toBe(204)
    expect((await owner.rest.serverlessFunctionDelete!({ id: functionId })).status).toBe(200)
  })

  it('sends a request with the named credential over its URL, and keeps its secret nowhere', async () => {
    const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}`, 'Content-Type': 'application/json' }
    const send = (method: string, path: string, body: object) =>
      fetch(`${platform.url}/v1/named-credentials${path}`, { method, headers, body: JSON.stringify(body) })
    const values = { apiName: 'shop', label: 'Shop', baseUrl: url, authType: 'BEARER' }
    expect((await send('POST', '', values)).status).toBe(201)
    const steps = [step('send', 'HTTP_REQUEST', { method: 'GET', url: `${url}/orders` })]
    const missing = await flows.ran(owner, steps)
    expect([missing.status, missing.error?.code, received]).toEqual(['FAILED', 'CREDENTIAL_SECRET_MISSING', []])
    expect((await send('PUT', '/shop/secret', { secret: 's3cret-of-the-shop' })).status).toBe(200)
    const run = await flows.ran(owner, steps)
    expect(run.status).toBe('SUCCEEDED')
    expect(received.map((one) => one.headers['authorization'])).toEqual(['Bearer s3cret-of-the-shop'])
    expect(JSON.stringify(run)).not.toContain('s3cret-of-the-shop')
  })
})
