import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform()
let flows: ReturnType<typeof workflowsOf>
let owner: Member

beforeAll(() => {
  flows = workflowsOf(platform)
})
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
})

const step = (id: string, type: string, config: object = {}, more: object = {}) => ({ id, type, config, ...more })
const task = (subject: string, id = 'task', more: object = {}) => step(id, 'CREATE_TASK', { subject }, more)
const aLead = async (values: object = {}, by = owner): Promise<string> => {
  const { status, body } = await by.rest.leadCreate!({
    body: { lastName: 'Halvorsen', company: 'Marine AS', ...values },
  })
  expect(status).toBe(201)
  return body.id as string
}
const subjects = async (by = owner): Promise<string[]> =>
  ((await by.rest.taskList!()).body.data as { subject: string }[]).map(({ subject }) => subject).toSorted()

describe('a workflow', () => {
  it('runs by hand, and its run shows what each step got and returned', async () => {
    const leadId = await aLead()
    const run = await flows.ran(
      owner,
      [
        step('call', 'CREATE_TASK', { subject: 'Call {{record.lastName}}', priority: 'HIGH' }, { next: 'rate' }),
        step('rate', 'UPDATE_RECORD', { values: { rating: 'HOT', description: '{{input.note}}' } }),
      ],
      { recordId: leadId, input: { note: 'Met at the fair' } },
      { triggerEntity: 'LEAD' },
    )
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      workflowVersion: 1,
      depth: 1,
      executedSteps: 2,
      error: null,
      trigger: { type: 'MANUAL', eventId: null, recordId: leadId },
    })
    const [task] = (await owner.rest.taskList!()).body.data as Record<string, unknown>[]
    expect(task).toMatchObject({ subject: 'Call Halvorsen', priority: 'HIGH', relatedToId: leadId, source: 'WORKFLOW' })
    expect(run.steps).toMatchObject([
      {
        stepId: 'call',
        status: 'SUCCEEDED',
        attempt: 1,
        input: { subject: 'Call Halvorsen' },
        output: { id: task!['id'] },
      },
      { stepId: 'rate', status: 'SUCCEEDED', output: { id: leadId, object: 'LEAD' } },
    ])
    expect((await owner.rest.lead!({ id: leadId })).body).toMatchObject({
      rating: 'HOT',
      description: 'Met at the fair',
    })
    const [event] = await platform.query<{ depth: number; origin: { kind: string; runId: string } }>(
      `select depth, origin from kernel.event where organization_id = $1 and type = 'task.created'`,
      [owner.organizationId],
    )
    expect([event!.depth, event!.origin.kind, event!.origin.runId]).toEqual([1, 'WORKFLOW', run.id])
  })

  it('that is deleted cancels the runs that wait, with their steps', async () => {
    const steps = [step('wait', 'DELAY', { minutes: 60 }, { next: 'task' }), task('Never')]
    const { id } = await flows.activate(owner, { steps })
    const run = await flows.start(owner, id)
    await flows.work()
    expect((await owner.rest.workflowDelete!({ id })).status).toBe(204)
    await flows.work()
    expect(await flows.read(owner, run)).toMatchObject({
      status: 'CANCELLED',
      error: { code: 'WORKFLOW_DELETED' },
      steps: [{ stepId: 'wait', status: 'CANCELLED' }],
    })
  })

  it('gets versions of its steps, and a run keeps the one with which it began', async () => {
    const steps = [step('wait', 'DELAY', { minutes: 60 }, { next: 'task' }), task('First version')]
    const { id } = await flows.activate(owner, { steps })
    const old = await flows.start(owner, id)
    await flows.work()
    expect(await flows.read(owner, old)).toMatchObject({
      status: 'WAITING',
      steps: [{ stepId: 'wait', status: 'WAITING' }],
    })
    const { body } = await owner.rest.workflowUpdate!({ id, body: { steps: [task('Second version')] } })
    expect([body.stepsVersion, body.status]).toEqual([2, 'ACTIVE'])
    const next = await flows.start(owner, id)
    await platform.query(`update extensions.workflow_run set resume_at = '2020-01-01' where id = $1`, [old])
    await flows.pass(3_600_000)
    await flows.work()
    expect(await flows.read(owner, old)).toMatchObject({ status: 'SUCCEEDED', workflowVersion: 1, executedSteps: 2 })
    expect(await flows.read(owner, next)).toMatchObject({ status: 'SUCCEEDED', workflowVersion: 2, executedSteps: 1 })
    expect(await subjects()).toEqual(['First version', 'Second version'])
    expect((await owner.rest.workflowUpdate!({ id, body: { delayMinutes: 0, name: 'Other' } })).body.stepsVersion).toBe(
      2,
    )
  })

  it('refuses to run while it is paused, by hand where that is not allowed, and for other records', async () => {
    const leadId = await aLead()
    const start = async (id: string, body: object) => {
      const answer = await owner.rest.workflowRunStart!({ id, body })
      return [answer.status, answer.body.code]
    }
    const paused = await flows.create(owner, { steps: [task('Never')], triggerEntity: 'LEAD' })
    expect(await start(paused.id, { recordId: leadId })).toEqual([409, 'INVALID_STATE'])
    const { id } = await flows.activate(owner, { steps: [task('Never')], triggerEntity: 'LEAD', runOnce: true })
    expect(await start(id, { recordType: 'CONTACT', recordId: leadId })).toEqual([409, 'INVALID_STATE'])
    expect(await start(id, {})).toEqual([400, 'VALIDATION_FAILED'])
    const foreign = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    expect(await start(id, { recordId: await aLead({}, foreign) })).toEqual([404, 'NOT_FOUND'])
    expect((await foreign.rest.workflowRunStart!({ id, body: {} })).status).toBe(404)
    expect((await owner.rest.workflowUpdate!({ id, body: { allowManual: false } })).status).toBe(200)
    expect(await start(id, { recordId: leadId })).toEqual([409, 'INVALID_STATE'])
    expect((await owner.rest.workflowUpdate!({ id, body: { allowManual: true } })).status).toBe(200)
    expect(await start(id, { recordId: leadId })).toEqual([202, undefined])
    expect(await start(id, { recordId: leadId })).toEqual([409, 'INVALID_STATE'])
    expect(await flows.runs(owner, id)).toHaveLength(1)
  })

  it('is refused with steps that cannot be followed, or that name what does not exist', async () => {
    const refused = async (steps: readonly object[], values: object = {}) => {
      const body = { name: 'Refused', triggerType: 'MANUAL', steps, ...values }
      const answer = await owner.rest.workflowCreate!({ body })
      return [
        answer.status,
        ...(answer.body.errors ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`),
      ]
    }
    expect(await refused([task('a', 'x', { next: 'x2' }), task('b', 'x')])).toEqual([
      400,
      'steps.1.id NOT_UNIQUE',
      'steps.0.next UNKNOWN_STEP',
    ])
    expect(await refused([task('a'), task('b', 'far')])).toEqual([400, 'steps.1.id NOT_REACHABLE'])
    const loop = step('each', 'LOOP', { items: [1], body: 'inner' }, { next: 'inner' })
    expect(await refused([loop, task('a', 'inner')])).toEqual([400, 'steps.0.next LOOP_BODY_SHARED'])
    expect(await refused([step('run', 'FUNCTION', { functionApiName: 'nobody' })])).toEqual([
      400,
      'steps.0.config.functionApiName UNKNOWN_REFERENCE',
    ])
    expect(await refused([step('tell', 'PUBLISH_EVENT', { apiName: 'nobody', data: {} })])).toEqual([
      400,
      'steps.0.config.apiName UNKNOWN_EVENT',
    ])
    expect(
      await refused([step('set', 'UPDATE_RECORD', { object: 'LEAD', recordId: '{{input.id}}', values: { nope: 1 } })]),
    ).toEqual([400, 'steps.0.config.values.nope UNKNOWN_FIELD'])
    expect(await refused([task('{{ record.a')])).toEqual([400, 'steps.0.config.subject TEMPLATE_SYNTAX'])
    expect(await refused([task('{% for x in (1..9) %}{% endfor %}')])).toEqual([
      400,
      'steps.0.config.subject TAG_NOT_ALLOWED',
    ])
    expect(await refused([step('get', 'HTTP_REQUEST', { method: 'GET', url: 'http://127.0.0.1/x' })])).toEqual([
      400,
      'steps.0.config.url ADDRESS_NOT_PUBLIC',
    ])
    expect(
      await refused([step('get', 'HTTP_REQUEST', { method: 'GET', url: 'https://{{record.website}}/x' })]),
    ).toEqual([400, 'steps.0.config.url NOT_ALLOWED'])
    expect(await refused([task('a')], { triggerType: 'FIELD_CHANGED', triggerEntity: 'LEAD' })).toEqual([
      400,
      'triggerConfig.fields WRONG_VALUE',
    ])
    expect(await refused([task('a')], { triggerType: 'TIME_BASED', triggerConfig: { cron: '* * * * *' } })).toEqual([
      400,
      'triggerConfig.cron OUT_OF_RANGE',
    ])
    expect((await owner.rest.workflowList!()).body.data).toEqual([])
  })

  it('cannot be activated without steps, or when a function was deleted that it names', async () => {
    const empty = await flows.create(owner, {})
    expect((await owner.rest.workflowActivate!({ id: empty.id })).status).toBe(400)
    const source = 'export default (input) => ({ doubled: input.amount * 2 })'
    const made = { apiName: 'double_it', name: 'Double', source, language: 'javascript' }
    const { body: created } = await owner.rest.serverlessFunctionCreate!({ body: made })
    const { id } = await flows.create(owner, { steps: [step('run', 'FUNCTION', { functionApiName: 'double_it' })] })
    await platform.query('update extensions.function set deleted_at = now() where id = $1', [created.id])
    const { status, body } = await owner.rest.workflowActivate!({ id })
    expect([status, body.errors[0].path]).toEqual([400, 'steps.0.config.functionApiName'])
    expect((await owner.rest.workflow!({ id })).body.status).toBe('PAUSED')
  })
})

it('are at most 200 in an organization', async () => {
  const { id } = await flows.create(owner, {})
  await platform.query(
    `insert into extensions.workflow select (jsonb_populate_record(w, jsonb_build_object(
       'id', gen_random_uuid(), 'name', 'Copy ' || n, 'hook_token', 'copy-' || n || '-' || w.id))).*
     from extensions.workflow w, generate_series(2, 200) n where w.id = $1`,
    [id],
  )
  const { status, body } = await owner.rest.workflowCreate!({ body: { name: 'One more', triggerType: 'MANUAL' } })
  expect([status, body.errors.map(({ code }: { code: string }) => code)]).toEqual([400, ['TOO_MANY']])
  const count = 'select count(*)::int as count from extensions.workflow where organization_id = $1'
  expect(await platform.query(count, [owner.organizationId])).toEqual([{ count: 200 }])
})

describe('a step', () => {
  it('has at most 65,536 characters of output, and a run as many of input', async () => {
    const source = 'export default ({ length }) => "x".repeat(length)'
    const made = { apiName: 'long', name: 'Long', source, language: 'javascript' }
    expect((await owner.rest.serverlessFunctionCreate!({ body: made })).status).toBe(201)
    const long = (length: number) => [step('long', 'FUNCTION', { functionApiName: 'long', input: { length } })]
    expect((await flows.ran(owner, long(65_534))).status).toBe('SUCCEEDED')
    const failed = await flows.ran(owner, long(65_535))
    expect([failed.status, failed.error?.code]).toEqual(['FAILED', 'STEP_DATA_TOO_LARGE'])
    const { id } = await flows.activate(owner, { steps: [task('Never')] })
    const input = { text: 'x'.repeat(65_536) }
    const { status, body } = await owner.rest.workflowRunStart!({ id, body: { input } })
    expect([status, body.errors[0].path, body.errors[0].code]).toEqual([400, 'input', 'TOO_LONG'])
    expect(await subjects()).toEqual([])
  })

  it('creates, changes, finds and deletes records as the run-as user', async () => {
    const run = await flows.ran(
      owner,
      [
        step(
          'create',
          'CREATE_RECORD',
          { object: 'ACCOUNT', values: { name: 'Fjord AS', annualRevenue: '{{input.revenue}}' } },
          { next: 'change' },
        ),
        step(
          'change',
          'UPDATE_RECORD',
          {
            object: 'ACCOUNT',
            recordId: '{{steps.create.output.id}}',
            values: { description: 'Created by {{workflow.name}}' },
          },
          { next: 'find' },
        ),
        step(
          'find',
          'FIND_RECORDS',
          { object: 'ACCOUNT', filter: { name: { eq: 'Fjord AS' } }, fields: ['name', 'description'], limit: 5 },
          { next: 'again' },
        ),
        step(
          'again',
          'CREATE_RECORD',
          { object: 'CONTACT', values: { lastName: 'of {{steps.find.output.records[0].name}}' } },
          { next: 'remove' },
        ),
        step('remove', 'DELETE_RECORD', { object: 'ACCOUNT', recordId: '{{steps.create.output.id}}' }),
      ],
      { input: { revenue: 1_250_000 } },
      { name: 'Records' },
    )
    expect(run.error).toBeNull()
    const [created, , found, contact] = run.steps
    const id = created!.output!['id'] as string
    expect(created!.input).toMatchObject({ values: { annualRevenue: 1_250_000 } })
    expect(found!.output).toEqual({ count: 1, records: [{ id, name: 'Fjord AS', description: 'Created by Records' }] })
    expect((await owner.rest.contact!({ id: contact!.output!['id'] })).body.lastName).toBe('of Fjord AS')
    expect((await owner.rest.account!({ id })).status).toBe(404)
  })

  it('does what the run-as user may not do: it fails, and nothing changes', async () => {
    const { organizationId } = owner
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    const leadId = await aLead()
    const steps = [step('set', 'UPDATE_RECORD', { values: { rating: 'HOT' } })]
    const run = await flows.ran(
      owner,
      steps,
      { recordId: leadId },
      { triggerEntity: 'LEAD', runAsUserId: reader.userId },
    )
    expect(run).toMatchObject({ status: 'FAILED', error: { code: 'PERMISSION_DENIED', stepId: 'set' } })
    expect((await owner.rest.lead!({ id: leadId })).body.rating).toBeNull()
  })

  it('branches by the record and by what steps returned, and loops over a list', async () => {
    const leadId = await aLead({ rating: 'WARM' })
    const when = (field: string, operator: string, value: unknown, next: string) => ({
      conditions: [{ field, operator, value }],
      next,
    })
    const branches = [when('rating', 'EQUALS', 'HOT', 'hot'), when('input.list', 'IS_NOT_EMPTY', null, 'each')]
    const run = await flows.ran(
      owner,
      [
        step('which', 'BRANCH', {}, { branches, next: 'hot' }),
        task('Not taken', 'hot'),
        step('each', 'LOOP', { items: '{{input.list}}', body: 'inner' }, { next: 'end' }),
        step('inner', 'LOOP', { items: '{{item.parts}}', body: 'one' }),
        task('{{item}} at {{index}}', 'one'),
        task('Done with {{steps.each.output.count}}', 'end'),
      ],
      { recordId: leadId, input: { list: [{ parts: ['a', 'b'] }, { parts: [] }, { parts: ['c'] }] } },
      { triggerEntity: 'LEAD' },
    )
    expect(run).toMatchObject({ status: 'SUCCEEDED', executedSteps: 9 })
    expect(await subjects()).toEqual(['Done with 3', 'a at 0', 'b at 1', 'c at 0'])
    expect(run.steps.map(({ stepId, iteration }) => [stepId, iteration])).toEqual([
      ['which', null],
      ['each', null],
      ['inner', 0],
      ['one', 0],
      ['one', 1],
      ['inner', 1],
      ['inner', 2],
      ['one', 0],
      ['end', null],
    ])
  })

  it('that fails ends the run, is passed over, or is attempted again; a retry goes on at the step', async () => {
    const wrong = step(
      'wrong',
      'UPDATE_RECORD',
      { object: 'LEAD', recordId: '{{input.id}}', values: { rating: 'HOT' } },
      { next: 'task' },
    )
    const body = { input: { id: '019a0c5e-7f00-7a31-8b1c-2d3e4f5a6b7c' } }
    const passed = await flows.ran(owner, [{ ...wrong, onError: 'CONTINUE' }, task('Passed over')], body)
    expect(passed).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ status: 'FAILED', error: { code: 'NOT_FOUND' } }, { status: 'SUCCEEDED' }],
    })
    const failing = await flows.activate(owner, { steps: [{ ...wrong, onError: 'RETRY' }, task('Retried')] })
    const id = await flows.start(owner, failing.id, body)
    for (const ms of [0, 10_000, 60_000, 300_000]) {
      await flows.pass(ms)
      await flows.work()
    }
    const failed = await flows.read(owner, id)
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'NOT_FOUND', stepId: 'wrong' } })
    expect(failed.steps.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'FAILED'],
      [2, 'FAILED'],
      [3, 'FAILED'],
      [4, 'FAILED'],
    ])
    const [event] = await platform.query<{ data: { record: object } }>(
      `select data from kernel.event where organization_id = $1 and type = 'workflow.failed'`,
      [owner.organizationId],
    )
    expect(event!.data.record).toMatchObject({ id, stepId: 'wrong', errorCode: 'NOT_FOUND', ownerId: owner.userId })
    expect((await owner.rest.workflowRunCancel!({ id })).status).toBe(409)
    await platform.query(`update extensions.workflow_run set input = $2 where id = $1`, [
      id,
      JSON.stringify({ id: await aLead() }),
    ])
    expect((await owner.rest.workflowRunRetry!({ id })).body.status).toBe('QUEUED')
    await flows.work()
    expect(await flows.read(owner, id)).toMatchObject({ status: 'SUCCEEDED', error: null })
    expect((await owner.rest.workflowRunRetry!({ id })).status).toBe(409)
    expect(await subjects()).toEqual(['Passed over', 'Retried'])
  })

  it('runs a function, publishes an event, notifies users', async () => {
    const source = 'export default (input, { invocation }) => ({ doubled: input.amount * 2, depth: invocation.depth })'
    const made = { apiName: 'double_it', name: 'Double', source, language: 'javascript' }
    expect((await owner.rest.serverlessFunctionCreate!({ body: made })).status).toBe(201)
    const schema = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
    const eventType = { apiName: 'doubled', label: 'Doubled', schema, publishAccess: 'MEMBERS' }
    expect((await owner.rest.customEventTypeCreate!({ body: eventType })).status).toBe(201)
    const run = await flows.ran(
      owner,
      [
        step(
          'run',
          'FUNCTION',
          { functionApiName: 'double_it', input: { amount: '{{input.amount}}' } },
          { next: 'publish' },
        ),
        step(
          'publish',
          'PUBLISH_EVENT',
          { apiName: 'doubled', data: { amount: '{{steps.run.output.doubled}}' } },
          { next: 'tell' },
        ),
        step('tell', 'SEND_NOTIFICATION', {
          recipients: [owner.userId, '{{input.nobody}}'],
          message: 'It is {{steps.run.output.doubled}}.',
        }),
      ],
      { input: { amount: 21 } },
    )
    expect(run.steps).toMatchObject([
      { status: 'SUCCEEDED', output: { doubled: 42, depth: 2 } },
      { status: 'SUCCEEDED' },
      { status: 'SUCCEEDED', output: { recipients: [owner.userId] } },
    ])
    const events = await platform.query<{ type: string; data: Record<string, unknown> }>(
      `select type, data from kernel.event where organization_id = $1 and type in ('custom.doubled', 'workflow.notified') order by id`,
      [owner.organizationId],
    )
    expect(events.map(({ type }) => type)).toEqual(['custom.doubled', 'workflow.notified'])
    expect(events[0]!.data).toEqual({ amount: 42 })
    expect(events[1]!.data['record']).toMatchObject({ recipientIds: [owner.userId], message: 'It is 42.' })
  })

  it('asks no language model where none is configured', async () => {
    const run = await flows.ran(owner, [step('ask', 'AI_PROMPT', { prompt: 'Summarize {{input.text}}' })], {
      input: { text: 'x' },
    })
    expect(run).toMatchObject({ status: 'FAILED', error: { code: 'MODEL_NOT_CONFIGURED', stepId: 'ask' } })
  })

  it('waits for an approval of those whom it asks, and goes on by their decision', async () => {
    const { organizationId } = owner
    const approver = await platform.member({ organizationId, role: 'MEMBER' })
    const other = await platform.member({ organizationId, role: 'MEMBER' })
    const config = { approverIds: [approver.userId], message: 'Grant {{input.percent}} %?', onRejected: 'no' }
    const steps = [step('ask', 'APPROVAL', config, { next: 'yes' }), task('Granted', 'yes'), task('Refused', 'no')]
    const { id: workflowId } = await flows.activate(owner, { steps })
    const decide = async (by: Member, id: string, verb: 'Approve' | 'Reject', stepId = 'ask') =>
      (await by.rest[`workflowRun${verb}`]!({ id, stepId, body: { comment: 'As agreed' } })).status
    const [first, second, third] = [0, 0, 0].map(() => flows.start(owner, workflowId, { input: { percent: 10 } }))
    const [granted, refused, expired] = await Promise.all([first!, second!, third!])
    await flows.work()
    expect(await flows.read(owner, granted)).toMatchObject({ status: 'WAITING', executedSteps: 1 })
    const [event] = await platform.query<{ data: { record: object } }>(
      `select data from kernel.event where organization_id = $1 and type = 'workflow.awaiting_approval'`,
      [organizationId],
    )
    expect(event!.data.record).toMatchObject({ recipientIds: [approver.userId], message: 'Grant 10 %?' })
    expect([await decide(other, granted, 'Approve'), await decide(approver, granted, 'Approve', 'yes')]).toEqual([
      404, 404,
    ])
    expect([await decide(approver, granted, 'Approve'), await decide(approver, granted, 'Reject')]).toEqual([200, 409])
    expect(await decide(owner, refused, 'Reject')).toBe(200)
    await platform.query(`update extensions.workflow_run set resume_at = '2020-01-01' where id = $1`, [expired])
    expect(await decide(approver, expired, 'Approve')).toBe(409)
    await flows.pass(72 * 3_600_000)
    await flows.work()
    const output = { decision: 'APPROVED', decidedById: approver.userId, comment: 'As agreed' }
    expect(await flows.read(owner, granted)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output }, { stepId: 'yes' }],
    })
    expect(await flows.read(owner, refused)).toMatchObject({ status: 'SUCCEEDED', steps: [{}, { stepId: 'no' }] })
    expect(await flows.read(owner, expired)).toMatchObject({ status: 'FAILED', error: { code: 'APPROVAL_EXPIRED' } })
    expect(await subjects()).toEqual(['Granted', 'Refused'])
  })
})
