import { beforeAll, describe, expect, it } from 'vitest'
import { dueMails } from '../../subgraphs/events/notification/mail/due-mails.job.ts'
import { runFunction } from '../../subgraphs/extensions/function/run-function.ts'
import { startRun } from '../../subgraphs/extensions/workflow/start-run.ts'
import { updateUser } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { workflowsOf } from '../extensions/workflows.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { mailsTo, memberWithEmail, notify } from './notify.ts'

const platform = usePlatform()
let flows: ReturnType<typeof workflowsOf>

beforeAll(() => {
  flows = workflowsOf(platform)
})

const anOwner = async () => memberWithEmail(platform, { organizationId: await platform.organization(), role: 'OWNER' })

/** A function that fails, and how it fails for the last time. */
async function aFailingFunction({ rest, organizationId }: Member, apiName: string) {
  const source = 'export default () => { throw new RangeError("The stock is empty") }'
  const { body } = await rest.serverlessFunctionCreate!({
    body: { apiName, name: 'F', language: 'javascript', source },
  })
  const functionId = body.id as string
  const fail = async () => {
    const start = { organizationId, functionId, trigger: 'SCHEDULE', input: {}, depth: 1, isLastAttempt: true } as const
    return (await runFunction(platform.services, start))!.invocationId
  }
  return { id: functionId, versionId: body.deployedVersionId as string, fail }
}

/** A workflow of which each run fails. */
const aFailingWorkflow = (owner: Member) =>
  flows.activate(owner, {
    name: 'Empty the list',
    steps: [{ id: 'gone', type: 'DELETE_RECORD', config: { object: 'LEAD', recordId: '{{input.id}}' } }],
  })
async function failingRun(owner: Member, workflowId: string): Promise<string> {
  const run = await flows.start(owner, workflowId, { input: { id: '019a0c5e-7f00-7a31-8b1c-2d3e4f5a6b7c' } })
  await flows.work()
  return run
}

/** Starts a workflow once more than it may be started in a minute. */
async function overstart(owner: Member, workflowId: string): Promise<void> {
  const [workflow] = await platform.query(
    'select id, steps, 1 as "stepsVersion", 0 as "delayMinutes", false as "runOnce" from extensions.workflow where id = $1',
    [workflowId],
  )
  const minute = new Date(Math.floor(platform.now.getTime() / 60_000) * 60_000).toISOString()
  const values = [owner.organizationId, workflowId, minute]
  await platform.query(
    `insert into extensions.workflow_starts values ($1, $2, $3, 500)
     on conflict (organization_id, workflow_id) do update set minute = $3, count = 500`,
    values,
  )
  const started = { workflow, triggerType: 'MANUAL', depth: 1, startKey: null } as never
  await startRun(systemContext(platform.services, owner.organizationId), started)
}

const eventsOf = (owner: Member, type: string) =>
  platform.query<{ record_id: string; version: number; actor_id: string | null; data: Record<string, unknown> }>(
    'select record_id, version, actor_id, data from kernel.event where organization_id = $1 and type = $2 order by id',
    [owner.organizationId, type],
  )
const noticesOf = ({ userId }: Member) =>
  platform.query(
    `select event_key, category, priority, title, body, entity_type, entity_id, group_key, email from events.notification
     where user_id = $1 order by created_at, id`,
    [userId],
  )

describe('a failure of automation', () => {
  it('of a function is one event, one notice and one mail', async () => {
    const owner = await anOwner()
    const { id, versionId, fail } = await aFailingFunction(owner, 'count_stock')
    const invocationId = await fail()
    expect(await eventsOf(owner, 'function.failed')).toEqual([
      {
        record_id: invocationId,
        version: 1,
        actor_id: owner.userId,
        data: expect.objectContaining({
          record: {
            id: invocationId,
            organizationId: owner.organizationId,
            functionId: id,
            apiName: 'count_stock',
            ownerId: owner.userId,
            versionId,
            trigger: 'SCHEDULE',
            status: 'FAILED',
            error: 'RangeError: The stock is empty',
            eventId: null,
            startedAt: expect.any(String),
          },
        }),
      },
    ])
    for (let read = 0; read < 2; read++) await notify(platform, owner.organizationId)
    expect(await noticesOf(owner)).toEqual([
      {
        event_key: 'function.failed',
        category: 'INTEGRATIONS',
        priority: 'NORMAL',
        title: 'A function of yours has failed: count_stock',
        body: 'RangeError: The stock is empty',
        entity_type: 'function_invocation',
        entity_id: invocationId,
        group_key: `function.failed:${id}`,
        email: 'SENT',
      },
    ])
    expect(await mailsTo(platform, owner.userId)).toEqual([
      {
        subject: 'A function of yours has failed',
        text: expect.stringContaining('A function of yours has failed: “count_stock”'),
      },
    ])
  })

  it('of a run of a workflow is one event, one notice and one mail', async () => {
    const owner = await anOwner()
    const { id } = await aFailingWorkflow(owner)
    const run = await failingRun(owner, id)
    const message = 'The lead was not found.'
    expect(await eventsOf(owner, 'workflow.failed')).toEqual([
      {
        record_id: run,
        version: 1,
        actor_id: null,
        data: expect.objectContaining({
          record: {
            id: run,
            organizationId: owner.organizationId,
            workflowId: id,
            workflowName: 'Empty the list',
            ownerId: owner.userId,
            stepId: 'gone',
            recordType: null,
            recordId: null,
            errorCode: 'NOT_FOUND',
            errorMessage: message,
          },
        }),
      },
    ])
    for (let read = 0; read < 2; read++) await notify(platform, owner.organizationId)
    expect(await noticesOf(owner)).toEqual([
      {
        event_key: 'workflow.failed',
        category: 'INTEGRATIONS',
        priority: 'NORMAL',
        title: 'A workflow of yours has failed: Empty the list',
        body: message,
        entity_type: 'workflow_run',
        entity_id: run,
        group_key: `workflow.failed:${id}`,
        email: 'SENT',
      },
    ])
    expect(await mailsTo(platform, owner.userId)).toEqual([
      {
        subject: 'A workflow of yours has failed',
        text: expect.stringContaining('A workflow of yours has failed: “Empty the list”'),
      },
    ])
  })

  it('of a workflow that is started too often is one event, one notice and one mail', async () => {
    const owner = await anOwner()
    const { id } = await aFailingWorkflow(owner)
    await overstart(owner, id)
    const [event, ...others] = await eventsOf(owner, 'workflow.paused')
    expect([others, event!.record_id, event!.version, event!.actor_id]).toEqual([[], id, 1, null])
    expect(event!.data).toMatchObject({
      record: {
        id,
        name: 'Empty the list',
        status: 'PAUSED',
        pausedReason: 'TOO_MANY_STARTS',
        createdById: owner.userId,
      },
      previous: { status: 'ACTIVE', pausedReason: null },
    })
    expect(JSON.stringify(event!.data)).not.toMatch(/secret|hookToken/i)
    for (let read = 0; read < 2; read++) await notify(platform, owner.organizationId)
    expect(await noticesOf(owner)).toEqual([
      {
        event_key: 'workflow.paused',
        category: 'INTEGRATIONS',
        priority: 'HIGH',
        title: 'A workflow of yours was paused: Empty the list',
        body: 'It was started more than 500 times in a minute. Activate it again when it is mended.',
        entity_type: 'workflow',
        entity_id: id,
        group_key: `workflow.paused:${id}`,
        email: 'SENT',
      },
    ])
    expect(await mailsTo(platform, owner.userId)).toEqual([
      {
        subject: 'A workflow of yours was paused',
        text: expect.stringContaining('A workflow of yours was paused: “Empty the list”'),
      },
    ])
  })

  it('is told to the owners of the organization if the users of the record are no administrators any more', async () => {
    const owner = await anOwner()
    const { organizationId } = owner
    const [admin, other] = [
      await memberWithEmail(platform, { organizationId, role: 'ADMIN' }),
      await memberWithEmail(platform, { organizationId, role: 'ADMIN' }),
    ]
    const { id } = await aFailingWorkflow(admin)
    const failing = await aFailingFunction(admin, 'count_stock')
    const keysOf = async (member: Member) => (await noticesOf(member)).map((notice) => String(notice['event_key']))
    await failing.fail()
    await notify(platform, organizationId)
    expect([await keysOf(admin), await keysOf(owner)]).toEqual([['function.failed'], []])

    await updateUser(platform.services, organizationId, admin.userId, { role: 'MEMBER' })
    await overstart(owner, id)
    await failing.fail()
    await notify(platform, organizationId)
    expect((await keysOf(owner)).toSorted()).toEqual(['function.failed', 'workflow.paused'])
    expect([await keysOf(admin), await keysOf(other)]).toEqual([['function.failed'], []])
  })

  it('is one line of the digest for each function and each workflow', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const owner = await anOwner()
    const digest = { enabled: true, time: '08:00', timezone: 'UTC', followProfile: false }
    expect((await owner.rest.notificationPreferencesUpdate!({ body: { digest } })).status).toBe(200)
    const [one, other] = [await aFailingFunction(owner, 'count_stock'), await aFailingFunction(owner, 'send_order')]
    for (const { fail } of [one, one, one, other]) await fail()
    const { id } = await aFailingWorkflow(owner)
    for (let run = 0; run < 2; run++) await failingRun(owner, id)
    await notify(platform, owner.organizationId)
    platform.now = new Date('2027-02-02T08:00:00.000Z')
    await dueMails.run(platform.services)
    const [mail, ...others] = await mailsTo(platform, owner.userId)
    expect([others, mail!.subject]).toEqual([[], '6 notifications'])
    expect(mail!.text.split('\n').filter((line) => line.includes('failed'))).toEqual([
      'A workflow of yours has failed: “Empty the list” (2 times)',
      'A function of yours has failed: “send_order”',
      'A function of yours has failed: “count_stock” (3 times)',
    ])
  })

  it('is told to nobody who is no administrator any more, and to no other organization', async () => {
    const owner = await anOwner()
    const [workflow, failing] = [await aFailingWorkflow(owner), await aFailingFunction(owner, 'count_stock')]
    const { organizationId } = owner
    const colleague = await memberWithEmail(platform, { organizationId, role: 'ADMIN' })
    const stranger = await anOwner()
    await failing.fail()
    await failingRun(owner, workflow.id)
    await overstart(owner, workflow.id)
    await platform.query(`update identity.app_user set role = 'MANAGER' where id = $1`, [owner.userId])
    await notify(platform, organizationId)
    await notify(platform, stranger.organizationId)
    for (const member of [owner, colleague, stranger]) {
      expect(await noticesOf(member)).toEqual([])
      expect(await mailsTo(platform, member.userId)).toEqual([])
      expect((await member.rest.notificationList!()).body.data).toEqual([])
    }
  })
})
