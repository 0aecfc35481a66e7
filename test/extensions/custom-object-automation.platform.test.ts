import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { automationConsumer } from '../../subgraphs/extensions/subscription/automation-consumer.ts'
import { startQueue } from '../../subgraphs/extensions/subscription/start-queue.ts'
import { triggerQueue } from '../../subgraphs/extensions/trigger/trigger-queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'
import { anOrganization, problemsOf } from './custom-fields.fixture.ts'
import { memberWithout, object, visit, withSiteVisits, type Stored } from './custom-objects.fixture.ts'
import { useHookReceiver } from './hook-receiver.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
let flows: ReturnType<typeof workflowsOf>
let owner: Member
let member: Member
let siteVisit: Stored

beforeAll(() => {
  flows = workflowsOf(platform)
})
beforeEach(async () => {
  receiver.reset()
  ;({ owner, member, siteVisit } = await withSiteVisits(platform))
})

const type = 'custom:site_visit'
const created = async (operation: string, body: object, by = owner): Promise<Stored> => {
  const answer = await by.rest[operation]!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as Stored
}
const aFunction = (handler: string, more: object = {}) =>
  created('serverlessFunctionCreate', {
    apiName: `f_${newId().slice(-12)}`,
    name: 'F',
    language: 'javascript',
    source: `export default ${handler}`,
    ...more,
  })
const change = (id: string, customFields: object, by = member): Promise<Answer> =>
  by.rest['customRecordUpdate']!({ name: 'site_visit', id, body: { customFields } } as never)
const read = async (id: string, by = member) =>
  (await by.rest['customRecord']!({ name: 'site_visit', id } as never)).body as Stored & {
    customFields: Record<string, unknown>
  }
const visitOf = (customFields: object, by = member): Promise<Answer> =>
  by.rest['customRecordCreate']!({ name: 'site_visit', body: { customFields } } as never)
/** All that the organization has, without its key of secrets, which the first attempt to store one may make. */
const stored = async (): Promise<string> =>
  (await platform.fingerprint(owner.organizationId)).replace(/^kernel\.data_key .*\n/m, '')
const unchanged = async (work: () => Promise<unknown>): Promise<void> => {
  const before = await stored()
  await work()
  expect(await stored()).toBe(before)
}
/** An admin whose profile hides the hours of visits. */
const restrictedAdmin = (): Promise<Member> =>
  memberWithout(platform, owner.organizationId, { [type]: ['customFields.hours'] }, { role: 'ADMIN' })
const aRule = (more: object = {}) => ({
  entityType: type,
  name: 'Long visits',
  conditions: [{ field: 'customFields.hours', operator: 'GREATER_THAN', value: 8 }],
  errorMessage: 'A visit lasts at most 8 hours.',
  errorField: 'customFields.hours',
  ...more,
})

describe('a validation rule of a custom object', () => {
  it('refuses what breaks it with 422, changes nothing, and concerns no other object', async () => {
    await created('validationRuleCreate', aRule())
    const refused = '422 VALIDATION_RULE_FAILED customFields.hours VALIDATION_RULE_FAILED'
    const { id } = await visit(member, { subject: 'Pump', hours: 8 })
    await unchanged(async () => {
      expect(problemsOf(await visitOf({ subject: 'Tank', hours: 9 }))).toBe(refused)
      expect(problemsOf(await change(id, { hours: 9 }))).toBe(refused)
    })
    await object(owner, { name: 'ship' })
    await visit(member, { subject: 'Other', hours: 9 }, {}, 'ship')
    const { body } = await owner.rest['validationRuleList']!({ query: { entityType: `${type},LEAD` } })
    expect(body.data).toMatchObject([{ entityType: type }])
  })

  it('fails only its item of a bulk change', async () => {
    await created('validationRuleCreate', aRule())
    const [one, two] = [await visit(member, { subject: 'A' }), await visit(member, { subject: 'B' })]
    const items = [
      { id: one.id, customFields: { hours: 9 } },
      { id: two.id, customFields: { hours: 1 } },
    ]
    const { body } = await member.rest['customRecordBulkUpdate']!({ name: 'site_visit', body: { items } } as never)
    expect(body).toMatchObject({ succeeded: 1, failed: 1 })
    expect([(await read(one.id)).version, (await read(two.id)).version]).toEqual([1, 2])
  })

  it('is set up by an admin only on fields that the admin may read', async () => {
    const admin = await restrictedAdmin()
    const refused = await admin.rest['validationRuleCreate']!({ body: aRule() } as never)
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'conditions.0.field'])
    const bySubject = aRule({
      conditions: [{ field: 'customFields.subject', operator: 'EQUALS', value: 'No' }],
      errorField: null,
    })
    await created('validationRuleCreate', bySubject, admin)
  })
})

describe('a hook of a custom object', () => {
  it('with an address changes and rejects records, with all their fields', async () => {
    const failing = { failureMode: 'FAIL_CLOSED', timeoutMs: 5_000 }
    await created('beforeSaveHookCreate', { objectType: type, name: 'Check', url: receiver.url, ...failing })
    receiver.decide = ({ records }) => ({
      results: records.map(({ next }) =>
        (next!['customFields'] as { subject: string }).subject === 'Forbidden'
          ? { decision: 'REJECT', message: 'Not there.', field: 'customFields.subject' }
          : { decision: 'ALLOW', changes: { customFields: { outcome: 'OPEN' }, tags: ['checked'] } },
      ),
    })
    const { id } = await visit(member, { subject: 'Pump', hours: 2 })
    expect(receiver.received).toMatchObject([
      { hook: 'Check', objectType: type, operation: 'CREATE', records: [{ id, next: { object: 'site_visit' } }] },
    ])
    expect(await read(id)).toMatchObject({
      tags: ['checked'],
      customFields: { subject: 'Pump', hours: 2, outcome: 'OPEN' },
    })
    await unchanged(async () => {
      expect(problemsOf(await visitOf({ subject: 'Forbidden' }))).toBe(
        '422 HOOK_REJECTED customFields.subject HOOK_REJECTED',
      )
      expect(problemsOf(await change(id, { subject: 'Forbidden' }))).toBe(
        '422 HOOK_REJECTED customFields.subject HOOK_REJECTED',
      )
    })
  })

  it('with a function changes the name of the record by its name field, and cannot set what nobody can', async () => {
    const changes = `{ customFields: { subject: record.next.customFields.subject.toUpperCase() } }`
    const rename = await aFunction(
      `({ records }) => ({ results: records.map((record) => ({ decision: 'ALLOW', changes: ${changes} })) })`,
    )
    await created('beforeSaveHookCreate', {
      objectType: type,
      name: 'Upper case',
      function: rename['apiName'],
      failureMode: 'FAIL_CLOSED',
    })
    expect(await visit(member, { subject: 'Pump' })).toMatchObject({ name: 'PUMP' })
    const move = await aFunction(
      `({ records }) => ({ results: records.map(() => ({ decision: 'ALLOW', changes: { object: 'ship' } })) })`,
    )
    await created('beforeSaveHookCreate', {
      objectType: type,
      name: 'Move',
      function: move['apiName'],
      failureMode: 'FAIL_CLOSED',
      position: 1,
    })
    expect(problemsOf(await visitOf({ subject: 'Tank' }))).toBe('503 HOOK_UNAVAILABLE')
  })
})

async function consume(): Promise<void> {
  await platform.services.database.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(platform.services, automationConsumer, owner.organizationId));
}
const outputsOf = async (functionId: string): Promise<Record<string, unknown>[]> => {
  const rows = await platform.query<{ output: string }>(
    'select output from extensions.function_invocation where function_id = $1 order by id',
    [functionId],
  )
  return rows.map(({ output }) => JSON.parse(output) as Record<string, unknown>)
}
const echo = '(input) => ({ input })'
async function aTrigger(more: object = {}, settings: object = {}): Promise<string> {
  // With less than the rights of an admin, it would see the records of its own user only.
  const made = await aFunction(echo, { runAsAdmin: true, ...settings })
  const operations = ['CREATE', 'UPDATE', 'DELETE']
  await created('afterSaveTriggerCreate', {
    objectType: type,
    name: String(made['apiName']),
    operations,
    function: made['apiName'],
    ...more,
  })
  return made.id
}
const reactByFunctions = async (): Promise<void> => {
  await consume()
  await drain(triggerQueue, platform.services)
  await drain(startQueue, platform.services)
}

describe('an after-save trigger of a custom object', () => {
  it('runs once for each change, and for no change of another object', async () => {
    const functionId = await aTrigger()
    await object(owner, { name: 'ship' })
    await visit(member, { subject: 'Other' }, {}, 'ship')
    const { id } = await visit(member, { subject: 'Pump' })
    await change(id, { hours: 1 })
    await member.rest['customRecordDelete']!({ name: 'site_visit', id } as never)
    await member.rest['customRecordRestore']!({ name: 'site_visit', id } as never)
    await reactByFunctions()
    await reactByFunctions()
    const inputs = (await outputsOf(functionId)).map(({ input }) => input as Record<string, never>)
    expect(inputs.toSorted((a, b) => a['position']! - b['position']!)).toMatchObject([
      { object: type, record: { id, name: 'Pump', customFields: { subject: 'Pump' } }, previous: null },
      { record: { customFields: { hours: 1 } }, changedFields: ['customFields', 'customFields.hours'] },
      { record: { id } },
      { record: { id } },
    ])
  })

  it('compares its conditions with what the user of its function sees', async () => {
    const admin = await restrictedAdmin()
    const conditions = [{ field: 'customFields.hours', operator: 'GREATER_THAN', value: 2 }]
    const hidden = await aTrigger({ conditions, operations: ['CREATE'] }, { runAsUserId: admin.userId })
    const shown = await aTrigger({ conditions, operations: ['CREATE'] })
    const redacted = await aTrigger({ operations: ['CREATE'] }, { runAsUserId: admin.userId })
    await visit(member, { subject: 'Short', hours: 1 })
    await visit(member, { subject: 'Long', hours: 3 })
    await reactByFunctions()
    const subjects = async (id: string) =>
      (await outputsOf(id)).map(({ input }) => (input as { record: { name: string } }).record.name).toSorted()
    expect([await subjects(hidden), await subjects(shown), await subjects(redacted)]).toEqual([
      [],
      ['Long'],
      ['Long', 'Short'],
    ])
    expect(JSON.stringify(await outputsOf(redacted))).not.toContain('hours":')
  })
})

describe('a function', () => {
  it('is started by the events of a custom object', async () => {
    const { id: functionId } = await aFunction(echo, {
      runAsAdmin: true,
      eventTypes: ['custom_object.site_visit.created'],
    })
    const { id } = await visit(member, { subject: 'Pump' })
    await change(id, { hours: 1 })
    await reactByFunctions()
    expect(await outputsOf(functionId)).toMatchObject([
      { input: { type: 'custom_object.site_visit.created', data: { record: { id, name: 'Pump' } } } },
    ])
  })
})

const step = (id: string, kind: string, config: object, more: object = {}) => ({ id, type: kind, config, ...more })

describe('a workflow of a custom object', () => {
  it('is started by changes of its records, and creates, finds, changes and deletes records of objects', async () => {
    await object(owner, { name: 'report' })
    const { id: workflowId } = await flows.activate(owner, {
      triggerType: 'FIELD_CHANGED',
      triggerEntity: type,
      triggerConfig: { fields: ['customFields.outcome'] },
      conditions: [{ field: 'customFields.outcome', operator: 'EQUALS', value: 'DONE' }],
      steps: [
        step(
          'report',
          'CREATE_RECORD',
          { object: 'custom:report', values: { customFields: { subject: 'Report of {{record.name}}' } } },
          { next: 'find' },
        ),
        step('find', 'FIND_RECORDS', { object: 'custom:report', fields: ['name', 'customFields'] }, { next: 'note' }),
        step('note', 'UPDATE_RECORD', { values: { externalId: '{{steps.report.output.id}}' } }, { next: 'remove' }),
        step('remove', 'DELETE_RECORD', { object: 'custom:report', recordId: '{{steps.report.output.id}}' }),
      ],
    })
    const { id } = await visit(member, { subject: 'Pump' })
    await change(id, { hours: 1 })
    await change(id, { outcome: 'OPEN' })
    await change(id, { outcome: 'DONE' })
    await flows.react(owner)
    await flows.react(owner)
    const runs = await flows.runs(owner, workflowId)
    expect(runs).toMatchObject([{ status: 'SUCCEEDED', trigger: { recordId: id } }])
    const [report, find, note, remove] = runs[0]!.steps
    const reportId = report!.output!['id'] as string
    expect(report!.output).toEqual({ id: reportId, object: 'custom:report' })
    expect(find!.output).toMatchObject({
      count: 1,
      records: [{ id: reportId, name: 'Report of Pump', customFields: { subject: 'Report of Pump' } }],
    })
    expect([note!.output, remove!.output]).toEqual([
      { id, object: type },
      { id: reportId, object: 'custom:report' },
    ])
    expect(await read(id)).toMatchObject({ externalId: reportId })
    expect(await platform.eventTypesOf(reportId)).toEqual([
      'custom_object.report.created',
      'custom_object.report.deleted',
    ])
  })

  it('runs by hand for a record that the caller sees, and for no record of another object', async () => {
    const ship = await object(owner, { name: 'ship' })
    expect(ship['name']).toBe('ship')
    const { id } = await flows.activate(owner, {
      triggerEntity: type,
      steps: [step('note', 'UPDATE_RECORD', { values: { customFields: { hours: 4 } } })],
    })
    const other = await visit(member, { subject: 'Other' }, {}, 'ship')
    expect(problemsOf(await owner.rest['workflowRunStart']!({ id, body: { recordId: other.id } } as never))).toBe(
      '404 NOT_FOUND',
    )
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    const run = await flows.start(owner, id, { recordId })
    await flows.work()
    expect(await flows.read(owner, run)).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { id: recordId } }] })
    expect(await read(recordId)).toMatchObject({ customFields: { hours: 4 } })
  })

  it('is started by the times of its records only', async () => {
    await object(owner, { name: 'ship' })
    const { id } = await flows.activate(owner, {
      triggerType: 'TIME_BASED',
      triggerEntity: type,
      triggerConfig: { field: 'createdAt', offsetMinutes: 10 },
      steps: [step('note', 'UPDATE_RECORD', { values: { externalId: 'due' } })],
    })
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    await visit(member, { subject: 'Other' }, {}, 'ship')
    await flows.tick()
    platform.advanceClock(11 * 60_000)
    await flows.tick()
    await flows.work()
    expect(await flows.runs(owner, id)).toMatchObject([{ status: 'SUCCEEDED', trigger: { recordId } }])
    expect(await read(recordId)).toMatchObject({ externalId: 'due' })
  })
})

describe('a custom action of a custom object', () => {
  const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
  const anAction = async (more: object = {}) => {
    const handler = await aFunction(echo)
    const body = { apiName: `a_${newId().slice(-12)}`, label: 'A', function: handler['apiName'], ...schemas, ...more }
    return created('customActionCreate', body)
  }
  const execute = (id: string, recordId: string, by = member) =>
    by.rest['customActionExecute']!({ id, body: { recordId } } as never)

  it('runs for its records, which the caller must see, and for those of no other type', async () => {
    const { id } = await anAction({ objectTypes: [type] })
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    const input = { recordId, objectType: type }
    expect((await execute(id, recordId)).body).toMatchObject({ status: 'SUCCEEDED', output: { input } })
    await object(owner, { name: 'ship' })
    const other = await visit(member, { subject: 'Other' }, {}, 'ship')
    expect(problemsOf(await execute(id, other.id))).toBe('409 INVALID_STATE')
    const foreign = await anOrganization(platform)
    await object(foreign.owner)
    const theirs = await visit(foreign.owner, { subject: 'Theirs' })
    expect(problemsOf(await execute(id, theirs.id))).toBe('404 NOT_FOUND')
  })

  it('that names no type takes a record of a custom object too', async () => {
    const { id } = await anAction()
    const { id: recordId } = await visit(member, { subject: 'Pump' })
    expect((await execute(id, recordId)).body).toMatchObject({ output: { input: { recordId, objectType: type } } })
    expect(problemsOf(await execute(id, newId()))).toBe('404 NOT_FOUND')
  })
})

/** Everything that names a custom object, and the path at which it does. */
const naming = (name: string): readonly (readonly [string, string, () => Promise<object>])[] => {
  const object = `custom:${name}`
  const functionName = async () => (await aFunction(echo))['apiName']
  return [
    ['validationRuleCreate', 'entityType', async () => aRule({ entityType: object })],
    [
      'beforeSaveHookCreate',
      'objectType',
      async () => ({ objectType: object, name: 'Hook', function: await functionName() }),
    ],
    [
      'afterSaveTriggerCreate',
      'objectType',
      async () => ({ objectType: object, name: 'Trigger', operations: ['CREATE'], function: await functionName() }),
    ],
    [
      'customActionCreate',
      'objectTypes.1',
      async () => ({
        apiName: 'an_action',
        label: 'A',
        objectTypes: ['LEAD', object],
        function: await functionName(),
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      }),
    ],
    [
      'workflowCreate',
      'triggerEntity',
      async () => ({ name: 'By trigger', triggerType: 'RECORD_CREATED', triggerEntity: object }),
    ],
    [
      'workflowCreate',
      'steps.0.config.object',
      async () => ({
        name: 'By step',
        triggerType: 'MANUAL',
        steps: [step('one', 'CREATE_RECORD', { object, values: { customFields: { hours: 1 } } })],
      }),
    ],
    [
      'serverlessFunctionCreate',
      'eventTypes.0',
      async () => ({
        apiName: 'by_event',
        name: 'F',
        language: 'javascript',
        source: `export default ${echo}`,
        eventTypes: [`custom_object.${name}.deleted`],
      }),
    ],
  ]
}

describe('the name of a custom object', () => {
  it.each(naming('ship').map(([operation, path], index) => [operation, path, index] as const))(
    '%s refuses one that the organization does not have with 400, also that of another one, and changes nothing',
    async (operation, path, index) => {
      const foreign = await anOrganization(platform)
      await object(foreign.owner, { name: 'ship' })
      for (const name of ['ship', 'Site', '__proto__']) {
        const body = await naming(name)[index]![2]()
        await unchanged(async () => {
          const { status, body: answer } = await owner.rest[operation]!({ body } as never)
          expect([status, answer.errors?.[0]?.path], JSON.stringify(answer)).toEqual([400, path])
        })
      }
    },
  )

  it('needs the scope of its records', async () => {
    const scopes = ['WRITE_VALIDATION_RULES', 'WRITE_HOOKS', 'INVOKE_FUNCTIONS', 'READ_CUSTOM_OBJECTS']
    const admin = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN', scopes })
    const { apiName } = (await aFunction(echo)) as unknown as { apiName: string }
    const hook = { objectType: type, name: 'Hook', function: apiName }
    expect(problemsOf(await admin.rest['beforeSaveHookCreate']!({ body: hook } as never))).toBe(
      '403 API_KEY_SCOPE_INSUFFICIENT',
    )
    const trigger = { objectType: type, name: 'Trigger', operations: ['CREATE'], function: apiName }
    await created('afterSaveTriggerCreate', trigger, admin)
  })

  it('that something names keeps the object and its fields from being deleted', async () => {
    const users: { id: string; operation: string }[] = []
    for (const [operation, , body] of naming('site_visit'))
      users.push({ operation, id: (await created(operation, await body())).id })
    const { body: fields } = await owner.rest['customFieldList']!({ query: { entity: type } })
    const hours = (fields.data as { id: string; name: string }[]).find(({ name }) => name === 'hours')!
    const usersIn = ({ body }: Answer) => (body.usedBy as { id: string }[]).map(({ id }) => id).toSorted()
    await unchanged(async () => {
      const refused = await owner.rest['customObjectDelete']!({ id: siteVisit.id })
      expect([problemsOf(refused), usersIn(refused)]).toEqual([
        '409 HAS_DEPENDENTS',
        users.map(({ id }) => id).toSorted(),
      ])
      const field = await owner.rest['customFieldDelete']!({ id: hours.id })
      expect([problemsOf(field), usersIn(field)]).toEqual([
        '409 HAS_DEPENDENTS',
        [users[0]!.id, users[5]!.id].toSorted(),
      ])
    })
    for (const { operation, id } of users)
      expect((await owner.rest[operation.replace('Create', 'Delete')]!({ id })).status).toBeLessThan(300)
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
  })
})
