import { beforeAll, describe, expect, it } from 'vitest'
import { automationConsumer } from '../../subgraphs/extensions/subscription/automation-consumer.ts'
import { startScheduled } from '../../subgraphs/extensions/subscription/schedule.jobs.ts'
import { startQueue } from '../../subgraphs/extensions/subscription/start-queue.ts'
import { resumeOrganization, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let owner: Member
let organizationId: string

beforeAll(async () => {
  organizationId = await platform.organization('Starts')
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

/** Reads all committed events as one worker does. */
async function consume(of = organizationId): Promise<void> {
  await platform.services.database.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(platform.services, automationConsumer, of));
}
/** Starts all that is due. */
const start = () => drain(startQueue, platform.services)
const pass = (ms: number) => ageQueueItems(platform.services, startQueue.table, ms)

const echo = 'export default (input, { invocation }) => ({ input, invocation })'
async function aFunction(given: object = {}, who = owner) {
  const values = {
    apiName: `s_${newId().slice(-12).replaceAll('-', '')}`,
    name: 'Started',
    language: 'javascript',
    source: echo,
  }
  const { status, body } = await who.rest.serverlessFunctionCreate!({ body: { ...values, ...given } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body as { id: string; version: number }
}
const turnOff = async (id: string) =>
  expect((await owner.rest.serverlessFunctionUpdate!({ id, body: { isActive: false } })).status).toBe(200)
const anAccount = async (name: string, who = owner): Promise<string> =>
  (await who.rest.accountCreate!({ body: { name } })).body.id as string

interface Invocation {
  readonly trigger: string
  readonly status: string
  readonly output: {
    readonly input: { readonly scheduledFor?: string; readonly data?: { readonly id: string } }
  } | null
  readonly depth: number
  readonly attempt: number
  readonly eventId: string | null
}
const invocations = async (functionId: string): Promise<Invocation[]> =>
  (
    await platform.query<Omit<Invocation, 'output'> & { readonly output: string | null }>(
      `select trigger, status, output, depth, attempt, event_id as "eventId" from extensions.function_invocation
       where function_id = $1 order by id`,
      [functionId],
    )
  ).map((row) => ({ ...row, output: row.output === null ? null : (JSON.parse(row.output) as Invocation['output']) }))
const starts = (functionId: string) =>
  platform.query('select state, attempts, last_error as error from extensions.function_start where function_id = $1', [
    functionId,
  ])
const subscribers = () =>
  platform.query('select organization_id from extensions.event_subscriber where organization_id = $1', [organizationId])

describe('a function that events start', () => {
  it('gets the event, once, one deeper, and only events after it was turned on', async () => {
    await anAccount('Before')
    const { id } = await aFunction({ eventTypes: ['account.created'], scopes: ['READ_ACCOUNTS'] })
    const accountId = await anAccount('After')
    await owner.rest.accountUpdate!({ id: accountId, body: { name: 'Renamed' } })
    await consume()
    await start()
    const [event] = await platform.query<{ id: string }>(
      `select id from kernel.event where record_id = $1 and type = 'account.created'`,
      [accountId],
    )
    const [first, ...others] = await invocations(id)
    expect(others).toEqual([])
    expect(first).toMatchObject({ trigger: 'EVENT', status: 'SUCCEEDED', depth: 1, attempt: 1, eventId: event!.id })
    expect(first!.output!.input).toMatchObject({
      id: `evt_${event!.id}`,
      type: 'account.created',
      organizationId,
      data: { id: accountId, record: { name: 'After' } },
    })
    // The position of the consumer is lost, as in a restore: the same event starts nothing again.
    await platform.query(
      `update kernel.event_consumer set position = 0 where organization_id = $1 and name = 'automations'`,
      [organizationId],
    )
    await consume()
    await start()
    expect(await invocations(id)).toHaveLength(1)
    await turnOff(id)
  })

  it('sees what its user may see', async () => {
    const member = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await aFunction({ eventTypes: ['account.created'], runAsUserId: member.userId })
    await anAccount('Of the owner')
    const own = await anAccount('Of the member', member)
    await consume()
    await start()
    expect((await invocations(id)).map(({ output }) => output!.input.data?.id)).toEqual([own])
    expect(new Set((await starts(id)).map(({ state }) => state))).toEqual(new Set(['SKIPPED', 'SUCCEEDED']))
    await turnOff(id)
  })

  it('that causes its own event stops at depth 5', async () => {
    const source = `export default (input, { api }) =>
      api.graphql('mutation ($name: String!) { accountCreate(input: { name: $name }) { id } }', { name: 'Loop' })`
    const { id } = await aFunction({ eventTypes: ['account.created'], scopes: ['WRITE_ACCOUNTS'], source })
    await anAccount('Loop')
    for (let round = 0; round < 8; round++) {
      await consume()
      await start()
    }
    expect((await invocations(id)).map(({ status, depth }) => [status, depth])).toEqual(
      [1, 2, 3, 4, 5].map((depth) => ['SUCCEEDED', depth]),
    )
    expect(
      await platform.query(
        `select e.depth, e.origin->>'kind' as kind, e.origin->>'id' as id from crm.account a
         join kernel.event e on e.record_id = a.id where a.name = 'Loop' order by e.depth`,
      ),
    ).toEqual([
      { depth: 0, kind: null, id: null },
      ...[1, 2, 3, 4, 5].map((depth) => ({ depth, kind: 'FUNCTION', id })),
    ])
    await turnOff(id)
  })

  it('is retried after 10 s, 1, 5, 30 and 120 minutes, and then announced as failed', async () => {
    const { id } = await aFunction({
      eventTypes: ['account.created'],
      source: 'export default () => { throw new Error("no") }',
    })
    await anAccount('Fails')
    await consume()
    const waits: number[] = []
    for (;;) {
      await start()
      const [row] = await platform.query<{ state: string; wait: number }>(
        `select state, extract(epoch from next_attempt_at - clock_timestamp())::float8 as wait
         from extensions.function_start where function_id = $1`,
        [id],
      )
      if (row!.state !== 'QUEUED') break
      waits.push(Math.round(row!.wait / 10) * 10)
      await pass(Math.ceil(row!.wait * 1000) + 1)
    }
    expect(waits).toEqual([10, 60, 300, 1_800, 7_200])
    expect((await invocations(id)).map(({ status, attempt }) => [status, attempt])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => ['FAILED', attempt]),
    )
    expect(await starts(id)).toEqual([{ state: 'FAILED', attempts: 6, error: 'no' }])
    expect(await platform.query(`select type from kernel.event where type = 'function.failed'`)).toEqual([
      { type: 'function.failed' },
    ])
    await turnOff(id)
  })

  it('writes once although its process was killed after the write', async () => {
    const source = `export default (input, { api }) =>
      api.graphql('mutation { accountCreate(input: { name: "Killed" }) { id } }')`
    const { id } = await aFunction({ eventTypes: ['contact.created'], scopes: ['WRITE_ACCOUNTS'], source })
    expect((await owner.rest.contactCreate!({ body: { firstName: 'Ann', lastName: 'Lee' } })).status).toBe(201)
    await consume()
    await start()
    // As if the process had died before the outcome was recorded.
    await platform.query(
      `update extensions.function_start set state = 'QUEUED', is_due = true, finished_at = null, next_attempt_at = now() where function_id = $1`,
      [id],
    )
    await start()
    expect((await invocations(id)).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['SUCCEEDED', 1],
      ['SUCCEEDED', 2],
    ])
    expect(await platform.query(`select count(*)::int as count from crm.account where name = 'Killed'`)).toEqual([
      { count: 1 },
    ])
    await turnOff(id)
  })

  it('that is turned off after the event is not started, and its organization is no longer read', async () => {
    const { id } = await aFunction({ eventTypes: ['account.created'] })
    await anAccount('Queued')
    await consume()
    await turnOff(id)
    await start()
    expect([await invocations(id), await starts(id)]).toEqual([[], [{ state: 'SKIPPED', attempts: 1, error: null }]])
    expect(await subscribers()).toHaveLength(1)
    await anAccount('Unread')
    await consume()
    expect([await subscribers(), await starts(id)]).toMatchObject([[], [{ state: 'SKIPPED' }]])
  })
})

describe('a schedule', () => {
  const at = (time: string) => (platform.now = new Date(`2027-02-0${time}.000Z`))
  const run = async () => {
    await startScheduled(platform.services)
    await start()
  }

  it('waits while the organization is suspended, and is one late start when it is resumed', async () => {
    at('1T10:02:10')
    const other = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const { id } = await aFunction({ schedule: '*/5 * * * *' }, other)
    await run()
    await suspendOrganization(platform.services, other.organizationId)
    for (const time of ['1T10:05:01', '1T10:10:01']) {
      at(time)
      await run()
    }
    expect([await starts(id), await invocations(id)]).toEqual([[], []])
    await resumeOrganization(platform.services, other.organizationId)
    await run()
    await run()
    expect(await invocations(id)).toMatchObject([{ trigger: 'SCHEDULE', status: 'SUCCEEDED' }])
  })

  it('starts its function once per time, by two workers, and once for times that were missed', async () => {
    at('2T10:02:10')
    const { id } = await aFunction({ schedule: '*/5 * * * *' })
    await run()
    expect(await starts(id)).toEqual([])
    at('2T10:05:01')
    await Promise.all([startScheduled(platform.services), startScheduled(platform.services)])
    await run()
    const inputs = async () => (await invocations(id)).map(({ output }) => output!.input.scheduledFor)
    expect(await inputs()).toEqual(['2027-02-02T10:05:00.000Z'])
    expect((await invocations(id))[0]).toMatchObject({ trigger: 'SCHEDULE', depth: 1, attempt: 1, eventId: null })
    at('2T10:09:59')
    await run()
    expect(await inputs()).toHaveLength(1)
    at('2T11:31:00')
    await run()
    expect(await inputs()).toEqual(['2027-02-02T10:05:00.000Z', '2027-02-02T10:10:00.000Z'])
    at('2T11:35:00')
    await run()
    expect((await inputs()).at(-1)).toBe('2027-02-02T11:35:00.000Z')
    await turnOff(id)
    at('2T12:00:00')
    await run()
    expect(await inputs()).toHaveLength(3)
  })

  it('saved in a minute comes true in the next one, and a new schedule replaces the old one', async () => {
    at('3T10:04:59')
    const { id } = await aFunction({ schedule: '5 10 * * *' })
    at('3T10:05:00')
    await run()
    expect(await invocations(id)).toHaveLength(1)
    await owner.rest.serverlessFunctionUpdate!({ id, body: { schedule: '0 12 * * *' } })
    at('3T12:00:30')
    await run()
    expect((await invocations(id)).map(({ output }) => output!.input.scheduledFor)).toEqual([
      '2027-02-03T10:05:00.000Z',
      '2027-02-03T12:00:00.000Z',
    ])
    await owner.rest.serverlessFunctionDelete!({ id })
    expect(await platform.query('select from extensions.function_schedule where function_id = $1', [id])).toEqual([])
  })
})
