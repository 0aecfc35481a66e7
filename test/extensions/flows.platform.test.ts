import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireInterviews, forgetInterviews } from '../../subgraphs/extensions/interview/interview.jobs.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { element, flowsOf, screen, variable } from './flows.fixture.ts'

const platform = usePlatform()
let flows: ReturnType<typeof flowsOf>
let owner: Member
let member: Member

beforeAll(() => {
  flows = flowsOf(platform)
})
beforeEach(async () => {
  const organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
})

const dayMs = 86_400_000
const accountsOf = (by: Member = owner) =>
  platform.query<{ name: string; version: number; owner_id: string }>(
    'select name, version, owner_id from crm.account where organization_id = $1 and deleted_at is null order by name',
    [by.organizationId],
  )
const names = async () => (await accountsOf()).map(({ name }) => name)
const createAccount = (name: string, connectors: object | null = null) =>
  element('create', 'CREATE_RECORD', { object: 'ACCOUNT', values: { name } }, connectors)
const setVariable = (name: string, to: string, value: unknown, connectors: object | null = null, operator = 'SET') =>
  element(name, 'ASSIGNMENT', { assignments: [{ variable: to, operator, value }] }, connectors)

async function account(by: Member, name: string): Promise<string> {
  const { status, body } = await by.rest['accountCreate']!({ body: { name } })
  expect(status).toBe(201)
  return body.id as string
}

const asking = () => [
  screen(
    'ask',
    [
      { name: 'company', label: 'Company', type: 'TEXT', required: true },
      { name: 'seats', label: 'Seats', type: 'NUMBER', minimum: 1, maximum: 50 },
    ],
    { next: 'big' },
  ),
  element(
    'big',
    'DECISION',
    { outcomes: [{ name: 'large', conditions: [{ field: 'ask.seats', operator: 'GREATER_THAN', value: 10 }] }] },
    { large: 'setLarge', default: 'confirm' },
  ),
  setVariable('setLarge', 'size', 'LARGE', { next: 'confirm' }),
  screen('confirm', [{ name: 'sure', label: 'Create {{ask.company}} as {{size}}?', type: 'CHECKBOX' }], {
    next: 'create',
  }),
  createAccount('{{ask.company}}', { next: 'done' }),
  setVariable('done', 'accountId', '{{create.id}}'),
]
const itsVariables = [
  variable('size', 'TEXT', { isInput: true, defaultValue: 'SMALL' }),
  variable('accountId', 'TEXT', { isOutput: true }),
]

describe('an interview', () => {
  it('asks by its screens, decides, and creates a record as its user', async () => {
    const { apiName, id: flowId } = await flows.activate(owner, asking(), { variables: itsVariables })
    const first = await flows.started(member, apiName)
    expect(first).toMatchObject({
      flowId,
      flowApiName: apiName,
      flowVersion: 1,
      status: 'WAITING_FOR_INPUT',
      currentElement: 'ask',
      variables: { size: 'SMALL', accountId: null },
      outputs: null,
      canGoBack: false,
      error: null,
      startedById: member.userId,
      version: 1,
      expiresAt: new Date(platform.now.getTime() + 7 * dayMs).toISOString(),
    })
    const field = {
      helpText: null,
      options: [],
      minimum: null,
      maximum: null,
      maxLength: null,
      object: null,
      value: null,
      error: null,
    }
    expect(first.screen).toEqual({
      title: 'Screen ask',
      help: null,
      allowPause: true,
      fields: [
        { ...field, name: 'company', label: 'Company', type: 'TEXT', required: true },
        { ...field, name: 'seats', label: 'Seats', type: 'NUMBER', required: false, minimum: 1, maximum: 50 },
      ],
    })
    const second = await flows.answered(member, first, { company: 'Nordwind', seats: 12 })
    expect(second).toMatchObject({
      currentElement: 'confirm',
      version: 2,
      canGoBack: true,
      variables: { size: 'LARGE' },
      screen: { fields: [{ label: 'Create Nordwind as LARGE?', value: null }] },
    })
    expect(await names()).toEqual([])
    const third = await flows.answered(member, second, { sure: true })
    expect(third).toMatchObject({
      status: 'COMPLETED',
      currentElement: null,
      screen: null,
      canGoBack: false,
      version: 3,
    })
    expect(await accountsOf()).toEqual([{ name: 'Nordwind', version: 1, owner_id: member.userId }])
    const [created] = await platform.query<{ id: string }>('select id from crm.account where organization_id = $1', [
      owner.organizationId,
    ])
    expect(third.outputs).toEqual({ accountId: created!.id })
    expect((await flows.read(member, third)).body).toEqual(third)
    const [event] = await platform.query<{ actor_id: string; origin: object }>(
      `select actor_id, origin from kernel.event where organization_id = $1 and type = 'account.created'`,
      [owner.organizationId],
    )
    expect(event).toEqual({ actor_id: member.userId, origin: { kind: 'FLOW', id: flowId, runId: first.id } })
  })

  it('refuses values that the fields do not take, with the screen, and changes nothing', async () => {
    const fields = [
      { name: 'company', label: 'Company', type: 'TEXT', required: true, maxLength: 5 },
      { name: 'seats', label: 'Seats', type: 'NUMBER', minimum: 1, maximum: 50 },
      { name: 'day', label: 'Day', type: 'DATE' },
      { name: 'at', label: 'At', type: 'DATETIME' },
      { name: 'sure', label: 'Sure', type: 'CHECKBOX' },
      { name: 'kind', label: 'Kind', type: 'PICKLIST', options: ['A', { value: 'B', label: 'Bee' }] },
      { name: 'kinds', label: 'Kinds', type: 'MULTI_PICKLIST', options: ['A', 'B'] },
      { name: 'mail', label: 'Mail', type: 'EMAIL' },
      { name: 'phone', label: 'Phone', type: 'PHONE' },
      { name: 'site', label: 'Site', type: 'URL' },
      { name: 'account', label: 'Account', type: 'LOOKUP', object: 'ACCOUNT' },
      { name: 'text', label: 'Read this', type: 'DISPLAY_TEXT' },
    ]
    const outputs = [variable('all', 'RECORD', { isOutput: true })]
    const { apiName } = await flows.activate(
      owner,
      [screen('ask', fields, { next: 'keep' }), setVariable('keep', 'all', '{{ask}}')],
      { variables: outputs },
    )
    const interview = await flows.started(member, apiName)
    const foreign = await account(
      await platform.member({ organizationId: await platform.organization(), role: 'OWNER' }),
      'Other',
    )
    const { status, body } = await flows.next(member, interview, {
      company: 'Nordwind',
      seats: 51,
      day: '2027-13-01',
      at: 'soon',
      sure: 'yes',
      kind: 'C',
      kinds: ['A', 'A'],
      mail: 'nobody',
      phone: 'x',
      site: 'javascript:alert(1)',
      account: foreign,
      text: 'x',
      other: 1,
    })
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect((body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)).toEqual([
      'values.company WRONG_VALUE',
      'values.seats WRONG_VALUE',
      'values.day WRONG_VALUE',
      'values.at WRONG_VALUE',
      'values.sure WRONG_VALUE',
      'values.kind WRONG_VALUE',
      'values.kinds WRONG_VALUE',
      'values.mail WRONG_VALUE',
      'values.phone WRONG_VALUE',
      'values.site WRONG_VALUE',
      'values.account UNKNOWN_REFERENCE',
      'values.text UNKNOWN_FIELD',
      'values.other UNKNOWN_FIELD',
    ])
    expect(body.screen.fields[1]).toMatchObject({
      name: 'seats',
      value: 51,
      error: 'Seats must be a number, at least 1, at most 50.',
    })
    expect((await flows.next(member, interview, {})).body.errors).toMatchObject([
      { path: 'values.company', code: 'REQUIRED' },
    ])
    expect((await flows.read(member, interview)).body).toEqual(interview)
    const own = await account(member, 'Own')
    const given = {
      company: 'North',
      seats: 50,
      day: '2027-03-01',
      at: '2027-03-01T08:00:00.000Z',
      sure: false,
      kind: 'B',
      kinds: ['B'],
      mail: 'ann@example.com',
      phone: '+49 30 1234',
      site: 'https://example.com',
      account: own,
    }
    expect(await flows.answered(member, interview, given)).toMatchObject({
      status: 'COMPLETED',
      outputs: { all: given },
    })
  })

  it('goes back to the values that the variables had, and leaves records', async () => {
    const { apiName } = await flows.activate(owner, asking(), { variables: itsVariables })
    const first = await flows.started(member, apiName)
    const second = await flows.answered(member, first, { company: 'Nordwind', seats: 12 })
    const { status, body } = await flows.back(member, second)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      currentElement: 'ask',
      version: 3,
      canGoBack: false,
      variables: { size: 'SMALL' },
      screen: {
        fields: [
          { name: 'company', value: 'Nordwind' },
          { name: 'seats', value: 12 },
        ],
      },
    })
    expect((await flows.back(member, body)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    const again = await flows.answered(member, body, { company: 'Nordwind', seats: 2 })
    expect(again.variables).toMatchObject({ size: 'SMALL' })

    const twice = await flows.ran(owner, [
      screen('one', ['a'], { next: 'create' }),
      createAccount('{{one.a}}', { next: 'two' }),
      screen('two', ['b'], { next: 'three' }),
      screen('three', ['c'], null, { allowBack: false }),
    ])
    const two = await flows.answered(owner, twice, { a: 'Kept' })
    const back = (await flows.back(owner, two)).body
    expect(back).toMatchObject({ currentElement: 'one' })
    expect(await names()).toEqual(['Kept'])
    const three = await flows.answered(owner, await flows.answered(owner, back, { a: 'New' }))
    expect(three).toMatchObject({ currentElement: 'three', canGoBack: false })
    expect((await flows.back(owner, three)).status).toBe(409)
    expect(await names()).toEqual(['Kept', 'New'])
  })

  it('answers a stale step with its current state, and does each step once when two come together', async () => {
    const { apiName } = await flows.activate(owner, asking(), { variables: itsVariables })
    const first = await flows.started(member, apiName)
    const second = await flows.answered(member, first, { company: 'Nordwind' })
    const stale = await flows.next(member, first, { company: 'Other' })
    expect([stale.status, stale.body.code, stale.body.currentVersion]).toEqual([409, 'VERSION_CONFLICT', 2])
    expect(stale.body.interview).toEqual(second)
    expect((await flows.back(member, first)).body.code).toBe('VERSION_CONFLICT')
    const answers = await Promise.all([flows.next(member, second), flows.next(member, second)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(answers.find(({ status }) => status === 409)!.body.interview).toMatchObject({
      status: 'COMPLETED',
      version: 3,
    })
    expect(await names()).toEqual(['Nordwind'])
    expect((await flows.next(member, { ...second, version: 3 })).body.code).toBe('INVALID_STATE')
  })

  it('writes its records and its state in one transaction', async () => {
    const { apiName } = await flows.activate(owner, [
      screen('ask', ['name'], { next: 'create' }),
      createAccount('{{ask.name}}'),
    ])
    const interview = await flows.started(member, apiName)
    await platform.query(
      `create function extensions.fails() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$`,
    )
    await platform.query(
      'create trigger fails before update on extensions.flow_interview for each row execute function extensions.fails()',
    )
    try {
      expect((await flows.next(member, interview, { name: 'Once' })).status).toBe(500)
    } finally {
      await platform.query('drop trigger fails on extensions.flow_interview')
      await platform.query('drop function extensions.fails')
    }
    expect(await names()).toEqual([])
    expect((await flows.read(member, interview)).body).toEqual(interview)
    expect(await flows.answered(member, interview, { name: 'Once' })).toMatchObject({ status: 'COMPLETED' })
    expect(await names()).toEqual(['Once'])
  })

  it('is paused and resumed by its user, and cancelled by owners too', async () => {
    const { apiName } = await flows.activate(owner, [
      screen('ask', ['name'], { next: 'last' }),
      screen('last', ['more'], null, { allowPause: false }),
    ])
    const interview = await flows.started(member, apiName)
    const paused = (await flows.verb(member, 'Pause', interview)).body
    expect(paused).toMatchObject({ status: 'PAUSED', screen: null, currentElement: 'ask', version: 2 })
    expect((await flows.next(member, paused)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    expect((await flows.verb(member, 'Pause', interview)).status).toBe(409)
    const resumed = (await flows.verb(member, 'Resume', interview)).body
    expect(resumed).toMatchObject({ status: 'WAITING_FOR_INPUT', screen: interview.screen, version: 3 })
    expect((await flows.verb(member, 'Resume', interview)).status).toBe(409)
    const last = await flows.answered(member, resumed)
    expect((await flows.verb(member, 'Pause', last)).body.code).toBe('INVALID_STATE')
    expect((await flows.verb(owner, 'Cancel', last)).body).toMatchObject({
      status: 'CANCELLED',
      variables: null,
      currentElement: null,
      endedAt: platform.now.toISOString(),
    })
    expect((await flows.verb(member, 'Cancel', last)).status).toBe(409)
  })

  it('keeps its version when the flow changes, and ends with it', async () => {
    const flow = await flows.activate(owner, [
      screen('ask', ['name'], { next: 'create' }),
      createAccount('{{ask.name}}'),
    ])
    const interview = await flows.started(member, flow.apiName)
    const other = await flows.started(member, flow.apiName)
    const { body: changed } = await owner.rest['flowUpdate']!({
      id: flow.id,
      body: { elements: [screen('ask', ['other'])] },
    })
    expect(changed).toMatchObject({ flowVersion: 2, status: 'ACTIVE' })
    expect(await flows.started(member, flow.apiName)).toMatchObject({ flowVersion: 2 })
    expect(await flows.answered(member, interview, { name: 'Old' })).toMatchObject({
      status: 'COMPLETED',
      flowVersion: 1,
    })
    expect(await names()).toEqual(['Old'])
    expect((await owner.rest['flowDeactivate']!({ id: flow.id })).body).toMatchObject({ status: 'OBSOLETE' })
    expect((await flows.start(member, flow.apiName)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    expect((await owner.rest['flowDelete']!({ id: flow.id })).status).toBe(204)
    expect((await flows.read(member, other)).body).toMatchObject({ status: 'CANCELLED' })
    expect((await flows.start(member, flow.apiName)).status).toBe(404)
  })

  it('expires after 7 days without a step, and is deleted 30 days later', async () => {
    const interview = await flows.ran(owner, [screen('ask', ['name'])])
    platform.advanceClock(7 * dayMs - 1)
    await expireInterviews.run(platform.services)
    expect((await flows.read(owner, interview)).body).toMatchObject({ status: 'WAITING_FOR_INPUT' })
    platform.advanceClock(1)
    expect((await flows.next(owner, interview)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    await expireInterviews.run(platform.services)
    expect((await flows.read(owner, interview)).body).toMatchObject({
      status: 'EXPIRED',
      screen: null,
      currentElement: null,
      endedAt: platform.now.toISOString(),
    })
    platform.advanceClock(30 * dayMs + 1)
    await forgetInterviews.run(platform.services)
    expect((await flows.read(owner, interview)).status).toBe(404)
  })

  it('is tried without effect by a dry run', async () => {
    const { apiName } = await flows.activate(owner, [
      screen('ask', ['name'], { next: 'create' }),
      createAccount('{{ask.name}}'),
    ])
    const interview = await flows.started(member, apiName)
    const { status, body } = await member.rest['flowInterviewNext']!({
      id: interview.id,
      body: { version: 1, values: { name: 'Tried' } },
      headers: { Prefer: 'dry-run' },
    })
    expect([status, body.status]).toEqual([200, 'COMPLETED'])
    expect(await names()).toEqual([])
    expect((await flows.read(member, interview)).body).toEqual(interview)
  })
})

describe('who runs an interview', () => {
  it('sees all of it, owners and admins that it exists, others nothing', async () => {
    const { apiName, id: flowId } = await flows.activate(owner, asking(), { variables: itsVariables })
    const interview = await flows.started(member, apiName, { size: 'SECRET' })
    const seen = { ...interview, screen: null, variables: null }
    expect((await flows.read(owner, interview)).body).toEqual(seen)
    const list = async (by: Member, query: Record<string, string> = {}) =>
      (await by.rest['flowInterviewList']!({ query })).body.data
    expect(await list(owner, { flowId })).toEqual([seen])
    expect(await list(member)).toEqual([interview])
    expect(await list(owner, { startedById: owner.userId })).toEqual([])
    expect(await list(owner, { status: 'PAUSED' })).toEqual([])
    const colleague = await platform.member({ organizationId: owner.organizationId })
    const foreigner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    for (const other of [colleague, foreigner]) {
      expect((await flows.read(other, interview)).status).toBe(404)
      expect((await flows.next(other, interview, { company: 'x' })).status).toBe(404)
      expect((await flows.back(other, interview)).status).toBe(404)
      for (const verb of ['Pause', 'Resume', 'Cancel'] as const)
        expect((await flows.verb(other, verb, interview)).status).toBe(404)
      expect(await list(other)).toEqual([])
    }
    expect((await flows.next(owner, interview, { company: 'x' })).status).toBe(404)
    expect((await flows.start(foreigner, apiName)).status).toBe(404)
    const reader = await platform.member({ organizationId: owner.organizationId, role: 'READ_ONLY' })
    expect((await flows.start(reader, apiName)).body).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
  })

  it('needs the scope of each record element; without it the element fails', async () => {
    const { apiName } = await flows.activate(owner, [
      screen('ask', ['name'], { next: 'create' }),
      createAccount('{{ask.name}}', { fault: 'sorry' }),
      screen('sorry', [{ name: 'why', label: '{{create.error.code}}', type: 'DISPLAY_TEXT' }], { next: 'get' }),
      element('get', 'GET_RECORDS', { object: 'CONTACT' }),
    ])
    const { organizationId } = owner
    const reading = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS', 'READ_CONTACTS'] })
    const refused = await flows.answered(reading, await flows.started(reading, apiName), { name: 'x' })
    expect(refused).toMatchObject({
      status: 'WAITING_FOR_INPUT',
      currentElement: 'sorry',
      screen: { fields: [{ label: 'API_KEY_SCOPE_INSUFFICIENT' }] },
    })
    expect(await flows.answered(reading, refused)).toMatchObject({ status: 'COMPLETED' })
    const writing = await platform.member({ organizationId, scopes: ['WRITE_ACCOUNTS'] })
    const written = await flows.answered(writing, await flows.started(writing, apiName), { name: 'Written' })
    expect(written).toMatchObject({ status: 'COMPLETED' })
    const { apiName: reads } = await flows.activate(owner, [element('get', 'GET_RECORDS', { object: 'CONTACT' })])
    expect(await flows.started(writing, reads)).toMatchObject({
      status: 'FAILED',
      currentElement: 'get',
      error: {
        code: 'API_KEY_SCOPE_INSUFFICIENT',
        message: 'The API key lacks the scope READ_CONTACTS.',
        element: 'get',
      },
    })
    expect(await names()).toEqual(['Written'])
    const administrator = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_ACCOUNTS'] })
    expect((await flows.save(administrator, [createAccount('x')])).body).toMatchObject({
      code: 'API_KEY_SCOPE_INSUFFICIENT',
      missingScopes: ['WRITE_ACCOUNTS'],
    })
  })

  it('gets and changes only records that are visible', async () => {
    await account(owner, 'Of the owner')
    const id = await account(owner, 'Hidden')
    const own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    await account(own, 'Own')
    const variables = [
      variable('found', 'TEXT', { isCollection: true, isOutput: true }),
      variable('id', 'TEXT', { isInput: true }),
    ]
    const elements = [
      element(
        'get',
        'GET_RECORDS',
        { object: 'ACCOUNT', orderBy: { field: 'name' }, fields: ['name'] },
        { next: 'each' },
      ),
      element('each', 'LOOP', { items: '{{get.records}}' }, { body: 'add', next: 'change' }),
      setVariable('add', 'found', '{{each.item.name}}', { next: 'each' }, 'APPEND'),
      element(
        'change',
        'UPDATE_RECORD',
        { object: 'ACCOUNT', recordId: '{{id}}', values: { name: 'Changed' } },
        { fault: 'end' },
      ),
      setVariable('end', 'found', '{{change.error.code}}', null, 'APPEND'),
    ]
    const { apiName } = await flows.activate(owner, elements, { variables })
    expect(await flows.started(own, apiName, { id })).toMatchObject({
      status: 'COMPLETED',
      outputs: { found: ['Own', 'NOT_FOUND'] },
    })
    expect(await flows.started(owner, apiName, { id })).toMatchObject({
      outputs: { found: ['Hidden', 'Of the owner', 'Own'] },
    })
    expect(await names()).toEqual(['Changed', 'Of the owner', 'Own'])
  })

  it('gets nothing of fields that the profile hides, and cannot write those that it must not', async () => {
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { account: { website: 'HIDDEN', industry: 'READ' } } as const
    const { id: profileId } = await createProfile(ctx, { name: 'Sales', fields } as never)
    await assignProfile(ctx, member.userId, profileId)
    await owner.rest['accountCreate']!({ body: { name: 'Nordwind', website: 'https://secret.example.com' } })
    const variables = [variable('out', 'RECORD', { isOutput: true })]
    const { apiName } = await flows.activate(
      owner,
      [
        element('get', 'GET_RECORDS', { object: 'ACCOUNT', fields: ['name', 'website'] }, { next: 'keep' }),
        setVariable('keep', 'out', '{{get.record}}', { next: 'write' }),
        element('write', 'UPDATE_RECORD', {
          object: 'ACCOUNT',
          recordId: '{{get.record.id}}',
          values: { industry: 'Shipping' },
        }),
      ],
      { variables },
    )
    await expect
      .poll(() => flows.started(member, apiName))
      .toMatchObject({
        status: 'FAILED',
        variables: { out: { name: 'Nordwind', website: null } },
        error: { code: 'FIELD_NOT_WRITABLE', element: 'write' },
      })
    const { apiName: searching } = await flows.activate(owner, [
      element('get', 'GET_RECORDS', { object: 'ACCOUNT', filter: { website: { startsWith: 'https' } } }),
    ])
    expect(await flows.started(member, searching)).toMatchObject({ error: { code: 'FIELD_NOT_READABLE' } })
  })
})

describe('elements', () => {
  it('loop, count and collect in turns, and continue by themselves when a request has done its part', async () => {
    const elements = [
      element('each', 'LOOP', { items: '{{list}}' }, { body: 'create', next: 'last' }),
      element(
        'create',
        'CREATE_RECORD',
        { object: 'ACCOUNT', values: { name: 'Account {{each.index}} {{each.item}}' } },
        { next: 'count' },
      ),
      element(
        'count',
        'ASSIGNMENT',
        {
          assignments: [
            { variable: 'total', operator: 'ADD', value: '{{each.item}}' },
            { variable: 'rest', operator: 'SUBTRACT', value: 0.1 },
          ],
        },
        { next: 'each' },
      ),
      screen('last', [{ name: 'sum', label: '{{total}} of {{each.count}}', type: 'DISPLAY_TEXT' }]),
    ]
    const variables = [
      variable('list', 'NUMBER', { isCollection: true, isInput: true }),
      variable('total', 'NUMBER', { defaultValue: 0 }),
      variable('rest', 'NUMBER', { defaultValue: 0.3 }),
    ]
    const { apiName } = await flows.activate(owner, elements, { variables })
    const interview = await flows.started(member, apiName, { list: Array.from({ length: 17 }, (_, index) => index) })
    expect(interview).toMatchObject({ status: 'RUNNING', currentElement: 'create', resumesAt: null })
    expect(await names()).toHaveLength(15)
    expect((await flows.next(member, interview)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    await flows.work()
    const { body } = await flows.read(member, interview)
    expect(body).toMatchObject({
      status: 'WAITING_FOR_INPUT',
      version: 2,
      screen: { fields: [{ label: '136 of 17' }] },
    })
    expect(await names()).toHaveLength(17)
    const empty = await flows.started(member, apiName, { list: [] })
    expect(empty).toMatchObject({ status: 'WAITING_FOR_INPUT', variables: { rest: 0.3 } })
    const two = await flows.started(member, apiName, { list: [1, 2] })
    expect(two).toMatchObject({ variables: { total: 3, rest: 0.1 } })
  })

  it('end an interview that executes too many of them or remembers too much', async () => {
    const turning = await flows.ran(
      owner,
      [setVariable('one', 'a', 'x', { next: 'two' }), setVariable('two', 'a', 'y', { next: 'one' })],
      { variables: [variable('a')] },
    )
    expect(turning).toMatchObject({ status: 'RUNNING' })
    for (let turn = 0; turn < 12; turn++) await flows.work()
    expect((await flows.read(owner, turning)).body).toMatchObject({
      status: 'FAILED',
      error: { code: 'STEP_LIMIT_REACHED', message: 'An interview executes at most 5000 elements.' },
    })
    const growing = await flows.ran(owner, [setVariable('grow', 'a', '{{a}}{{a}}x', { next: 'grow' })], {
      variables: [variable('a')],
    })
    expect(growing).toMatchObject({ status: 'FAILED', error: { code: 'WRONG_TYPE', element: 'grow' } })
    const collecting = await flows.ran(
      owner,
      [
        setVariable('fill', 'a', 'x'.repeat(9_000), { next: 'add' }),
        setVariable('add', 'all', '{{a}}', { next: 'add' }, 'APPEND'),
      ],
      { variables: [variable('a'), variable('all', 'TEXT', { isCollection: true })] },
    )
    expect(collecting).toMatchObject({ status: 'FAILED', error: { code: 'STATE_TOO_LARGE', element: null } })
  })

  it('wait, survive a restart, and go on with the rights of their user at that time', async () => {
    const elements = [
      element('wait', 'WAIT', { minutes: 90 }, { next: 'create' }),
      createAccount('Later', { next: 'until' }),
      element('until', 'WAIT', { until: '{{wait.until}}' }),
    ]
    const { apiName } = await flows.activate(owner, elements, { type: 'AUTOLAUNCHED' })
    const interview = await flows.started(member, apiName)
    const resumesAt = new Date(platform.now.getTime() + 90 * 60_000)
    expect(interview).toMatchObject({
      status: 'RUNNING',
      currentElement: 'wait',
      resumesAt: resumesAt.toISOString(),
      expiresAt: new Date(resumesAt.getTime() + 7 * dayMs).toISOString(),
    })
    await flows.pass(89 * 60_000)
    await flows.work()
    expect(await names()).toEqual([])
    await flows.pass(60_000)
    await flows.work()
    expect((await flows.read(member, interview)).body).toMatchObject({ status: 'COMPLETED' })
    expect(await accountsOf()).toMatchObject([{ name: 'Later', owner_id: member.userId }])

    const later = await flows.started(member, apiName)
    await platform.query('update identity.app_user set is_active = false where id = $1', [member.userId])
    await flows.pass(90 * 60_000)
    await flows.work()
    const [row] = await platform.query('select status, error_code from extensions.flow_interview where id = $1', [
      later.id,
    ])
    expect(row).toEqual({ status: 'FAILED', error_code: 'USER_INACTIVE' })
    const narrow = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    const refused = await flows.started(narrow, apiName)
    await flows.pass(90 * 60_000)
    await flows.work()
    expect((await flows.read(narrow, refused)).body).toMatchObject({ error: { code: 'API_KEY_SCOPE_INSUFFICIENT' } })
    const cancelled = await flows.started(owner, apiName)
    await flows.verb(owner, 'Cancel', cancelled)
    await flows.pass(90 * 60_000)
    await flows.work()
    expect(await names()).toEqual(['Later'])
  })

  it('run other flows with inputs and outputs, whose screens can be gone back to', async () => {
    const inner = await flows.activate(
      owner,
      [
        screen('city', [{ name: 'name', label: 'City of {{who}}', type: 'TEXT' }], { next: 'keep' }),
        setVariable('keep', 'found', '{{city.name}}'),
      ],
      { variables: [variable('who', 'TEXT', { isInput: true }), variable('found', 'TEXT', { isOutput: true })] },
    )
    const outer = [
      screen('ask', ['company'], { next: 'sub' }),
      element('sub', 'SUBFLOW', { flowApiName: inner.apiName, inputs: { who: '{{ask.company}}' } }, { next: 'create' }),
      createAccount('{{ask.company}} {{sub.found}}'),
    ]
    const { apiName } = await flows.activate(owner, outer)
    const first = await flows.started(member, apiName)
    const second = await flows.answered(member, first, { company: 'Nordwind' })
    expect(second).toMatchObject({ currentElement: 'city', screen: { fields: [{ label: 'City of Nordwind' }] } })
    const back = (await flows.back(member, second)).body
    expect(back).toMatchObject({ currentElement: 'ask' })
    const third = await flows.answered(member, await flows.answered(member, back, { company: 'Ost' }), { name: 'Kiel' })
    expect(third).toMatchObject({ status: 'COMPLETED' })
    expect(await names()).toEqual(['Ost Kiel'])
    expect((await owner.rest['flowDelete']!({ id: inner.id })).body).toMatchObject({
      code: 'HAS_DEPENDENTS',
      usedBy: [{ object: 'flow', name: apiName }],
    })
    await owner.rest['flowDeactivate']!({ id: inner.id })
    expect(await flows.answered(member, await flows.started(member, apiName), { company: 'x' })).toMatchObject({
      status: 'FAILED',
      error: { code: 'NOT_FOUND', element: 'sub' },
    })
  })

  it('keep record changes that were done before one fails, and take back nothing of a refused one', async () => {
    const id = await account(owner, 'First')
    const variables = [variable('id', 'TEXT', { isInput: true })]
    const { apiName } = await flows.activate(
      owner,
      [
        element(
          'rename',
          'UPDATE_RECORD',
          { object: 'ACCOUNT', recordId: '{{id}}', values: { name: 'Renamed' } },
          { next: 'wrong' },
        ),
        element(
          'wrong',
          'UPDATE_RECORD',
          { object: 'ACCOUNT', recordId: '{{id}}', values: { name: '{{nothing}}' } },
          { next: 'never' },
        ),
        element('never', 'DELETE_RECORD', { object: 'ACCOUNT', recordId: '{{id}}' }),
      ],
      { variables },
    )
    expect(await flows.started(owner, apiName, { id })).toMatchObject({
      status: 'FAILED',
      error: { code: 'VALIDATION_FAILED', element: 'wrong' },
    })
    expect(await accountsOf()).toMatchObject([{ name: 'Renamed', version: 2 }])
  })
})

describe('a flow', () => {
  const problemsOf = async (elements: readonly object[], values: object = {}) => {
    const { status, body } = await flows.save(owner, elements, values)
    expect(status).toBe(400)
    return (body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)
  }

  it('is checked when it is saved', async () => {
    expect(await problemsOf([screen('ask', ['a'], { next: 'gone' })])).toEqual([
      'elements.0.connectors.next UNKNOWN_REFERENCE',
    ])
    expect(await problemsOf([screen('ask', ['a'], { other: 'ask' })])).toEqual([
      'elements.0.connectors.other UNKNOWN_FIELD',
    ])
    expect(await problemsOf([screen('ask', ['a']), screen('ask', ['b'])])).toEqual(['elements.1.name NOT_UNIQUE'])
    expect(await problemsOf([screen('ask', ['a']), screen('lost', ['b'])])).toEqual(['elements.1.name NOT_REACHABLE'])
    expect(await problemsOf([screen('ask', ['a', 'a'])])).toEqual(['elements.0.config.fields.1.name NOT_UNIQUE'])
    expect(await problemsOf([screen('ask', [{ name: 'a', label: 'A', type: 'PICKLIST' }])])).toEqual([
      'elements.0.config.fields.0.options REQUIRED',
    ])
    expect(await problemsOf([screen('ask', ['a'])], { type: 'AUTOLAUNCHED' })).toEqual(['elements.0.type NOT_ALLOWED'])
    expect(await problemsOf([screen('ask', ['a'])], { startElement: 'x' })).toEqual(['startElement UNKNOWN_REFERENCE'])
    expect(await problemsOf([screen('1ask', ['a'])])).toEqual(['elements.0.name WRONG_FORMAT'])
    expect(await problemsOf([screen('ask', ['{{'])])).toEqual(['elements.0.config.fields.0.name WRONG_VALUE'])
    expect(await problemsOf([createAccount('{{ask')])).toEqual([
      expect.stringMatching(/^elements\.0\.config\.values\.name /),
    ])
    expect(await problemsOf([element('get', 'GET_RECORDS', { object: 'UNICORN' })])).toEqual([
      'elements.0.config.object WRONG_VALUE',
    ])
    expect(
      await problemsOf([
        element('get', 'GET_RECORDS', { object: 'ACCOUNT', filter: { nothing: { eq: 1 }, name: { gt: 'a' } } }),
      ]),
    ).toEqual(['elements.0.config.filter.nothing UNKNOWN_FIELD', 'elements.0.config.filter.name.gt UNKNOWN_FIELD'])
    expect(await problemsOf([element('make', 'CREATE_RECORD', { object: 'ACCOUNT', values: { nothing: 1 } })])).toEqual(
      ['elements.0.config.values.nothing UNKNOWN_FIELD'],
    )
    expect(await problemsOf([element('each', 'LOOP', { items: [] })])).toEqual(['elements.0.connectors.body REQUIRED'])
    expect(await problemsOf([element('run', 'SUBFLOW', { flowApiName: 'nothing' })])).toEqual([
      'elements.0.config.flowApiName UNKNOWN_REFERENCE',
    ])
    expect(await problemsOf([element('act', 'ACTION', { actionApiName: 'nothing' })])).toEqual([
      'elements.0.config.actionApiName UNKNOWN_REFERENCE',
    ])
    expect(await problemsOf([setVariable('set', 'gone', 1)])).toEqual([
      'elements.0.config.assignments.0.variable UNKNOWN_REFERENCE',
    ])
    const variables = [variable('n', 'NUMBER', { defaultValue: 'x' })]
    expect(await problemsOf([screen('ask', ['a'])], { variables })).toEqual(['variables.0.defaultValue WRONG_TYPE'])
    expect(await problemsOf([screen('ask', ['a'])], { apiName: 'Nope' })).toEqual(['apiName WRONG_FORMAT'])
    const { apiName } = await flows.create(owner, [screen('ask', ['a'])])
    expect((await flows.save(owner, [screen('ask', ['a'])], { apiName })).body).toMatchObject({
      status: 409,
      code: 'UNIQUE_VIOLATION',
    })
  })

  it('does not run itself, also not by others, and only flows without screens if it has none', async () => {
    const sub = (flowApiName: string) => [element('sub', 'SUBFLOW', { flowApiName })]
    const a = await flows.create(owner, [screen('ask', ['a'])])
    const b = await flows.create(owner, sub(a.apiName))
    const { status, body } = await owner.rest['flowUpdate']!({
      id: a.id,
      body: { startElement: 'sub', elements: sub(b.apiName) },
    })
    expect([status, body.errors]).toMatchObject([400, [{ path: 'elements', code: 'FLOW_RECURSION' }]])
    expect(await problemsOf(sub(a.apiName), { type: 'AUTOLAUNCHED' })).toEqual([
      'elements.0.config.flowApiName NOT_ALLOWED',
    ])
    let { apiName } = b
    for (let depth = 3; depth <= 5; depth++) ({ apiName } = await flows.create(owner, sub(apiName)))
    expect(await problemsOf(sub(apiName))).toEqual(['elements TOO_DEEP'])
  })

  it('is for owners and admins of its organization, and can be run only when it is active', async () => {
    const { id, apiName, version } = await flows.create(owner, [screen('ask', ['a'])])
    expect((await flows.save(member, [screen('ask', ['a'])])).body).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    })
    expect((await member.rest['flowList']!()).status).toBe(403)
    expect((await member.rest['flow']!({ id })).status).toBe(403)
    expect((await flows.start(member, apiName)).body).toMatchObject({ status: 409, code: 'INVALID_STATE' })
    const foreigner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    for (const operation of ['flow', 'flowActivate', 'flowDeactivate', 'flowDelete'])
      expect((await foreigner.rest[operation]!({ id })).status).toBe(404)
    expect((await foreigner.rest['flowUpdate']!({ id, body: { label: 'x' } })).status).toBe(404)
    expect((await foreigner.rest['flowList']!()).body.data).toEqual([])
    expect((await owner.rest['flowDeactivate']!({ id })).status).toBe(409)
    const empty = await flows.create(owner, [])
    expect((await owner.rest['flowActivate']!({ id: empty.id })).body.errors).toMatchObject([{ path: 'startElement' }])
    expect((await owner.rest['flowUpdate']!({ id, body: { label: 'New' } })).body).toMatchObject({
      label: 'New',
      version: version + 1,
      flowVersion: 1,
    })
    expect((await owner.rest['flowList']!({ query: { apiName } })).body.data).toMatchObject([{ id, label: 'New' }])
    expect((await owner.rest['flow']!({ id: newId() })).status).toBe(404)
  })

  it('takes only its inputs', async () => {
    const variables = [variable('n', 'NUMBER', { isInput: true }), variable('own', 'TEXT')]
    const { apiName } = await flows.activate(owner, [screen('ask', ['a'])], { variables })
    const { status, body } = await flows.start(member, apiName, { n: 'x', own: 'y', other: 1 })
    expect(status).toBe(400)
    expect((body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)).toEqual([
      'inputs.n WRONG_TYPE',
      'inputs.own UNKNOWN_FIELD',
      'inputs.other UNKNOWN_FIELD',
    ])
  })
})
