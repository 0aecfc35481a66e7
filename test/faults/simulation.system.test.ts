import { beforeAll, describe, expect, it, vi } from 'vitest'
import { each, account, opportunity } from '../builders.ts'
import { queueRun, scenario } from '../insights/scenario.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Killed') })
  const { id: accountId } = await account(member)
  await each(Array.from({ length: 150 }), () => opportunity(member, { accountId, amount: 100, stage: 'PROPOSAL' }))
})

describe('a worker that is killed while it simulates', { timeout: 240_000 }, () => {
  it('leaves the run to the next one, which gives the same result as one that was never interrupted', async () => {
    const whole = { iterations: 100_000, horizonStart: '2027-02-01', horizonEnd: '2027-12-31' }
    const [killed, quiet] = [await scenario(member, whole), await scenario(member, whole)]
    const read = async (id: string) => (await member.rest.scenario!({ id })).body
    await queueRun(member, killed.id)
    const worker = await aWorker(platform)
    const progress = async () =>
      (
        await platform.query<{ progress: number }>(
          'select progress from insights.scenario_run where scenario_id = $1',
          [killed.id],
        )
      )[0]!.progress
    await worker.start('insights.forgetRuns')
    await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(0), patience)
    await worker.kill()
    expect(await read(killed.id)).toMatchObject({ status: 'RUNNING', result: null })

    // The lease ends.
    await platform.query(`update insights.scenario_run set next_attempt_at = now() where state = 'QUEUED'`)
    await worker.start('insights.forgetRuns')
    await vi.waitFor(async () => expect((await read(killed.id)).status).toBe('COMPLETED'), patience)
    await queueRun(member, quiet.id)
    await vi.waitFor(async () => expect((await read(quiet.id)).status).toBe('COMPLETED'), patience)
    await worker.kill()
    const { result } = await read(killed.id)
    expect(result.deals).toBe(150)
    // The worker has the clock of the machine, and may have run on two days.
    expect({ ...(await read(quiet.id)).result, dataVersion: '' }).toEqual({ ...result, dataVersion: '' })
  })
})
