import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LanguageModel, ModelRequest } from '../../subgraphs/kernel/language-model/language-model.ts'
import { aSequence } from '../outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
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
        headers: { 'x-source': 'crm', 'idempotency-key': `${run.id}:send:1:1` },
      },
    ])
    for (const path of ['/broken', '/moved']) {
      const failed = await flows.ran(owner, [step('get', 'HTTP_REQUEST', { method: 'GET', url: url + path })])
      expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'HTTP_STATUS', stepId: 'get' } })
    }
    expect(received.map(({ path }) => path)).toEqual(['/orders?of=a+b', '/broken', '/moved'])
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
})
