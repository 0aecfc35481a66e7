import { beforeEach, describe, expect, it } from 'vitest'
import { automationConsumer } from '../../subgraphs/extensions/subscription/automation-consumer.ts'
import { triggerQueue } from '../../subgraphs/extensions/trigger/trigger-queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { contact, lead, opportunity } from '../builders.ts'
import { notify } from '../notifications/notify.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let owner: Member

/** Each test has an organization of its own, so that it has only its own triggers. */
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Triggers'), role: 'OWNER' })
})

/** Reads all committed events as one worker does. */
async function consume(): Promise<void> {
  await platform.services.database.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(platform.services, automationConsumer, owner.organizationId));
}
async function run(): Promise<void> {
  await consume()
  await drain(triggerQueue, platform.services)
}
const pass = (ms: number) => ageQueueItems(platform.services, triggerQueue.table, ms)

const echo = '(input, { invocation }) => ({ input, invocation })'

/** A trigger and its function; returns the id of the function. */
async function aTrigger(
  trigger: object,
  handler = echo,
  settings: object = {},
): Promise<{ id: string; functionId: string }> {
  const apiName = `t_${newId().slice(-12)}`
  const source = `export default ${handler}`
  const made = await owner.rest.serverlessFunctionCreate!({
    body: { apiName, name: 'Triggered', language: 'javascript', source, ...settings },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const body = { objectType: 'ACCOUNT', name: apiName, operations: ['CREATE'], function: apiName, ...trigger }
  const answer = await owner.rest.afterSaveTriggerCreate!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return { id: answer.body.id as string, functionId: made.body.id as string }
}

const anAccount = async (name: string): Promise<string> =>
  (await owner.rest.accountCreate!({ body: { name } })).body.id as string

interface Invocation {
  readonly status: string
  readonly attempt: number
  readonly depth: number
  readonly eventId: string | null
  readonly output: { readonly input: Record<string, unknown> } | null
}
async function invocations(functionId: string): Promise<Invocation[]> {
  const rows = await platform.query<Omit<Invocation, 'output'> & { readonly output: string | null }>(
    `select status, attempt, depth, event_id as "eventId", output from extensions.function_invocation where function_id = $1 order by id`,
    [functionId],
  )
  return rows.map((row) => ({
    ...row,
    output: row.output === null ? null : (JSON.parse(row.output) as Invocation['output']),
  }))
}
const namesOf = async (functionId: string) =>
  (await invocations(functionId)).map(({ output }) => (output!.input['record'] as { name: string }).name)
const runs = () =>
  platform.query<{ state: string; attempts: number; error: string | null }>(
    `select state, attempts, last_error as error from extensions.trigger_run where organization_id = $1 order by event_position`,
    [owner.organizationId],
  )

describe('an after-save trigger', () => {
  it('gets each change once: created, updated, deleted and restored records', async () => {
    await anAccount('Before')
    const { functionId } = await aTrigger({ operations: ['CREATE', 'UPDATE', 'DELETE'] })
    const id = await anAccount('One')
    await owner.rest.accountUpdate!({ id, body: { name: 'Two' } })
    await owner.rest.accountUpdate!({ id, body: { name: 'Two' } })
    await owner.rest.accountDelete!({ id })
    await owner.rest.accountRestore!({ id })
    await run()
    const made = await invocations(functionId)
    const events = await platform.services.events.read(owner.organizationId, { after: 0, limit: 100, recordId: id })
    expect(made.map(({ status, depth, attempt }) => [status, depth, attempt])).toEqual(
      events.map(() => ['SUCCEEDED', 1, 1]),
    )
    const inputs = made
      .map(({ output }) => output!.input)
      .toSorted((a, b) => Number(a['position']) - Number(b['position']))
    expect(inputs.map((input) => [input['eventId'], input['position']])).toEqual(
      events.map((event) => [`evt_${event.id}`, event.position]),
    )
    expect(Object.keys(inputs[0]!).toSorted()).toEqual([
      'changedFields',
      'eventId',
      'object',
      'position',
      'previous',
      'record',
    ])
    expect(inputs).toMatchObject([
      { object: 'account', record: { id, name: 'One', version: 1 }, previous: null, changedFields: null },
      { record: { name: 'Two' }, previous: { name: 'One' }, changedFields: ['name'] },
      { record: { name: 'Two' }, previous: null },
      { record: { name: 'Two' }, previous: null },
    ])
    // The position of the consumer is lost, as in a restore: the same events start nothing again.
    await platform.query(
      `update kernel.event_consumer set position = 0 where organization_id = $1 and name = 'automations'`,
      [owner.organizationId],
    )
    await run()
    expect(await invocations(functionId)).toHaveLength(4)
  })

  it('reacts to a change with several events once, and not to an update that creates', async () => {
    const { functionId } = await aTrigger({ objectType: 'OPPORTUNITY', operations: ['UPDATE'] })
    const { id } = await opportunity(owner, { accountId: await anAccount('Buyer'), stage: 'PROSPECTING' })
    expect((await owner.rest.opportunityUpdate!({ id, body: { stage: 'NEGOTIATION' } })).status).toBe(200)
    const events = await platform.query('select from kernel.event where record_id = $1', [id])
    expect(events.length).toBeGreaterThan(2)
    await run()
    expect((await invocations(functionId)).map(({ output }) => output!.input['changedFields'])).toMatchObject([
      expect.arrayContaining(['stage']) as unknown,
    ])
  })

  it('is run for REST, GraphQL, bulk changes, conversions and what automations change', async () => {
    const accounts = await aTrigger({})
    const leads = await aTrigger({ objectType: 'LEAD', operations: ['UPDATE'] })
    await anAccount('REST')
    const mutation = 'mutation ($name: String!) { accountCreate(input: { name: $name }) { id } }'
    await owner.graphql(mutation, { name: 'GraphQL' })
    const contacts = await aTrigger({ objectType: 'CONTACT', operations: ['UPDATE'] })
    const made = await Promise.all(Array.from({ length: 12 }, () => contact(owner)))
    const bulk = await owner.rest.contactBulkUpdate!({
      body: { items: made.map(({ id: of }) => ({ id: of, title: 'CTO' })) },
    } as never)
    expect(bulk.body['succeeded']).toBe(12)
    const { id } = await lead(owner, { company: 'Converted' })
    expect((await owner.rest.leadConvert!({ id, body: {} } as never)).status).toBe(200)
    const writer = `(input, { api }) => api.graphql('${mutation}', { name: 'Automation' })`
    await aTrigger({ objectType: 'CONTACT' }, writer, { scopes: ['WRITE_ACCOUNTS'] })
    expect((await owner.rest.contactCreate!({ body: { firstName: 'Ann', lastName: 'Lee' } })).status).toBe(201)
    await run()
    await run()
    expect((await namesOf(accounts.functionId)).toSorted()).toEqual(['Automation', 'Converted', 'GraphQL', 'REST'])
    const titles = (await invocations(contacts.functionId)).map(({ output }) => output!.input['record'])
    expect(titles).toHaveLength(12)
    expect(new Set(titles.map((record) => (record as { title: string }).title))).toEqual(new Set(['CTO']))
    expect((await invocations(leads.functionId)).map(({ output }) => output!.input['record'])).toMatchObject([{ id }])
  })

  it('is run by position; one that fails stops no other, and only it is attempted again, until function.failed', async () => {
    const log = (name: string) =>
      `(input, { api }) => api.graphql('mutation ($name: String!) { contactCreate(input: { firstName: $name, lastName: "Log" }) { id } }', { name: '${name}' })`
    const settings = { scopes: ['WRITE_CONTACTS'] }
    const last = await aTrigger({ position: 2 }, log('last'), settings)
    const failing = await aTrigger({ position: 1 }, '() => { throw new Error("no") }')
    await aTrigger({ position: 0 }, log('first'), settings)
    await anAccount('Ordered')
    await consume()
    const waits: number[] = []
    for (;;) {
      await drain(triggerQueue, platform.services)
      const [row] = await platform.query<{ state: string; wait: number }>(
        `select state, extract(epoch from next_attempt_at - clock_timestamp())::float8 as wait from extensions.trigger_run where organization_id = $1`,
        [owner.organizationId],
      )
      if (row!.state !== 'QUEUED') break
      waits.push(Math.round(row!.wait / 10) * 10)
      await pass(Math.ceil(row!.wait * 1000) + 1)
    }
    expect(waits).toEqual([10, 60, 300, 1_800, 7_200])
    const logged = await platform.query<{ name: string }>(
      'select first_name as name from crm.contact where organization_id = $1 order by id',
      [owner.organizationId],
    )
    expect(logged.map(({ name }) => name)).toEqual(['first', 'last'])
    expect((await invocations(last.functionId)).map(({ attempt }) => attempt)).toEqual([1])
    expect((await invocations(failing.functionId)).map(({ status, attempt }) => [status, attempt])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => ['FAILED', attempt]),
    )
    expect(await runs()).toEqual([{ state: 'FAILED', attempts: 6, error: 'no' }])
    const failed = await platform.query(
      `select data->'record'->>'functionId' as id from kernel.event where organization_id = $1 and type = 'function.failed'`,
      [owner.organizationId],
    )
    expect(failed).toEqual([{ id: failing.functionId }])
    await notify(platform, owner.organizationId)
    const { body } = await owner.rest.notificationList!()
    expect(body['data']).toMatchObject([{ eventKey: 'function.failed', body: 'Error: no' }])
  })

  it('writes once although its process was killed after the write, and runs no other trigger again', async () => {
    const write = (name: string) =>
      `(input, { api }) => api.graphql('mutation { contactCreate(input: { firstName: "${name}", lastName: "Killed" }) { id } }')`
    const settings = { scopes: ['WRITE_CONTACTS'] }
    const first = await aTrigger({ position: 0 }, write('first'), settings)
    const second = await aTrigger({ position: 1 }, write('second'), settings)
    await anAccount('Killed')
    await run()
    // As if the process had died after the write of the second one.
    await platform.query(
      `update extensions.trigger_run set state = 'QUEUED', is_due = true, finished_at = null, next_attempt_at = now(), outcomes = outcomes - $2
       where organization_id = $1`,
      [owner.organizationId, second.id],
    )
    await run()
    expect((await invocations(first.functionId)).map(({ attempt }) => attempt)).toEqual([1])
    expect((await invocations(second.functionId)).map(({ attempt }) => attempt)).toEqual([1, 2])
    const written = await platform.query<{ name: string }>(
      'select first_name as name from crm.contact where organization_id = $1 order by id',
      [owner.organizationId],
    )
    expect(written.map(({ name }) => name)).toEqual(['first', 'second'])
  })

  it('that causes its own change stops at depth 5', async () => {
    const source = `(input, { api }) => api.graphql('mutation { accountCreate(input: { name: "Loop" }) { id } }')`
    const { functionId } = await aTrigger({}, source, { scopes: ['WRITE_ACCOUNTS'] })
    await anAccount('Loop')
    for (let round = 0; round < 8; round++) await run()
    expect((await invocations(functionId)).map(({ status, depth }) => [status, depth])).toEqual(
      [1, 2, 3, 4, 5].map((depth) => ['SUCCEEDED', depth]),
    )
    const [{ count }] = (await platform.query<{ count: number }>(
      `select count(*)::int as count from crm.account where organization_id = $1`,
      [owner.organizationId],
    )) as [{ count: number }]
    expect(count).toBe(6)
  })

  it('sees what the user of its function sees, and only the changes that meet its conditions', async () => {
    const member = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    const ofMember = await aTrigger({}, echo, { runAsUserId: member.userId })
    const conditions = [
      { field: 'name', operator: 'CHANGED' },
      { field: 'industry', operator: 'EQUALS', value: 'ENERGY' },
    ]
    const conditional = await aTrigger({ operations: ['UPDATE'], conditions }, echo, { runAsAdmin: true })
    const mine = (await member.rest.accountCreate!({ body: { name: 'Mine', industry: 'ENERGY' } })).body.id as string
    const other = await anAccount('Other')
    await owner.rest.accountUpdate!({ id: mine, body: { annualRevenue: 5 } })
    await owner.rest.accountUpdate!({ id: mine, body: { name: 'Mine 2' } })
    await owner.rest.accountUpdate!({ id: other, body: { name: 'Other 2' } })
    await run()
    expect(await namesOf(ofMember.functionId)).toEqual(['Mine'])
    expect(await namesOf(conditional.functionId)).toEqual(['Mine 2'])
    expect((await runs()).map(({ state }) => state)).toEqual([
      'SUCCEEDED',
      'SKIPPED',
      'SKIPPED',
      'SUCCEEDED',
      'SKIPPED',
    ])
  })

  it('that is turned off after the change is not run, and without triggers no event is read', async () => {
    const { id, functionId } = await aTrigger({})
    await anAccount('Queued')
    await consume()
    expect((await owner.rest.afterSaveTriggerUpdate!({ id, body: { isActive: false } })).status).toBe(200)
    await run()
    expect([await invocations(functionId), await runs()]).toEqual([
      [],
      [{ state: 'SKIPPED', attempts: 1, error: null }],
    ])
    await anAccount('Unread')
    await run()
    expect(await runs()).toHaveLength(1)
    expect(
      await platform.query('select from extensions.event_subscriber where organization_id = $1', [
        owner.organizationId,
      ]),
    ).toEqual([])
  })

  it('that must wait for its minute is attempted later, and announces no failure', async () => {
    const { functionId } = await aTrigger({})
    await anAccount('Waits')
    // The last attempt of all.
    await consume()
    await platform.query('update extensions.trigger_run set attempts = 5 where organization_id = $1', [
      owner.organizationId,
    ])
    const perMinute = [{ max: 600, windowMs: 60_000 }]
    await platform.services.counters.hit(
      'functions',
      owner.organizationId,
      perMinute,
      platform.services.clock.now().getTime(),
      600,
    )
    await drain(triggerQueue, platform.services)
    expect((await invocations(functionId)).map(({ status }) => status)).toEqual(['THROTTLED'])
    expect(await runs()).toMatchObject([{ state: 'QUEUED', attempts: 5 }])
    expect(
      await platform.query(`select from kernel.event where organization_id = $1 and type = 'function.failed'`, [
        owner.organizationId,
      ]),
    ).toEqual([])
  })
})

describe('the settings of a trigger', () => {
  const body = { objectType: 'ACCOUNT', name: 'New', operations: ['CREATE'], function: 'nobody' }

  it('name a function that exists, operations and conditions that fit; a refusal changes nothing', async () => {
    const { functionId } = await aTrigger({ name: 'Taken' })
    const [{ apiName }] = (await platform.query<{ apiName: string }>(
      'select api_name as "apiName" from extensions.function where id = $1',
      [functionId],
    )) as [{ apiName: string }]
    const right = { ...body, function: apiName }
    const before = await platform.fingerprint(owner.organizationId)
    const codeOf = async (given: object): Promise<unknown[]> => {
      const answer = await owner.rest.afterSaveTriggerCreate!({ body: given } as never)
      const [problem] = (answer.body.errors ?? []) as { path: string; code: string }[]
      return [answer.status, problem?.path, problem?.code]
    }
    expect(await codeOf(body)).toEqual([400, 'function', 'UNKNOWN_REFERENCE'])
    expect(await codeOf({ ...right, operations: [] })).toEqual([400, 'operations', 'EMPTY'])
    expect(await codeOf({ ...right, operations: ['CREATE', 'CREATE'] })).toEqual([400, 'operations', 'NOT_UNIQUE'])
    const conditions = [{ field: 'nothing', operator: 'EQUALS', value: 1 }]
    expect(await codeOf({ ...right, conditions })).toEqual([400, 'conditions.0.field', 'UNKNOWN_FIELD'])
    expect((await codeOf({ ...right, name: 'Taken' }))[0]).toBe(409)
    const deletion = await owner.rest.serverlessFunctionDelete!({ id: functionId })
    expect([deletion.status, deletion.body.code]).toEqual([409, 'HAS_DEPENDENTS'])
    expect(deletion.body['usedBy']).toMatchObject([{ object: 'after_save_trigger', name: 'Taken' }])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('are at most 20 for a record type, also when two are created at once', async () => {
    const { functionId } = await aTrigger({ name: 'T0' })
    const [{ apiName }] = (await platform.query<{ apiName: string }>(
      'select api_name as "apiName" from extensions.function where id = $1',
      [functionId],
    )) as [{ apiName: string }]
    const create = async (name: string) =>
      (await owner.rest.afterSaveTriggerCreate!({ body: { ...body, name, function: apiName } } as never)).status
    for (let index = 1; index < 19; index++) expect(await create(`T${index}`)).toBe(201)
    const statuses = await Promise.all(['Last', 'Too many'].map(create))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 400])
  })
})
