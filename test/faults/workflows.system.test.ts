import { beforeAll, describe, expect, it, vi } from 'vitest'
import { runQueue } from '../../subgraphs/extensions/workflow/run-queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sendDespiteKills } from './killed-server.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
const runs = 6
const items = 25
let member: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while it executes workflows', { timeout: 240_000 }, () => {
  it('has each effect of each step once, whenever it dies, also after a delay', async () => {
    const values = { name: '{{input.run}}-{{item}}' }
    const steps = [
      { id: 'each', type: 'LOOP', config: { items: '{{input.items}}', body: 'create' }, next: 'wait' },
      { id: 'create', type: 'CREATE_RECORD', config: { object: 'ACCOUNT', values } },
      { id: 'wait', type: 'DELAY', config: { minutes: 60 }, next: 'end' },
      { id: 'end', type: 'CREATE_TASK', config: { subject: 'End of {{input.run}}' } },
    ]
    const { body: workflow } = await member.rest.workflowCreate!({
      body: { name: 'Killed', triggerType: 'MANUAL', steps },
    })
    expect((await member.rest.workflowActivate!({ id: workflow.id })).status).toBe(200)
    for (let run = 0; run < runs; run++) {
      const input = { run, items: Array.from({ length: items }, (_, index) => index) }
      expect((await member.rest.workflowRunStart!({ id: workflow.id, body: { input } })).status).toBe(202)
    }
    const count = async (table: string, condition = 'true') =>
      (
        await platform.query<{ n: number }>(
          `select count(*)::int as n from ${table} where organization_id = $1 and ${condition}`,
          [member.organizationId],
        )
      )[0]!.n
    const accounts = () => count('crm.account')
    const waiting = () => count('extensions.workflow_run', `status = 'WAITING'`)
    // A dead process keeps its leases for minutes.
    const endLeases = () =>
      platform.query(
        `update extensions.workflow_run set next_attempt_at = now() where lease_token is not null and not is_due and state = 'QUEUED'`,
      )
    const worker = await aWorker(platform)
    for (const part of [0.1, 0.4, 0.8]) {
      await endLeases()
      await worker.start('workflows.forgetRuns')
      await vi.waitFor(async () => expect(await accounts()).toBeGreaterThan(runs * items * part), patience)
      await worker.kill()
    }
    await endLeases()
    await worker.start('workflows.forgetRuns')
    await vi.waitFor(async () => expect(await waiting()).toBe(runs), patience)
    await worker.kill()
    await platform.query(
      `update extensions.workflow_run set resume_at = now(), next_attempt_at = now() where status = 'WAITING' and organization_id = $1`,
      [member.organizationId],
    )
    await worker.start('workflows.forgetRuns')
    await vi.waitFor(
      async () => expect(await count('extensions.workflow_run', `status = 'SUCCEEDED'`)).toBe(runs),
      patience,
    )
    await worker.kill()

    const names = await platform.query<{ name: string }>('select name from crm.account where organization_id = $1', [
      member.organizationId,
    ])
    expect(names.map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: runs * items }, (_, index) => `${Math.floor(index / items)}-${index % items}`).toSorted(),
    )
    const subjects = await platform.query<{ subject: string }>(
      'select subject from crm.task where organization_id = $1',
      [member.organizationId],
    )
    expect(subjects.map(({ subject }) => subject).toSorted()).toEqual(
      Array.from({ length: runs }, (_, run) => `End of ${run}`),
    )
    expect(await count('extensions.workflow_run_step', `status <> 'SUCCEEDED'`)).toBe(0)
  })
})

describe('a server that is killed while runs are approved', { timeout: 240_000 }, () => {
  it('decides each once, goes on with each once, and repeats its answers', async () => {
    member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
    const count = 60
    const config = { approverIds: [member.userId], message: 'May it go on?' }
    const steps = [
      { id: 'ask', type: 'APPROVAL', config, next: 'end' },
      { id: 'end', type: 'CREATE_TASK', config: { subject: 'End of {{input.run}} by {{steps.ask.output.comment}}' } },
    ]
    const { body: workflow } = await member.rest.workflowCreate!({
      body: { name: 'Approved', triggerType: 'MANUAL', steps },
    })
    expect((await member.rest.workflowActivate!({ id: workflow.id })).status).toBe(200)
    const ids: string[] = []
    for (let run = 0; run < count; run++)
      ids.push((await member.rest.workflowRunStart!({ id: workflow.id, body: { input: { run } } })).body.id as string)
    await drain(runQueue, platform.services)
    const rows = <R>(select: string) =>
      platform.query<R>(`${select} where organization_id = $1`, [member.organizationId])
    const subjects = () => rows<{ subject: string }>('select subject from crm.task')
    const { first, repeated } = await sendDespiteKills(
      platform,
      member,
      ids.map((id, run) => ({ path: `/v1/workflow-runs/${id}/steps/ask/approve`, body: { comment: `reason ${run}` } })),
      {
        parts: [0.2, 0.6].map((part) => part * count),
        progress: async () =>
          (await rows<{ decision: string | null }>('select decision from extensions.workflow_run_step')).filter(
            ({ decision }) => decision !== null,
          ).length,
        // A dead process keeps its leases for minutes.
        restarted: () =>
          platform.query(
            `update extensions.workflow_run set next_attempt_at = now()
             where lease_token is not null and not is_due and state = 'QUEUED'`,
          ),
      },
    )
    expect(first).toEqual(ids.map((id) => expect.objectContaining({ id, status: 'RUNNING' })))
    expect(repeated).toEqual(first)
    const ended = async () =>
      (await rows<{ status: string }>('select status from extensions.workflow_run')).map(({ status }) => status)
    await vi.waitFor(async () => expect(new Set(await ended())).toEqual(new Set(['SUCCEEDED'])), patience)
    expect((await subjects()).map(({ subject }) => subject).toSorted()).toEqual(
      ids.map((_, run) => `End of ${run} by reason ${run}`).toSorted(),
    )
  })
})
