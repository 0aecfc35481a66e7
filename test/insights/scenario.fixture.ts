import { expect, vi } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { scenarioRunQueue } from '../../subgraphs/insights/simulation/scenario-run.queue.ts'
import type { Member, Platform } from '../platform.ts'

export const aScenario = (values: object = {}) => ({ name: 'What if', iterations: 1000, ...values })

export async function scenario(member: Member, values: object = {}) {
  const { status, body } = await member.rest.scenarioCreate!({ body: aScenario(values) })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

let keys = 0
/** Queues a run without waiting for it. */
export const queueRun = (member: Member, id: string) =>
  member.rest.scenarioRun!({ id, headers: { 'Idempotency-Key': `run-${++keys}` } })

export const work = ({ services }: Platform): Promise<void> => drain(scenarioRunQueue, services)

/** Runs a scenario as a worker does, and returns it as the member sees it. */
export async function ran(platform: Platform, member: Member, id: string) {
  const queued = await queueRun(member, id)
  expect([queued.status, queued.body.status], JSON.stringify(queued.body)).toEqual([200, 'RUNNING'])
  await work(platform)
  return (await member.rest.scenario!({ id })).body
}

/** Creates and runs a scenario; returns its result. */
export const resultOf = async (platform: Platform, member: Member, values: object = {}) => {
  const { status, result } = await ran(platform, member, (await scenario(member, values)).id)
  expect(status).toBe('COMPLETED')
  return result
}

/** Resolves when a run is queued. */
export const untilQueued = ({ query }: Platform): Promise<unknown> =>
  vi.waitFor(
    async () =>
      expect(
        await query(`select 1 from insights.scenario_run where state = 'QUEUED' and lease_token is null`),
      ).toHaveLength(1),
    { timeout: 30_000, interval: 5 },
  )

let profiles = 0
export async function hide({ services }: Platform, member: Member, fields: object): Promise<void> {
  const ctx = systemContext(services, member.organizationId)
  const { id } = await createProfile(ctx, { name: `Profile ${++profiles}`, fields: fields as never })
  await assignProfile(ctx, member.userId, id)
}
