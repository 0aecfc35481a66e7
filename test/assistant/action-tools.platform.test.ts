import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { answerJson, Service } from '../extensions/service.ts'
import { Platform, type Member } from '../platform.ts'
import { answered, type Call } from './answered.fixture.ts'

const server = new ChatServer()
let service: Service
let platform: Platform
let owner: Member
let ann: Member
let accountId: string

beforeAll(async () => {
  service = await Service.start()
  const url = await server.start()
  platform = new Platform({ MODEL_URL: url, MODEL_NAME: 'writer-1', OUTBOUND_ALLOW: '127.0.0.0/8' })
  await platform.open()
})
afterAll(async () => {
  await platform.close()
  server.stop()
  service.close()
})
beforeEach(async () => {
  server.asked.length = 0
  service.take()
  service.respond = (res) => answerJson(res, 200, { stock: 14 })
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  ann = await platform.member({ organizationId: owner.organizationId })
  accountId = (await account(ann, { name: 'Halvorsen Marine' })).id
})

const inputSchema = {
  type: 'object',
  properties: { sku: { type: 'string', maxLength: 40 } },
  required: ['sku'],
  additionalProperties: false,
}
const values = (given: object) => ({
  apiName: 'check_stock',
  label: 'Check the stock',
  toolDescription: 'Returns the stock of a product.',
  url: `${service.origin}/stock`,
  inputSchema,
  outputSchema: { type: 'object' },
  kind: 'READ',
  exposeAsTool: true,
  ...given,
})
async function anAction(given: object = {}) {
  const { status, body } = await owner.rest.customActionCreate!({ body: values(given) })
  expect([status, body.errors]).toEqual([201, undefined])
  return body as { readonly id: string; readonly apiName: string }
}
const ordering = { apiName: 'order_part', label: 'Order a part', kind: 'WRITE', url: '' }
const anOrdering = (given: object = {}) => anAction({ ...ordering, url: `${service.origin}/orders`, ...given })
async function aFunction(source: string, given: object = {}) {
  const body = { apiName: `f_${newId().slice(-12)}`, name: 'F', language: 'javascript', source, ...given }
  const answer = await owner.rest.serverlessFunctionCreate!({ body })
  expect(answer.status).toBe(201)
  return answer.body.apiName as string
}

const input = { sku: 'A-100' }
const check: Call = ['action_check_stock', { input }]
const order: Call = ['action_order_part', { input }]
const reading: Call = ['search', { text: 'Halvorsen' }]
const told = (content: string, calls: readonly Call[], member = ann) => answered(server, member, content, calls)
const offered = () =>
  server.asked[0]!.tools!.map(({ function: { name } }) => name).filter((name) => name.startsWith('action_'))
const proposalOf = async (id: unknown, member = ann) => (await member.rest.proposal!({ id: id as string })).body
const proposals = async () => (await ann.rest.proposalList!()).body as readonly object[]
async function proposed(call = order, content = 'Order a part A-100'): Promise<string> {
  const { results } = await told(content, [call])
  expect(results).toMatchObject([{ status: 'PENDING' }])
  return results[0]!['proposalId'] as string
}
const confirm = (id: string, member = ann) => member.rest.proposalConfirm!({ id })

describe('an action that reads', () => {
  it('is a tool of the model, runs at once as the caller, and its result is not trusted', async () => {
    await anAction()
    const { answer, results } = await told('How many A-100 are in stock?', [
      ['action_check_stock', { recordId: accountId, input }],
    ])
    expect(results).toEqual([{ untrusted: true, status: 'SUCCEEDED', output: { stock: 14 } }])
    expect(answer.toolCalls).toMatchObject([{ name: 'action_check_stock', status: 'OK', output: { rows: 0 } }])
    expect(service.take().map(({ path, text }) => [path, JSON.parse(text)])).toEqual([
      ['/stock', { action: 'check_stock', recordId: accountId, objectType: 'ACCOUNT', input }],
    ])
    const tool = server.asked[0]!.tools!.find(({ function: { name } }) => name === 'action_check_stock') as unknown as {
      function: { description: string; parameters: object }
    }
    expect(tool.function.description).toContain('Check the stock. Returns the stock of a product.')
    expect(tool.function.parameters).toMatchObject({ required: ['input'], properties: { input: inputSchema } })
    expect(await proposals()).toEqual([])
  })

  it('sends nothing after texts of others were read, before its user confirms what is sent', async () => {
    await anAction()
    const { results } = await told('Check the stock of A-100 for Halvorsen Marine', [reading, check])
    expect([results[1], service.take()]).toMatchObject([{ status: 'PENDING' }, []])
    const id = results[1]!['proposalId'] as string
    expect(await proposalOf(id)).toMatchObject({
      mutation: 'customActionExecute',
      input: { recordId: null, input },
      influencedBy: [{ entityId: accountId }],
    })
    expect((await confirm(id)).body).toMatchObject({ status: 'CONFIRMED', output: { stock: 14 } })
    expect(service.take()).toHaveLength(1)
    // Its own answer is text of others, too.
    const twice = await told('Check the stock of A-100 twice', [check, check])
    expect(twice.results).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'PENDING' }])
    expect(service.take()).toHaveLength(1)
  })

  it('sends nothing either when the page has told the name of a record, or a proposal has', async () => {
    await anAction()
    const page = { entityType: 'ACCOUNT', entityId: accountId, entityName: 'Halvorsen Marine' }
    const onPage = await answered(server, ann, 'Check the stock of A-100', [check], page)
    expect([onPage.results[0], service.take()]).toMatchObject([{ status: 'PENDING' }, []])
    const input = { description: 'Wants A-100' }
    const change: Call = ['propose_change', { action: 'update', object: 'account', id: accountId, input }]
    const { results } = await told(`Note at ${accountId} that it wants A-100, then check the stock`, [change, check])
    expect([results, service.take()]).toMatchObject([
      [{ untrusted: true, status: 'PENDING' }, { status: 'PENDING' }],
      [],
    ])
  })

  it('runs then only as a function that cannot send anything out', async () => {
    const source = 'export default ({ input }) => ({ got: input.sku })'
    const results = async (apiName: string, name: string) => {
      await anAction({ apiName, label: `Look ${apiName}`, url: null, function: name })
      return (await told(`Look ${apiName} for Halvorsen Marine`, [reading, [`action_${apiName}`, { input }]]))
        .results[1]
    }
    expect(await results('own', await aFunction(source))).toMatchObject({ output: { got: 'A-100' } })
    expect(await results('reader', await aFunction(source, { scopes: ['READ_ACCOUNTS'] }))).toMatchObject({
      output: { got: 'A-100' },
    })
    const open = [
      [source, { allowedHosts: ['api.example.com'] }],
      [source, { scopes: ['WRITE_TASKS'] }],
      ['export default (_, { credentials }) => ({ got: typeof credentials.fetch })', {}],
    ] as const
    for (const [index, [code, given]] of open.entries())
      expect(await results(`open_${index}`, await aFunction(code, given))).toMatchObject({ status: 'PENDING' })
  })

  it('that fails, answers too much or never ends is an error of its call, while others are answered', async () => {
    const { id } = await anAction({ timeoutMs: 500 })
    const failing = async (respond: Service['respond']) => {
      service.respond = respond
      const { answer, results } = await told('How many A-100 are in stock?', [check])
      expect(answer).toMatchObject({ status: 'COMPLETED', toolCalls: [{ status: 'ERROR' }] })
      return results[0]
    }
    expect(await failing((res) => answerJson(res, 500, {}))).toMatchObject({
      untrusted: true,
      status: 'FAILED',
      error: { code: 'STATUS' },
    })
    expect(await failing((res) => answerJson(res, 200, { text: 'x'.repeat(20_000) }))).toEqual({
      error: 'The result is too large; ask for fewer records or fields.',
    })
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    const [hung, other] = await Promise.all([
      failing(() => {}),
      stranger.rest.accountCreate!({ body: { name: 'Elsewhere' } }),
    ])
    expect([hung, other.status]).toMatchObject([{ error: { code: 'NO_ANSWER' } }, 201])
    const wrong = await told('How many?', [['action_check_stock', { input: { sku: 7 } }]])
    expect(wrong.results).toEqual([{ error: expect.stringContaining('input.sku') }])
    const unknown = await told('How many?', [['action_check_stock', { recordId: newId(), input }]])
    expect(unknown.results).toEqual([{ error: expect.stringContaining('record') }])
    expect((await owner.rest.customAction!({ id })).body.version).toBe(1)
  })
})

describe('an action that writes', () => {
  it('is proposed, and runs once when its user confirms it, also for several confirmations at once', async () => {
    await anOrdering()
    const id = await proposed(['action_order_part', { recordId: accountId, input }])
    expect(service.take()).toEqual([])
    expect(await proposalOf(id)).toMatchObject({
      entityType: 'CUSTOM_ACTION',
      summary: 'Run Order a part (order_part) for account Halvorsen Marine',
      input: { recordId: accountId, input },
      before: null,
      expectedVersion: 1,
      output: null,
      status: 'PENDING',
    })
    const answers = await Promise.all([confirm(id), confirm(id), confirm(id)])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    expect(answers.find(({ status }) => status === 200)!.body).toMatchObject({
      status: 'CONFIRMED',
      output: { stock: 14 },
    })
    expect((await confirm(id)).body.code).toBe('INVALID_STATE')
    expect(service.take()).toHaveLength(1)
  })

  it('whose process was killed runs again only if it is idempotent, and then with the same key', async () => {
    await anOrdering()
    await anOrdering({ apiName: 'book_part', label: 'Book a part', idempotent: true })
    const killed = async (id: string) => {
      expect((await confirm(id)).body).toMatchObject({ status: 'CONFIRMED' })
      await platform.query('delete from kernel.idempotency where credential_id = $1', [`proposal:${id}`])
      await platform.query(
        `update assistant.proposal set status = 'PENDING', decided_at = null, output = null where id = $1`,
        [id],
      )
      expect((await confirm(id)).body.code).toBe('IDEMPOTENCY_IN_PROGRESS')
      expect((await ann.rest.proposalReject!({ id })).status).toBe(409)
      platform.advanceClock(61_000)
      return (await confirm(id)).body
    }
    expect(await killed(await proposed())).toMatchObject({ status: 'FAILED', errorCode: 'INTERRUPTED', output: null })
    expect(service.take()).toHaveLength(1)
    const again = await proposed(['action_book_part', { input }])
    expect(await killed(again)).toMatchObject({ status: 'CONFIRMED', output: { stock: 14 } })
    const keys = service.take().map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  it('that fails makes its proposal FAILED', async () => {
    await anOrdering()
    service.respond = (res) => answerJson(res, 503, {})
    const failed = await confirm(await proposed())
    expect([failed.status, failed.body]).toMatchObject([200, { status: 'FAILED', errorCode: 'STATUS', output: null }])
    expect(service.take()).toHaveLength(1)
  })

  it('can be proposed after texts of others only if the user has named it and all of its records', async () => {
    await anOrdering()
    const other = (await account(ann, { name: 'Quiet Harbour' })).id
    const result = async (content: string, call: Call) => (await told(content, [reading, call])).results[1]
    expect(await result('Summarize Halvorsen Marine', order)).toMatchObject({ error: expect.stringContaining('named') })
    const about = (recordId: string): Call => ['action_order_part', { recordId, input }]
    expect(await result('Order a part for Halvorsen Marine', about(other))).toMatchObject({
      error: expect.stringContaining('a record that the user has named'),
    })
    expect(await result('Order a part', ['action_order_part', { input: { sku: other } }])).toMatchObject({
      error: expect.stringContaining('records that the user has named'),
    })
    expect(await proposals()).toEqual([])
    expect(await result('Order a part for Halvorsen Marine', about(accountId))).toMatchObject({ status: 'PENDING' })
    expect(await result('order_part please', order)).toMatchObject({ status: 'PENDING' })
    expect(service.take()).toEqual([])
  })

  it('gets no more input than a person reads', async () => {
    await anOrdering({ inputSchema: { type: 'object' } })
    const { results } = await told('Order a part', [['action_order_part', { input: { text: 'x'.repeat(4_000) } }]])
    expect(results).toEqual([{ error: expect.stringContaining('at most 4000 characters') }])
    expect(await proposals()).toEqual([])
  })

  it('shows what it has returned only to a user who sees as much as then', async () => {
    await anOrdering()
    const id = await proposed(['action_order_part', { recordId: accountId, input }])
    await confirm(id)
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { account: { annualRevenue: 'HIDDEN' } } as never
    await assignProfile(ctx, ann.userId, (await createProfile(ctx, { name: 'No revenue', fields })).id)
    expect(await proposalOf(id)).toMatchObject({ status: 'CONFIRMED', output: null, summary: 'Run a custom action' })
  })
})

describe('an action that is no tool any more', () => {
  const changes: readonly (readonly [string, (id: string) => Promise<unknown>, string, string])[] = [
    ['disabled', (id) => owner.rest.customActionUpdate!({ id, body: { isActive: false } }), 'INVALID_STATE', 'off'],
    [
      'kept from users',
      (id) => owner.rest.customActionUpdate!({ id, body: { allowManual: false } }),
      'INVALID_STATE',
      'allowManual',
    ],
    [
      'not exposed',
      (id) => owner.rest.customActionUpdate!({ id, body: { exposeAsTool: false } }),
      'INVALID_STATE',
      'exposeAsTool',
    ],
    ['deleted', (id) => owner.rest.customActionDelete!({ id }), 'NOT_FOUND', 'custom action'],
  ]
  it.each(changes)(
    'because it is %s is refused at the call and at the confirmation',
    async (_, change, code, words) => {
      const { id } = await anOrdering()
      const proposalId = await proposed()
      await change(id)
      server.asked.length = 0
      const { results } = await told('Order a part A-100', [order])
      expect([offered(), results]).toEqual([[], [{ error: expect.stringContaining(words) }]])
      const refused = await confirm(proposalId)
      expect([refused.body.code, refused.body.detail]).toEqual([code, expect.stringContaining(words)])
      expect(await proposalOf(proposalId)).toMatchObject({ status: 'FAILED', errorCode: code })
      expect(service.take()).toEqual([])
    },
  )

  it('as it was proposed makes its proposal STALE', async () => {
    const { id } = await anOrdering()
    const proposalId = await proposed()
    await owner.rest.customActionUpdate!({ id, body: { url: `${service.origin}/elsewhere` } })
    expect((await confirm(proposalId)).body.code).toBe('VERSION_CONFLICT')
    expect(await proposalOf(proposalId)).toMatchObject({ status: 'STALE' })
    expect(service.take()).toEqual([])
  })
})

describe('the list of actions', () => {
  it('has the first 32 by name that the caller may run', async () => {
    await anAction({ apiName: 'a0' })
    await anOrdering({ apiName: 'a1' })
    for (let index = 10; index < 43; index++) await anAction({ apiName: `c${index}` })
    const names = async (options: object) => {
      server.asked.length = 0
      await told('Hello', [], await platform.member({ organizationId: owner.organizationId, ...options }))
      return offered().map((name) => name.slice('action_'.length))
    }
    const all = await names({})
    expect([all.length, all.slice(0, 3), all.at(-1)]).toEqual([32, ['a0', 'a1', 'c10'], 'c39'])
    expect((await names({ role: 'READ_ONLY' })).slice(0, 2)).toEqual(['a0', 'c10'])
    expect(await names({ organizationId: await platform.organization('Other') })).toEqual([])
  })

  it('has at most 32 KB, without those that do not fit', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => [`p${index}`, { description: 'd'.repeat(1_000) }] as const)
    const large = { type: 'object', properties: Object.fromEntries(texts) }
    for (const apiName of ['b0', 'b1', 'b2']) await anAction({ apiName, inputSchema: large })
    await anAction({ apiName: 'c0' })
    await told('Hello', [])
    expect(offered()).toEqual(['action_b0', 'action_b1', 'action_c0'])
  })
})
