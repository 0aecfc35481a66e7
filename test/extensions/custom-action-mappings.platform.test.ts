import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAction } from '../../subgraphs/extensions/action/run-action.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { actingCaller } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { field, problemsOf } from './custom-fields.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { answerJson, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let service: Service
let owner: Member
let actions = 0

beforeAll(async () => {
  service = await Service.start()
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  await field(owner, { name: 'stock', fieldType: 'NUMBER' })
  await field(owner, {
    name: 'twice',
    fieldType: 'FORMULA',
    formulaConfig: { expression: 'customFields.stock * 2', returnType: 'NUMBER' },
  })
  await settleFieldChanges(platform)
})
afterAll(() => service.close())
beforeEach(() => {
  service.take()
  service.respond = (res) => answerJson(res, 200, { stock: 14, place: { city: 'Bergen' } })
})

const open = { type: 'object', properties: { sku: {}, name: {}, extra: {}, list: {} } }
const values = (given: object = {}) => ({
  apiName: `mapped_${++actions}`,
  label: 'Check the stock',
  url: `${service.origin}/stock`,
  inputSchema: open,
  outputSchema: { type: 'object' },
  objectTypes: ['ACCOUNT'],
  ...given,
})
async function anAction(given: object): Promise<string> {
  const { status, body } = await owner.rest['customActionCreate']!({ body: values(given) })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}
async function anAccount(given: object = {}): Promise<string> {
  const { status, body } = await owner.rest['accountCreate']!({ body: { name: 'Acme', ...given } } as never)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}
const executed = (id: string, recordId: string, more: object = {}, who = owner) =>
  who.rest['customActionExecute']!({ id, body: { recordId, ...more } } as never)
const account = async (id: string) => (await owner.rest['account']!({ id })).body
const inputs = () =>
  service.take().flatMap(({ path, text }) => (path === '/stock' ? [JSON.parse(text).input as object] : []))
/** The changes of a record, as lists of fields. */
const changes = async (id: string) =>
  (
    await platform.query<{ fields: string[] }>(
      `select data->'changedFields' as fields from kernel.event where record_id = $1 and type = 'account.updated' order by id`,
      [id],
    )
  ).map(({ fields }) => fields)
/** The rows that a change of anything would add. */
const written = () =>
  platform.query('select count(*)::int as events from kernel.event where organization_id = $1', [owner.organizationId])
async function restricted(fields: Record<string, 'HIDDEN' | 'READ'>, role: 'MEMBER' | 'ADMIN' = 'MEMBER') {
  const { organizationId } = owner
  const member = await platform.member({ organizationId, role })
  const ctx = systemContext(platform.services, organizationId)
  const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields: { account: fields } })
  await assignProfile(ctx, member.userId, profile.id)
  return member
}

describe('inputMapping', () => {
  it('adds fields of the record and literals to the input, and a lone output keeps its JSON type', async () => {
    const id = await anAction({
      inputMapping: {
        sku: 'A-{{record.name | upcase}}',
        name: '{{record.numberOfEmployees}}',
        extra: { region: 'north', stock: '{{ record.customFields.stock }}', twice: '{{record.customFields.twice}}' },
        list: ['{{record.annualRevenue}}', 7, true, null],
      },
    })
    const record = await anAccount({ numberOfEmployees: 40, annualRevenue: 1250.5, customFields: { stock: 3 } })
    expect((await executed(id, record)).body).toMatchObject({ status: 'SUCCEEDED' })
    const mapped = {
      sku: 'A-ACME',
      name: 40,
      extra: { region: 'north', stock: 3, twice: 6 },
      list: [1250.5, 7, true, null],
    }
    expect(inputs()).toEqual([mapped])
    expect((await executed(id, record, { input: { sku: 'given', extra: null } })).body).toMatchObject({
      status: 'SUCCEEDED',
    })
    expect(inputs()).toEqual([{ ...mapped, sku: 'given', extra: null }])
  })

  it('is the same by GraphQL', async () => {
    const { apiName, ...input } = values({ inputMapping: { name: '{{record.numberOfEmployees}}' } })
    const created = await owner.graphql(
      `mutation ($input: CustomActionCreateInput!) { customActionCreate(input: $input) { inputMapping outputMapping } }`,
      {
        input: { ...input, apiName, kind: 'WRITE', outputMapping: { industry: '{{output.place.city}}' } },
      },
    )
    expect(created.body).toEqual({
      data: {
        customActionCreate: {
          inputMapping: { name: '{{record.numberOfEmployees}}' },
          outputMapping: { industry: '{{output.place.city}}' },
        },
      },
    })
    const record = await anAccount({ numberOfEmployees: 5 })
    const done = await owner.graphql(
      `mutation ($id: String!, $record: ID!) { customActionExecute(id: $id, input: { recordId: $record }) { status } }`,
      { id: apiName, record },
    )
    expect(done.body).toEqual({ data: { customActionExecute: { status: 'SUCCEEDED' } } })
    expect(inputs()).toEqual([{ name: 5 }])
    expect((await account(record)).industry).toBe('Bergen')
  })

  it('gives nothing of what the record does not have or the profile of the caller hides, and the schema decides whether that may be', async () => {
    const mapping = { sku: '{{record.industry}}', name: '{{record.annualRevenue}}', extra: 'R{{record.annualRevenue}}' }
    const id = await anAction({ inputMapping: mapping })
    const member = await restricted({ annualRevenue: 'HIDDEN' })
    const record = await anAccount({ annualRevenue: 9_000_000, ownerId: member.userId })
    expect((await executed(id, record, {}, member)).status).toBe(200)
    expect(inputs()).toEqual([{ extra: 'R' }])
    expect((await executed(id, record)).status).toBe(200)
    expect(inputs()).toEqual([{ name: 9_000_000, extra: 'R9000000' }])
    const strict = await anAction({ inputMapping: mapping, inputSchema: { ...open, required: ['name'] } })
    expect(problemsOf(await executed(strict, record, {}, member))).toBe('400 VALIDATION_FAILED input.name REQUIRED')
    expect(inputs()).toEqual([])
  })

  it('needs the READ scope of the type, and outputMapping the WRITE scope, of who runs the action and of who makes it', async () => {
    const { organizationId } = owner
    const record = await anAccount()
    const reads = await anAction({ inputMapping: { sku: '{{record.name}}' } })
    const writes = await anAction({ outputMapping: { industry: '{{output.place.city}}' } })
    const key = (...scopes: string[]) => platform.member({ organizationId, role: 'ADMIN', scopes })
    const runner = await key('INVOKE_FUNCTIONS')
    const reader = await key('INVOKE_FUNCTIONS', 'READ_ACCOUNTS', 'WRITE_CUSTOM_ACTIONS', 'WRITE_WORKFLOWS')
    const before = await written()
    const insufficient = '403 API_KEY_SCOPE_INSUFFICIENT'
    expect(problemsOf(await executed(reads, record, {}, runner))).toBe(insufficient)
    expect(problemsOf(await executed(writes, record, {}, reader))).toBe(insufficient)
    const body = values({ outputMapping: { industry: '{{output.place.city}}' } })
    expect(problemsOf(await reader.rest['customActionCreate']!({ body }))).toBe(insufficient)
    const change = { id: reads, body: { outputMapping: { industry: 'x' } } }
    expect(problemsOf(await reader.rest['customActionUpdate']!(change))).toBe(insufficient)
    const { apiName } = (await owner.rest['customAction']!({ id: writes })).body
    const steps = [{ id: 'a', type: 'CUSTOM_ACTION', config: { actionApiName: apiName } }]
    const workflow = { name: 'Later', triggerType: 'MANUAL', triggerEntity: 'ACCOUNT', steps }
    expect(problemsOf(await reader.rest['workflowCreate']!({ body: workflow } as never))).toBe(insufficient)
    expect([inputs(), await written()]).toEqual([[], before])
    expect([(await executed(reads, record, {}, reader)).status, inputs()]).toEqual([200, [{ sku: 'Acme' }]])
  })
})

describe('outputMapping', () => {
  const outputMapping = {
    numberOfEmployees: '{{output.stock}}',
    industry: '{{output.stock}} in {{output.place.city}}',
    'customFields.stock': '{{ output.stock }}',
    website: '{{output.website}}',
    phone: '{{output.phone}}',
  }

  it('changes the record as its caller, once, with one event', async () => {
    const id = await anAction({ outputMapping })
    const record = await anAccount({ website: 'https://kept.example', phone: '1', customFields: { stock: 1 } })
    service.respond = (res) => answerJson(res, 200, { stock: 14, place: { city: 'Bergen' }, phone: null })
    const headers = { 'Idempotency-Key': newId() }
    const send = () => owner.rest['customActionExecute']!({ id, body: { recordId: record }, headers } as never)
    const [first, second] = [await send(), await send()]
    expect([first.status, first.body.status, second.body]).toEqual([200, 'SUCCEEDED', first.body])
    expect(inputs()).toEqual([{}])
    expect(await account(record)).toMatchObject({
      version: 2,
      numberOfEmployees: 14,
      industry: '14 in Bergen',
      website: 'https://kept.example',
      phone: null,
      customFields: { stock: 14, twice: 28 },
    })
    expect(await changes(record)).toHaveLength(1)
  })

  it('is refused before anything is sent to a caller who may not change one of the fields', async () => {
    const id = await anAction({ outputMapping })
    const record = await anAccount()
    for (const [name, level] of [
      ['industry', 'READ'],
      ['customFields.stock', 'HIDDEN'],
    ] as const) {
      const member = await restricted({ [name]: level })
      await platform.query('update crm.account set owner_id = $2 where id = $1', [record, member.userId])
      const answer = await executed(id, record, {}, member)
      expect(problemsOf(answer)).toBe(`403 FIELD_NOT_WRITABLE ${name} FIELD_NOT_WRITABLE`)
    }
    const reader = await platform.member({ organizationId: owner.organizationId, role: 'READ_ONLY' })
    expect((await executed(id, record, {}, reader)).status).toBe(403)
    expect([inputs(), await changes(record), (await account(record)).version]).toEqual([[], [], 1])
  })

  it('that the record refuses is a failed run, and leaves nothing', async () => {
    const record = await anAccount()
    const failed = (message: RegExp | string) => ({
      status: 'FAILED',
      output: null,
      error: { code: 'OUTPUT_NOT_WRITTEN', message: expect.stringMatching(message) as string },
    })
    const of = async (mapping: object, output: unknown) => {
      service.respond = (res) => answerJson(res, 200, output)
      return (await executed(await anAction({ outputMapping: mapping }), record)).body
    }
    const both = { phone: '7', industry: '{{output.a}}' }
    expect(await of(both, { a: 'x'.repeat(200_000) })).toEqual(failed('^industry must .*100'))
    expect(await of({ ...both, numberOfEmployees: '{{output.a}}' }, { a: 'many' })).toEqual(failed('numberOfEmployees'))
    expect(await of({ phone: '7', name: '{{output.a}}' }, { a: null })).toEqual(failed('^name'))
    const text = `{{output.a | replace: 'x', output.a}}`
    expect(await of({ industry: text }, { a: 'x'.repeat(20_000) })).toEqual(failed('^A text of outputMapping '))
    const rule = {
      entityType: 'ACCOUNT',
      name: 'Not 13',
      conditions: [{ field: 'numberOfEmployees', operator: 'EQUALS', value: 13 }],
      errorMessage: 'Thirteen are too many.',
    }
    expect((await owner.rest['validationRuleCreate']!({ body: rule } as never)).status).toBe(201)
    expect(await of({ numberOfEmployees: '{{output.a}}' }, { a: 13 })).toEqual(failed('^Thirteen are too many.$'))
    expect(await account(record)).toMatchObject({ version: 1, phone: null, industry: null })
  })

  it('lets the hooks of the record decide, and calls the action once', async () => {
    const id = await anAction({ outputMapping: { industry: 'Checked' } })
    const record = await anAccount()
    const hook = { objectType: 'ACCOUNT', name: 'Decide', operations: ['UPDATE'], url: `${service.origin}/hook` }
    const made = await owner.rest['beforeSaveHookCreate']!({ body: hook } as never)
    expect(made.status).toBe(201)
    let decision = 'REJECT'
    service.respond = (res, { path }) =>
      answerJson(res, 200, path === '/hook' ? { results: [{ decision, message: 'Not today.' }] } : { stock: 1 })
    expect((await executed(id, record)).body.error).toMatchObject({ code: 'OUTPUT_NOT_WRITTEN', message: 'Not today.' })
    expect((await account(record)).version).toBe(1)
    expect(service.take().map(({ path }) => path)).toEqual(['/stock', '/hook'])
    decision = 'ALLOW'
    expect((await executed(id, record)).body.status).toBe('SUCCEEDED')
    expect(service.take().map(({ path }) => path)).toEqual(['/stock', '/hook'])
    expect(await account(record)).toMatchObject({ version: 2, industry: 'Checked' })
    expect((await owner.rest['beforeSaveHookDelete']!({ id: made.body.id })).status).toBe(204)
  })

  it('is written once for all attempts of one cause', async () => {
    const id = await anAction({ outputMapping: { industry: '{{output.place.city}}' } })
    const record = await anAccount()
    const { organizationId, userId } = owner
    const origin = { kind: 'WORKFLOW', id: newId(), runId: newId() }
    const acting = { organizationId, userId, scopes: ['*'], runAsAdmin: true, origin, depth: 1 }
    const caller = (await actingCaller(platform.services.database, acting))!
    const start = { organizationId, actionId: id, recordId: record, input: {}, caller, depth: 2 }
    const run = (idempotencyKey: string) => runAction(platform.services, { ...start, idempotencyKey })
    expect((await run('run:1')).status).toBe('SUCCEEDED')
    expect((await owner.rest['accountUpdate']!({ id: record, body: { industry: 'Mine' } } as never)).status).toBe(200)
    // The process that ran the step died before it stored the outcome.
    expect((await run('run:1')).status).toBe('SUCCEEDED')
    expect((await account(record)).industry).toBe('Mine')
    expect((await run('run:2')).status).toBe('SUCCEEDED')
    expect((await account(record)).industry).toBe('Bergen')
    expect(await changes(record)).toHaveLength(3)
  })

  it('takes values as they are: neither outputs in them nor names of JavaScript mean anything', async () => {
    const mapping = { industry: '{{output.text}}', phone: '{{output.__proto__}}{{output.constructor}}' }
    const id = await anAction({ inputMapping: { sku: '{{record.website}}' }, outputMapping: mapping })
    const record = await anAccount({ website: '{{record.name}}', name: 'Secret' })
    service.respond = (res) =>
      void res
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"text": "{{record.name}}{% raw %}", "__proto__": {"a": 1}}')
    expect((await executed(id, record)).body.status).toBe('SUCCEEDED')
    expect(inputs()).toEqual([{ sku: '{{record.name}}' }])
    expect(await account(record)).toMatchObject({ industry: '{{record.name}}{% raw %}', phone: '{"a":1}' })
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })
})

describe('a mapping', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 1]))
  it.each<[name: string, given: object, problem: string]>([
    ['a list', { inputMapping: [1] }, 'inputMapping WRONG_TYPE'],
    ['an unknown input', { inputMapping: { other: 1 } }, 'inputMapping.other UNKNOWN_FIELD'],
    ['an inherited name', { inputMapping: { constructor: 1 } }, 'inputMapping.constructor UNKNOWN_FIELD'],
    ['51 names', { inputMapping: many }, 'inputMapping TOO_MANY'],
    ['many characters', { inputMapping: { sku: 'x'.repeat(16_384) } }, 'inputMapping TOO_LONG'],
    [
      'an unknown field',
      { inputMapping: { list: [{ a: '{{record.nothing}}' }] } },
      'inputMapping.list.0.a UNKNOWN_FIELD',
    ],
    [
      'an unknown custom field',
      { inputMapping: { sku: '{{record.customFields.none}}' } },
      'inputMapping.sku UNKNOWN_FIELD',
    ],
    ['the record as a whole', { inputMapping: { sku: '{{record}}' } }, 'inputMapping.sku UNKNOWN_FIELD'],
    ['all custom fields', { inputMapping: { sku: '{{record.customFields}}' } }, 'inputMapping.sku UNKNOWN_FIELD'],
    ['another root', { inputMapping: { sku: '{{user.name}}' } }, 'inputMapping.sku UNKNOWN_FIELD'],
    ['a name in brackets', { inputMapping: { sku: '{{record["name"]}}' } }, 'inputMapping.sku WRONG_FORMAT'],
    ['a name by a value', { inputMapping: { sku: '{{record[record.name]}}' } }, 'inputMapping.sku WRONG_FORMAT'],
    ['an internal field', { inputMapping: { sku: '{{record.__proto__}}' } }, 'inputMapping.sku UNKNOWN_FIELD'],
    ['an open output', { inputMapping: { sku: '{{record.name' } }, 'inputMapping.sku TEMPLATE_SYNTAX'],
    ['a tag', { inputMapping: { sku: '{% for i in (1..9) %}{{i}}{% endfor %}' } }, 'inputMapping.sku TAG_NOT_ALLOWED'],
    ['1,001 outputs', { inputMapping: { sku: '{{1}}'.repeat(1001) } }, 'inputMapping.sku TOO_MANY'],
    [
      'a field without a type',
      { objectTypes: [], inputMapping: { sku: '{{record.name}}' } },
      'inputMapping.sku NOT_TOGETHER',
    ],
    [
      'a field that one type lacks',
      { objectTypes: ['ACCOUNT', 'CONTACT'], inputMapping: { sku: '{{record.industry}}' } },
      'inputMapping.sku UNKNOWN_FIELD',
    ],
    ['an unknown field to change', { outputMapping: { nothing: 1 } }, 'outputMapping.nothing UNKNOWN_FIELD'],
    [
      'a field that nobody changes',
      { outputMapping: { createdAt: '{{output.a}}' } },
      'outputMapping.createdAt UNKNOWN_FIELD',
    ],
    ['a formula', { outputMapping: { 'customFields.twice': 1 } }, 'outputMapping.customFields.twice UNKNOWN_FIELD'],
    ['all custom fields at once', { outputMapping: { customFields: {} } }, 'outputMapping.customFields UNKNOWN_FIELD'],
    [
      'the record in the output',
      { outputMapping: { industry: '{{record.name}}' } },
      'outputMapping.industry UNKNOWN_FIELD',
    ],
    [
      'a part that no output has',
      {
        outputSchema: { type: 'object', properties: { a: {} }, additionalProperties: false },
        outputMapping: { industry: '{{output.b}}' },
      },
      'outputMapping.industry UNKNOWN_FIELD',
    ],
    ['a change by a READ action', { kind: 'READ', outputMapping: { industry: 'x' } }, 'outputMapping NOT_TOGETHER'],
    ['a change without a type', { objectTypes: [], outputMapping: { industry: 'x' } }, 'outputMapping NOT_TOGETHER'],
  ])('is refused with %s', async (_name, given, problem) => {
    expect(problemsOf(await owner.rest['customActionCreate']!({ body: values(given) }))).toBe(
      `400 VALIDATION_FAILED ${problem}`,
    )
  })

  it('is refused with the name __proto__, and when what it names is taken away', async () => {
    const text = JSON.stringify(values({ inputMapping: { X: 1 } })).replace('"X"', '"__proto__"')
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    const { status } = await fetch(`${platform.url}/v1/custom-actions`, { method: 'POST', headers, body: text })
    expect(status).toBe(400)
    const id = await anAction({ inputMapping: { sku: '{{record.industry}}' } })
    const update = (body: object) => owner.rest['customActionUpdate']!({ id, body } as never)
    const problem = '400 VALIDATION_FAILED inputMapping.sku UNKNOWN_FIELD'
    expect(problemsOf(await update({ objectTypes: ['ACCOUNT', 'CONTACT'] }))).toBe(problem)
    expect(problemsOf(await update({ inputSchema: { type: 'object' } }))).toBe(problem)
    expect((await update({ inputSchema: { type: 'object' }, inputMapping: null })).body.inputMapping).toBeNull()
  })

  it('is set up only by those who see all records and fields', async () => {
    const admin = await restricted({ annualRevenue: 'HIDDEN' }, 'ADMIN')
    const id = await anAction({ inputMapping: { sku: '{{record.annualRevenue}}' } })
    const denied = '403 PERMISSION_DENIED'
    for (const given of [{ inputMapping: { sku: '{{record.name}}' } }, { outputMapping: { industry: 'x' } }])
      expect(problemsOf(await admin.rest['customActionCreate']!({ body: values(given) }))).toBe(denied)
    const update = (body: object) => admin.rest['customActionUpdate']!({ id, body } as never)
    expect(problemsOf(await update({ url: `${service.origin}/mine` }))).toBe(denied)
    expect((await owner.rest['customAction']!({ id })).body).toMatchObject({
      url: `${service.origin}/stock`,
      version: 1,
    })
    expect((await update({ isActive: false })).status).toBe(200)
  })
})
