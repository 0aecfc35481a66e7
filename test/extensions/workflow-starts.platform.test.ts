import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { notify } from '../notifications/notify.ts'
import { runQueue } from '../../subgraphs/extensions/workflow/run-queue.ts'
import { startRun } from '../../subgraphs/extensions/workflow/start-run.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { resumeOrganization, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
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

const task = (subject: string, more: object = {}) => ({ id: 'task', type: 'CREATE_TASK', config: { subject }, ...more })
const aDeal = async (values: object = {}, by = owner): Promise<string> => {
  const account = await by.rest.accountCreate!({ body: { name: 'Fjord AS' } })
  const body = { name: 'Crane', accountId: account.body.id, closeDate: '2027-05-01', stage: 'PROSPECTING', ...values }
  const { status, body: deal } = await by.rest.opportunityCreate!({ body })
  expect([status, deal.errors]).toEqual([201, undefined])
  return deal.id as string
}
const change = async (id: string, body: object, by = owner) =>
  expect((await by.rest.opportunityUpdate!({ id, body })).status).toBe(200)
const subjects = async (by = owner): Promise<string[]> =>
  ((await by.rest.taskList!()).body.data as { subject: string }[]).map(({ subject }) => subject).toSorted()
const onDeal = (triggerType: string, more: object = {}) =>
  flows.activate(owner, {
    triggerType,
    triggerEntity: 'OPPORTUNITY',
    steps: [task(`${triggerType} {{record.name}}`)],
    ...more,
  })

describe('a trigger', () => {
  it('of each kind starts one run for each change that it waits for, and for no other', async () => {
    await aDeal({ name: 'Before' })
    await onDeal('RECORD_CREATED')
    await onDeal('RECORD_UPDATED')
    await onDeal('RECORD_DELETED')
    await onDeal('FIELD_CHANGED', { triggerConfig: { fields: ['nextStep'] } })
    await onDeal('STAGE_CHANGED', { triggerConfig: { from: 'PROSPECTING', to: 'PROPOSAL' } })
    const id = await aDeal({ name: 'Deal' })
    await flows.react(owner)
    expect(await subjects()).toEqual(['RECORD_CREATED Deal'])
    await change(id, { name: 'Next', nextStep: 'Call' })
    await flows.react(owner)
    expect(await subjects()).toEqual(['FIELD_CHANGED Next', 'RECORD_CREATED Deal', 'RECORD_UPDATED Next'])
    await change(id, { name: 'Moved', stage: 'QUALIFICATION' })
    await change(id, { name: 'Back', stage: 'PROSPECTING' })
    await change(id, { name: 'Far', stage: 'PROPOSAL' })
    await flows.react(owner)
    expect((await subjects()).filter((subject) => subject.startsWith('STAGE'))).toEqual(['STAGE_CHANGED Far'])
    expect((await subjects()).filter((subject) => subject.startsWith('RECORD_UPDATED'))).toHaveLength(4)
    expect((await owner.rest.opportunityDelete!({ id })).status).toBeLessThan(300)
    await flows.react(owner)
    expect((await subjects()).filter((subject) => subject.startsWith('RECORD_DELETED'))).toEqual(['RECORD_DELETED Far'])
  })

  it('starts what meets its conditions, once for each record with runOnce, after its delay', async () => {
    const conditions = [{ field: 'amount', operator: 'GREATER_THAN', value: 1000 }]
    const { id } = await onDeal('RECORD_UPDATED', { conditions, runOnce: true, delayMinutes: 30 })
    const deal = await aDeal({ amount: 500 })
    for (const amount of [900, 1100, 1200]) await change(deal, { amount })
    await flows.react(owner)
    const [run, ...others] = await flows.runs(owner, id)
    expect([run!.status, run!.trigger.recordId, others]).toEqual(['QUEUED', deal, []])
    await flows.pass(30 * 60_000)
    await flows.work()
    expect((await flows.runs(owner, id)).map(({ status }) => status)).toEqual(['SUCCEEDED'])
  })

  it('of a paused workflow starts nothing, and what waits for its begin is skipped', async () => {
    const { id } = await onDeal('RECORD_CREATED')
    await aDeal()
    await flows.consume(owner)
    expect((await owner.rest.workflowPause!({ id })).body.status).toBe('PAUSED')
    await aDeal()
    await flows.react(owner)
    expect((await flows.runs(owner, id)).map(({ status, error }) => [status, error!.code])).toEqual([
      ['SKIPPED', 'WORKFLOW_PAUSED'],
    ])
    expect(await subjects()).toEqual([])
    expect((await owner.rest.workflowPause!({ id })).status).toBe(409)
  })

  it('shows a run only what its run-as user sees: hidden fields and records of others start and fill in nothing', async () => {
    const { organizationId } = owner
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, { name: 'Plain', fields: { opportunity: { nextStep: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, profile.id)
    const runAsUserId = member.userId
    const seen = await onDeal('RECORD_CREATED', { runAsUserId, steps: [task('Of {{record.nextStep}}.')] })
    const conditions = [{ field: 'nextStep', operator: 'IS_NOT_EMPTY' }]
    const unmet = await onDeal('RECORD_CREATED', { runAsUserId, conditions, steps: [task('Never')] })
    await aDeal({ nextStep: 'Secret', ownerId: member.userId })
    await flows.react(owner)
    expect(await subjects()).toEqual(['Of .'])
    expect([await flows.runs(owner, seen.id), await flows.runs(owner, unmet.id)]).toMatchObject([
      [{ status: 'SUCCEEDED' }],
      [],
    ])
  })

  it('that a workflow fires itself ends at the fifth run', async () => {
    const { id } = await onDeal('RECORD_UPDATED', {
      steps: [{ id: 'set', type: 'UPDATE_RECORD', config: { values: { nextStep: '{{run.id}}' } } }],
    })
    await change(await aDeal(), { name: 'Loop' })
    for (let round = 0; round < 8; round++) await flows.react(owner)
    expect((await flows.runs(owner, id)).map(({ depth, status }) => [depth, status])).toEqual(
      [1, 2, 3, 4, 5].map((depth) => [depth, 'SUCCEEDED']),
    )
  })

  it('by a schedule starts one run for each time, also late, and by the field of a record once for its time', async () => {
    const by = (triggerConfig: object, more: object = {}) =>
      flows.activate(owner, { triggerType: 'TIME_BASED', triggerConfig, steps: [task('At its time')], ...more })
    const cron = await by({ cron: '*/5 * * * *' })
    await flows.tick()
    expect(await flows.runs(owner, cron.id)).toEqual([])
    await platform.query(`update extensions.workflow_schedule set next_run_at = $2 where workflow_id = $1`, [
      cron.id,
      new Date(platform.now.getTime() - 10_800_000),
    ])
    await Promise.all([flows.tick(), flows.tick()])
    await flows.work()
    expect(await flows.runs(owner, cron.id)).toMatchObject([
      { status: 'SUCCEEDED', trigger: { type: 'TIME_BASED', recordId: null } },
    ])
    const due = await owner.rest.taskCreate!({
      body: { subject: 'Soon', dueDate: new Date(platform.now.getTime() + 3_600_000).toISOString() },
    })
    await owner.rest.taskCreate!({
      body: { subject: 'Later', dueDate: new Date(platform.now.getTime() + 9_000_000).toISOString() },
    })
    const field = await by({ field: 'dueDate', offsetMinutes: -60 }, { triggerEntity: 'TASK' })
    await platform.query(
      `update extensions.workflow_schedule set after = $2, next_run_at = null where workflow_id = $1`,
      [field.id, new Date(platform.now.getTime() - 300_000)],
    )
    await flows.tick()
    await platform.query(`update extensions.workflow_schedule set next_run_at = null where workflow_id = $1`, [
      field.id,
    ])
    await flows.tick()
    await flows.work()
    expect(await flows.runs(owner, field.id)).toMatchObject([
      { status: 'SUCCEEDED', trigger: { recordId: due.body.id } },
    ])
  })

  it('by a schedule waits while the organization is suspended, and is one late start when it is resumed', async () => {
    const { id } = await flows.activate(owner, {
      triggerType: 'TIME_BASED',
      triggerConfig: { cron: '*/5 * * * *' },
      steps: [task('Late')],
    })
    await flows.tick()
    await suspendOrganization(platform.services, owner.organizationId)
    platform.advanceClock(3_600_000)
    await flows.tick()
    const started = () => platform.query('select id from extensions.workflow_run where workflow_id = $1', [id])
    expect(await started()).toEqual([])
    await resumeOrganization(platform.services, owner.organizationId)
    await flows.tick()
    await flows.tick()
    expect(await started()).toHaveLength(1)
  })

  it('by a signed request of an automation is one deeper, and ends at the sixth', async () => {
    const { id, hookUrl, secret } = await flows.activate(owner, { triggerType: 'WEBHOOK', steps: [task('Deep')] })
    const send = async (depth: string) => {
      const [time, body] = [Math.floor(platform.now.getTime() / 1000), JSON.stringify({ depth })]
      const v1 = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'X-Service-Signature': `t=${time},v1=${v1}`,
        'X-Service-Function-Depth': depth,
      }
      const answer = await fetch(hookUrl, { method: 'POST', headers, body })
      return [answer.status, ((await answer.json()) as { code?: string }).code]
    }
    expect([await send('0'), await send('3'), await send('6')]).toEqual([
      [202, undefined],
      [202, undefined],
      [422, 'DEPTH_EXCEEDED'],
    ])
    expect((await flows.runs(owner, id)).map(({ depth }) => depth)).toEqual([1, 3])
  })

  it('by a signed request starts one run for each signed time and body', async () => {
    const conditions = [{ field: 'kind', operator: 'EQUALS', value: 'order' }]
    const { id, hookUrl, secret } = await flows.activate(owner, {
      triggerType: 'WEBHOOK',
      conditions,
      steps: [task('Order {{input.number}}')],
    })
    const send = async (body: string, key = secret, time = Math.floor(platform.now.getTime() / 1000)) => {
      const v1 = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'X-Service-Signature': `t=${time},v1=${v1}` }
      const answer = await fetch(hookUrl, { method: 'POST', headers, body })
      return [answer.status, (await answer.json()) as { runId?: string | null; code?: string }] as const
    }
    const time = Math.floor(platform.now.getTime() / 1000)
    const body = JSON.stringify({ kind: 'order', number: 17 })
    const [status, first] = await send(body, secret, time)
    expect([status, await send(body, secret, time)]).toEqual([202, [202, first]])
    expect(await send('{"kind":"other"}')).toEqual([202, { runId: null }])
    expect((await send(body, 'whsec_AAAA'))[0]).toBe(401)
    expect((await send(body, secret, time - 400))[0]).toBe(401)
    expect((await send('[1]'))[0]).toBe(400)
    await flows.work()
    expect((await flows.runs(owner, id)).map((run) => [run.id, run.status])).toEqual([[first.runId, 'SUCCEEDED']])
    expect(await subjects()).toEqual(['Order 17'])
    const { body: renewed } = await owner.rest.workflowRegenerateSecret!({ id })
    expect([(await send(body))[0], (await send(body, renewed.secret as string))[0]]).toEqual([401, 202])
    expect((await owner.rest.workflowPause!({ id })).status).toBe(200)
    expect((await send(body, renewed.secret as string, time - 1))[0]).toBe(409)
    const unknown = await fetch(`${hookUrl}x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(unknown.status).toBe(404)
  })
})

describe('runs', () => {
  it('of more than 500 starts in a minute pause their workflow, with notice', async () => {
    const { id } = await flows.activate(owner, { steps: [task('Loop')] })
    const ctx = systemContext(platform.services, owner.organizationId)
    const workflow = (
      await platform.query(
        'select id, steps, 1 as "stepsVersion", 0 as "delayMinutes", false as "runOnce" from extensions.workflow where id = $1',
        [id],
      )
    )[0]
    const started = { workflow, triggerType: 'MANUAL', depth: 1, startKey: null } as never
    const minute = new Date(Math.floor(platform.now.getTime() / 60_000) * 60_000).toISOString()
    await platform.query('insert into extensions.workflow_starts values ($1, $2, $3, 499)', [
      owner.organizationId,
      id,
      minute,
    ])
    await startRun(ctx, started)
    expect((await owner.rest.workflow!({ id })).body).toMatchObject({ status: 'ACTIVE', pausedReason: null })
    await startRun(ctx, started)
    expect((await owner.rest.workflow!({ id })).body).toMatchObject({
      status: 'PAUSED',
      pausedReason: 'TOO_MANY_STARTS',
    })
    await notify(platform, owner.organizationId)
    const { body } = await owner.rest.notificationList!()
    expect((body.data as { eventKey: string }[]).map(({ eventKey }) => eventKey)).toEqual(['workflow.paused'])
    await flows.work()
    expect((await flows.runs(owner, id)).map(({ status }) => status)).toEqual(['SKIPPED', 'SKIPPED'])
    expect(await subjects()).toEqual([])
  })

  it('are of one organization: others neither read, retry, cancel nor decide them', async () => {
    const { id } = await flows.activate(owner, {
      steps: [{ id: 'ask', type: 'APPROVAL', config: { approverIds: [owner.userId] } }],
    })
    const run = await flows.start(owner, id)
    await flows.work()
    const foreign = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const member = await platform.member({ organizationId: owner.organizationId, role: 'MEMBER' })
    const asked = async (by: Member) => [
      (await by.rest.workflowRun!({ id: run })).status,
      (await by.rest.workflowRunRetry!({ id: run })).status,
      (await by.rest.workflowRunCancel!({ id: run })).status,
      (await by.rest.workflowRunApprove!({ id: run, stepId: 'ask', body: {} })).status,
      (await by.rest.workflow!({ id })).status,
      (await by.rest.workflowRunStart!({ id, body: {} })).status,
    ]
    expect(await asked(foreign)).toEqual([404, 404, 404, 404, 404, 404])
    expect(await asked(member)).toEqual([403, 403, 403, 404, 403, 403])
    expect((await foreign.rest.workflowRunList!()).body.data).toEqual([])
    expect((await flows.read(owner, run)).status).toBe('WAITING')
    expect((await owner.rest.workflowRunCancel!({ id: run })).body).toMatchObject({
      status: 'CANCELLED',
      steps: [{ status: 'CANCELLED' }],
    })
  })

  it('of an endless loop end after 10,000 steps', async () => {
    const steps = [
      {
        id: 'one',
        type: 'BRANCH',
        config: {},
        branches: [{ conditions: [{ field: 'index', operator: 'IS_EMPTY' }], next: 'two' }],
        next: null,
      },
      { id: 'two', type: 'DELAY', config: { until: '2020-01-01T00:00:00Z' }, next: 'one' },
    ]
    const { id } = await flows.activate(owner, { steps })
    const run = await flows.start(owner, id)
    await platform.query(
      `update extensions.workflow_run set cursor = jsonb_set(cursor, '{position}', '10000'), executed_steps = 9999 where id = $1`,
      [run],
    )
    for (let round = 0; round < 3; round++) await flows.work()
    expect(await flows.read(owner, run)).toMatchObject({
      status: 'FAILED',
      executedSteps: 10_000,
      error: { code: 'STEP_LIMIT_REACHED' },
    })
  })

  it('of one organization do not stop those of another', async () => {
    const other = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const many = await flows.activate(owner, { steps: [task('Many')] })
    const one = await flows.activate(other, { steps: [task('One')] })
    for (let index = 0; index < 30; index++) await flows.start(owner, many.id)
    const id = await flows.start(other, one.id)
    const ended: string[] = []
    const counted = {
      ...runQueue,
      attempt: async (...args: Parameters<typeof runQueue.attempt>) => {
        const outcome = await runQueue.attempt(...args)
        ended.push(args[1].id)
        return outcome
      },
    }
    await drain(counted, platform.services)
    expect(ended).toHaveLength(31)
    expect(ended.indexOf(id)).toBeLessThan(10)
    expect((await flows.read(other, id)).status).toBe('SUCCEEDED')
  })
})

describe('a process that dies during a step', () => {
  /** What a process leaves that has begun a step, and has or has not had its effect. */
  async function dies(run: string): Promise<void> {
    await platform.query(
      `update extensions.workflow_run set status = 'RUNNING', state = 'QUEUED', ended_at = null, is_due = false, lease_token = gen_random_uuid(),
         attempts = 1, next_attempt_at = now() - interval '1 second', started_at = coalesce(started_at, now()),
         cursor = '{"next":"only","frames":[],"position":1,"attempt":1,"isOpen":true,"waits":0}' where id = $1`,
      [run],
    )
    await platform.query(
      `update extensions.workflow_run_step set status = 'RUNNING', output = null, ended_at = null where run_id = $1`,
      [run],
    )
  }

  it('has its effect on records once, when another process goes on', async () => {
    const steps = [{ id: 'only', type: 'CREATE_RECORD', config: { object: 'ACCOUNT', values: { name: 'Once AS' } } }]
    const { id } = await flows.activate(owner, { steps })
    const run = await flows.start(owner, id)
    await flows.work()
    const before = await flows.read(owner, run)
    await dies(run)
    await flows.work()
    const after = await flows.read(owner, run)
    expect(after).toMatchObject({ status: 'SUCCEEDED', executedSteps: 1 })
    expect(after.steps[0]!.output).toEqual(before.steps[0]!.output)
    expect((await owner.rest.accountList!({ query: { search: 'Once' } })).body.data).toHaveLength(1)
  })

  it('fails the run if repeating the step might do it twice', async () => {
    const source = 'export default () => 1'
    await owner.rest.serverlessFunctionCreate!({
      body: { apiName: 'one', name: 'One', source, language: 'javascript' },
    })
    const { id } = await flows.activate(owner, {
      steps: [{ id: 'only', type: 'FUNCTION', config: { functionApiName: 'one' } }],
    })
    const run = await flows.start(owner, id)
    await flows.work()
    await dies(run)
    await flows.work()
    expect(await flows.read(owner, run)).toMatchObject({
      status: 'FAILED',
      error: { code: 'INTERRUPTED', stepId: 'only' },
    })
    expect((await owner.rest.workflowRunRetry!({ id: run })).status).toBe(200)
    await flows.work()
    expect(await flows.read(owner, run)).toMatchObject({ status: 'SUCCEEDED', executedSteps: 2 })
  })
})
