import { beforeAll, describe, expect, it, vi } from 'vitest'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sendDespiteKills } from './killed-server.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
const changes = 40
let member: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

/** Writes two contacts for an account, so that a process may die between them. */
const source = (
  name: string,
) => `const create = 'mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { id } }'
export default async (input, { api }) => {
  const { name } = (input.record ?? input.data.record)
  for (const part of ['a', 'b']) {
    const { errors } = await api.graphql(create, { input: { firstName: '${name} ' + part, lastName: name } })
    if (errors) throw new Error(errors[0].message)
  }
}`

async function aFunction(apiName: string, settings: object = {}): Promise<void> {
  const body = { apiName, name: apiName, language: 'javascript', source: source(apiName), scopes: ['WRITE_CONTACTS'] }
  expect((await member.rest.serverlessFunctionCreate!({ body: { ...body, ...settings } })).status).toBe(201)
}

describe('a worker that is killed while it runs functions', { timeout: 240_000 }, () => {
  it('has each effect of triggers and of functions started by events once, whenever it dies', async () => {
    for (const [position, apiName] of ['first', 'second'].entries()) {
      await aFunction(apiName)
      const body = { objectType: 'ACCOUNT', name: apiName, operations: ['CREATE'], function: apiName, position }
      expect((await member.rest.afterSaveTriggerCreate!({ body } as never)).status).toBe(201)
    }
    await aFunction('by_event', { eventTypes: ['account.created'] })
    for (let index = 0; index < changes; index++) await account(member, { name: `A${index}` })

    const contacts = () =>
      platform.query<{ name: string }>(
        `select first_name || ' ' || last_name as name from crm.contact where organization_id = $1`,
        [member.organizationId],
      )
    const queues = ['extensions.trigger_run', 'extensions.function_start']
    // A dead process keeps its leases for a minute, and what failed with it would wait for its retry.
    const endLeases = async () => {
      for (const table of queues)
        await platform.query(`update ${table} set next_attempt_at = now() where state = 'QUEUED' and not is_due`)
    }
    const all = changes * 6
    const worker = await aWorker(platform)
    for (const part of [0.1, 0.35, 0.6, 0.85]) {
      await endLeases()
      await worker.start('triggers.deleteRuns')
      await vi.waitFor(async () => expect((await contacts()).length).toBeGreaterThan(all * part), patience)
      await worker.kill()
    }
    await endLeases()
    await worker.start('triggers.deleteRuns')
    const ended = () =>
      platform.query<{ state: string; n: number }>(
        `select state, count(*)::int as n from (${queues.map((table) => `select state from ${table} where organization_id = $1`).join(' union all ')}) q group by 1`,
        [member.organizationId],
      )
    await vi.waitFor(async () => expect(await ended()).toEqual([{ state: 'SUCCEEDED', n: changes * 2 }]), patience)
    await worker.kill()

    const expected = Array.from({ length: changes }, (_, index) =>
      ['by_event', 'first', 'second'].flatMap((name) => [`${name} a A${index}`, `${name} b A${index}`]),
    ).flat()
    expect((await contacts()).map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
    const repeated = await platform.query<{ n: number }>(
      `select count(*)::int as n from extensions.function_invocation where organization_id = $1 and attempt > 1`,
      [member.organizationId],
    )
    // Some of them were interrupted, or the test has killed nothing that ran.
    expect(repeated[0]!.n).toBeGreaterThan(0)
  })
})

describe('a server that is killed while it invokes functions', { timeout: 240_000 }, () => {
  it('has each effect once for an Idempotency-Key, and repeats its answer', async () => {
    member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
    await aFunction('invoked', { httpEnabled: true })
    const count = 60
    const names = Array.from({ length: count }, (_, index) => `A${index}`)
    const contacts = () =>
      platform.query<{ name: string }>(
        `select first_name || ' ' || last_name as name from crm.contact where organization_id = $1`,
        [member.organizationId],
      )
    const requests = names.map((name) => ({
      path: '/v1/functions/invoked/invoke',
      headers: { 'x-service-function-depth': '0' },
      body: { input: { record: { name } } },
    }))
    const { first, repeated } = await sendDespiteKills(platform, member, requests, {
      parts: [0.2, 0.6].map((part) => part * 2 * count),
      progress: async () => (await contacts()).length,
    })
    expect(first).toEqual(names.map(() => expect.objectContaining({ status: 'SUCCEEDED', error: null })))
    expect(repeated).toEqual(first)
    const expected = names.flatMap((name) => [`invoked a ${name}`, `invoked b ${name}`])
    expect((await contacts()).map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
    // An invocation is logged with its answer.
    const [logged] = await platform.query<{ n: number }>(
      'select count(*)::int as n from extensions.function_invocation where organization_id = $1',
      [member.organizationId],
    )
    expect(logged!.n).toBe(count)
  })
})
