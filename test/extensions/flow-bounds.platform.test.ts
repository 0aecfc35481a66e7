import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { element, flowsOf, screen, variable, type Interview } from './flows.fixture.ts'
import { answerJson, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let flows: ReturnType<typeof flowsOf>
let service: Service
let owner: Member

beforeAll(async () => {
  flows = flowsOf(platform)
  service = await Service.start()
})
afterAll(() => service.close())
beforeEach(async () => {
  service.take()
  service.respond = (res) => answerJson(res, 200, { sent: true })
  owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
})

const set = (name: string, to: string, value: unknown, connectors: object | null = null, operator = 'SET') =>
  element(name, 'ASSIGNMENT', { assignments: [{ variable: to, operator, value }] }, connectors)

async function anAction(): Promise<string> {
  const apiName = `send_${newId().replaceAll('-', '').slice(-12)}`
  const any = { type: 'object' }
  const values = { apiName, label: 'Send', url: `${service.origin}/send`, inputSchema: any, outputSchema: any }
  expect((await owner.rest['customActionCreate']!({ body: values })).status).toBe(201)
  return apiName
}
const sent = () => service.take().map(({ text }) => (JSON.parse(text) as { input: unknown }).input)
const send = (name: string, actionApiName: string, input: object, connectors: object | null = null) =>
  element(name, 'ACTION', { actionApiName, input }, connectors)

/** The same user with another credential. */
const withHeaders = (by: Member, headers: Record<string, string>): Member => ({
  ...by,
  headers,
  rest: restClient(platform.contract, platform.url, headers),
})
async function withKey(by: Member, scopes: string[]): Promise<Member> {
  const rateLimit = { limit: 1_000_000, window: 'HOUR' } as const
  const values = { ownerId: by.userId, name: 'other', scopes, rateLimit }
  const { secret } = await createApiKey(platform.services, by.organizationId, values)
  return withHeaders(by, { 'X-API-Key': secret })
}
const withSession = async (by: Member): Promise<Member> =>
  withHeaders(by, { Authorization: `Bearer ${await sessionOf(platform, by)}` })

describe('the values of an interview', () => {
  const record = [variable('r', 'RECORD')]
  const failed = (code: string, name: string | null) => ({ status: 'FAILED', error: { code, element: name } })

  it('end it as soon as they are too large, also if they name themselves, while others are served', async () => {
    const other = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const doubling = [set('double', 'r', { a: '{{r}}', b: '{{r}}' }, { next: 'double' })]
    const [interview, read] = await Promise.all([
      flows.ran(owner, doubling, { variables: record }),
      other.rest['accountList']!({}),
    ])
    expect(interview).toMatchObject(failed('STATE_TOO_LARGE', null))
    expect(read.status).toBe(200)
  })

  it.each([
    ['a text', 'SCREEN', { title: 'x', fields: [{ name: 'a', label: '{{list}}', type: 'DISPLAY_TEXT' }] }],
    ['the items of a loop', 'LOOP', { items: Array.from({ length: 20 }, () => '{{list}}') }],
    [
      'the inputs of a flow',
      'SUBFLOW',
      { flowApiName: 'none', inputs: { a: Array.from({ length: 20 }, () => '{{list}}') } },
    ],
  ])('fill at most 1,000,000 characters in for one element: %s', async (what, type, config) => {
    const elements = [
      set('fill', 'text', 'x'.repeat(20_000), { next: 'one' }),
      set(
        'one',
        'list',
        Array.from({ length: 10 }, () => '{{text}}'),
        { next: 'many' },
      ),
      element('many', type, config, type === 'LOOP' ? { body: 'many' } : null),
    ]
    if (type === 'SUBFLOW')
      elements[2] = element('many', type, {
        ...config,
        flowApiName: (await flows.activate(owner, [set('s', 'x', 'y')], { variables: [variable('x')] })).apiName,
      })
    const variables = [variable('text'), variable('list', 'TEXT', { isCollection: true })]
    const interview = await flows.ran(owner, elements, { variables })
    expect(interview).toMatchObject(what === 'a text' ? { status: 'WAITING_FOR_INPUT' } : failed('TOO_LONG', 'many'))
  })
})

it('names its elements, outcomes and fields as objects name what they inherit', async () => {
  const elements = [
    element('constructor', 'LOOP', { items: ['a', 'b'] }, { body: 'toString', next: 'valueOf' }),
    set('toString', 'all', '{{constructor.item}}', { next: 'constructor' }, 'APPEND'),
    element('valueOf', 'DECISION', {
      outcomes: [
        { name: 'hasOwnProperty', conditions: [{ field: 'constructor.count', operator: 'EQUALS', value: 2 }] },
      ],
    }),
  ]
  const variables = [variable('all', 'TEXT', { isCollection: true, isOutput: true })]
  expect(await flows.ran(owner, elements, { variables })).toMatchObject({
    status: 'COMPLETED',
    outputs: { all: ['a', 'b'] },
  })
  const asked = await flows.ran(owner, [
    screen('ask', [{ name: 'constructor', label: 'Constructor', type: 'TEXT', required: true }]),
  ])
  expect((await flows.next(owner, asked)).body).toMatchObject({
    code: 'VALIDATION_FAILED',
    screen: { fields: [{ name: 'constructor', value: null, error: 'Constructor is required.' }] },
  })
})

it('shows what elements have found only to credentials that could have found it', async () => {
  await owner.rest['accountCreate']!({ body: { name: 'Secret' } })
  const elements = [
    screen('begin', ['a'], { next: 'get' }),
    element('get', 'GET_RECORDS', { object: 'ACCOUNT', fields: ['name'] }, { next: 'keep' }),
    set('keep', 'found', '{{get.record.name}}', { next: 'ask' }),
    screen('ask', [{ name: 'b', label: 'About {{found}}', type: 'TEXT', required: true }], { next: 'more' }),
    screen('more', [{ name: 'c', label: '{{found}}', type: 'TEXT' }]),
  ]
  const { apiName } = await flows.activate(owner, elements, {
    variables: [variable('found', 'TEXT', { isOutput: true })],
  })
  const session = await withSession(owner)
  const narrow = await withKey(owner, ['READ_CONTACTS'])
  const wide = await withKey(owner, ['READ_ACCOUNTS'])
  const begun = await flows.started(session, apiName)
  expect((await flows.read(narrow, begun)).body).toEqual(begun)
  const asked = await flows.answered(session, begun)
  expect(asked).toMatchObject({ variables: { found: 'Secret' }, screen: { fields: [{ label: 'About Secret' }] } })
  const hidden = { ...asked, screen: null, variables: null }
  expect((await flows.read(wide, asked)).body).toEqual(asked)
  expect((await flows.read(narrow, asked)).body).toEqual(hidden)
  const listed = async (by: Member) => (await by.rest['flowInterviewList']!({})).body.data as Interview[]
  expect(await listed(wide)).toEqual([asked])
  expect(await listed(narrow)).toEqual([hidden])
  expect((await flows.next(narrow, asked)).body).toMatchObject({ code: 'VALIDATION_FAILED', screen: null })
  expect((await flows.next(narrow, begun)).body).toMatchObject({ code: 'VERSION_CONFLICT', interview: hidden })
  const more = await flows.answered(narrow, asked, { b: 'x' })
  expect(more).toMatchObject({ currentElement: 'more', screen: null, variables: null })
  expect((await flows.back(narrow, more)).body).toMatchObject({ currentElement: 'ask', screen: null, variables: null })
  const ended = await flows.answered(wide, await flows.answered(wide, { ...more, version: 4 }, { b: 'x' }))
  expect(ended).toMatchObject({ status: 'COMPLETED', outputs: { found: 'Secret' } })
  expect((await flows.read(narrow, ended)).body).toMatchObject({ outputs: null, variables: null })
  await platform.query('update extensions.flow_interview set acted_scopes = null where id = $1', [ended.id])
  expect((await flows.read(wide, ended)).body).toMatchObject({ outputs: null, variables: null })
  expect((await flows.read(session, ended)).body).toEqual(ended)
})

it('begins with the new version of a flow that is changed at the same time', async () => {
  const { id, apiName } = await flows.activate(owner, [screen('old', ['a'])])
  const changed = [screen('new', ['a'])]
  const starting = await platform.inSeparateTransaction(async (sql) => {
    await sql.query(
      `update extensions.flow set elements = $2, start_element = 'new', flow_version = flow_version + 1 where id = $1`,
      [id, JSON.stringify(changed)],
    )
    const started = flows.start(owner, apiName)
    await expect.poll(() => platform.waitingForLocks(), { interval: 1 }).toBe(1)
    return [started] as const
  })
  const { status, body } = await starting[0]
  expect([status, body.flowVersion, body.currentElement]).toEqual([201, 2, 'new'])
})

describe('an action of a flow', () => {
  it('is not called again when its request is repeated after the process was killed', async () => {
    const action = await anAction()
    const { apiName } = await flows.activate(owner, [send('act', action, { of: '{{interview.id}}' })])
    const headers = { 'Idempotency-Key': newId() }
    const start = () => owner.rest['flowInterviewStart']!({ apiName, body: {}, headers } as never)
    const { body: first } = await start()
    expect(first.status).toBe('COMPLETED')
    expect(sent()).toEqual([{ of: first.id }])
    // What a killed process leaves: nothing but the claim of the action.
    await platform.query('delete from extensions.flow_interview where id = $1', [first.id])
    await platform.query('delete from kernel.idempotency where key = $1', [headers['Idempotency-Key']])
    platform.advanceClock(61_000)
    const { body: again } = await start()
    expect(again).toMatchObject({ id: first.id, status: 'FAILED', error: { code: 'INTERRUPTED', element: 'act' } })
    expect(sent()).toEqual([])
    // The key may be used for another interview when its answer has been forgotten.
    await platform.query('delete from kernel.idempotency where key = $1', [headers['Idempotency-Key']])
    const { body: other } = await start()
    expect(other).toMatchObject({ status: 'COMPLETED' })
    expect(sent()).toEqual([{ of: other.id }])
    const { data } = (await owner.rest['flowInterviewList']!({})).body
    expect((data as Interview[]).map(({ id }) => id)).toEqual([other.id, first.id])
  })

  it('is called for other values of a screen when its request is repeated with them', async () => {
    const action = await anAction()
    const interview = await flows.ran(owner, [
      screen('ask', ['a'], { next: 'act' }),
      send('act', action, { a: '{{ask.a}}' }),
    ])
    const [row] = await platform.query('select * from extensions.flow_interview where id = $1', [interview.id])
    await flows.answered(owner, interview, { a: 'one' })
    const { status, state, screen: shown, current_element: at, version } = row as Record<string, unknown>
    await platform.query(
      `update extensions.flow_interview set status = $2, state = $3, screen = $4, current_element = $5, version = $6, ended_at = null where id = $1`,
      [interview.id, status, JSON.stringify(state), JSON.stringify(shown), at, version],
    )
    expect(await flows.answered(owner, interview, { a: 'two' })).toMatchObject({ status: 'COMPLETED' })
    expect(sent()).toEqual([{ a: 'one' }, { a: 'two' }])
  })

  it('is called once with values that differ each time they are read', async () => {
    const action = await anAction()
    const interview = await flows.ran(owner, [send('act', action, { at: `{{ 'now' | date: '%s%L' }}` })])
    expect(interview).toMatchObject({ status: 'COMPLETED' })
    expect(sent()).toEqual([{ at: expect.any(String) as string }])
  })

  it('is called once for a record of the interview, when that is committed', async () => {
    const action = await anAction()
    const interview = await flows.ran(owner, [
      element('create', 'CREATE_RECORD', { object: 'ACCOUNT', values: { name: 'Made' } }, { next: 'act' }),
      send('act', action, { id: '{{create.id}}' }),
    ])
    expect(interview).toMatchObject({ status: 'RUNNING', currentElement: 'act' })
    expect(sent()).toEqual([])
    await flows.work()
    const [made] = await platform.query<{ id: string }>('select id from crm.account where organization_id = $1', [
      owner.organizationId,
    ])
    expect(sent()).toEqual([{ id: made!.id }])
    expect((await flows.read(owner, interview)).body).toMatchObject({ status: 'COMPLETED' })
  })

  it('is one in each turn', async () => {
    const action = await anAction()
    const interview = await flows.ran(owner, [
      send('one', action, { n: 1 }, { next: 'two' }),
      send('two', action, { n: 2 }, { next: 'three' }),
      send('three', action, { n: 3 }),
    ])
    expect(interview).toMatchObject({ status: 'RUNNING', currentElement: 'two', version: 1 })
    expect(sent()).toEqual([{ n: 1 }])
    await flows.work()
    expect(sent()).toEqual([{ n: 2 }])
    await flows.work()
    expect(sent()).toEqual([{ n: 3 }])
    expect((await flows.read(owner, interview)).body).toMatchObject({ status: 'COMPLETED', version: 3 })
  })
})

it('has at most 200 open interviews of a user, also of starts at the same time', async () => {
  const { apiName } = await flows.activate(owner, [screen('ask', ['a'])])
  const { id } = await flows.started(owner, apiName)
  await platform.query(
    `insert into extensions.flow_interview
     select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid()))).* from extensions.flow_interview i
     cross join generate_series(1, 197) where i.id = $1`,
    [id],
  )
  const answers = await Promise.all([1, 2, 3, 4].map(() => flows.start(owner, apiName)))
  expect(answers.map(({ status, body }) => String(body.code ?? status)).toSorted()).toEqual([
    '201',
    '201',
    'LIMIT_REACHED',
    'LIMIT_REACHED',
  ])
})
