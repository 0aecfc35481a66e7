import { expect, it } from 'vitest'
import { eventRecoveryQueue } from '../../subgraphs/events/delivery/event-recovery.queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { account, lead } from '../builders.ts'
import type { Member } from '../platform.ts'
import { accountEvents, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const turn = (id: string, isEnabled: boolean) =>
  used.owner.rest[isEnabled ? 'webhookEnable' : 'webhookDisable']!({ id } as never)

const recover = async (id: string, body: object, by: Member = used.owner) => {
  const answer = await by.rest.webhookRecover!({ id, body } as never)
  return [answer.status, answer.body.code ?? answer.body, answer.body.errors?.[0]] as const
}
const started = [202, { queued: 0, hasMore: false, isComplete: false }, undefined]

/** Queues what can be queued, as the workers do. */
const queueRecovered = async () => {
  await platform.query('select kernel.assign_event_positions(100000)')
  await ageQueueItems(platform.services, eventRecoveryQueue.table, 5_000)
  await drain(eventRecoveryQueue, platform.services)
}
const stateOf = (id: string) =>
  platform.query<{ state: string; queued: number; error: string | null }>(
    `select state, queued::int, last_error as error from events.webhook_recovery where webhook_id = $1 order by created_at`,
    [id],
  )
/** The event ids of the deliveries of the webhook, in the order in which they were queued. */
const deliveredTo = async (id: string): Promise<string[]> => {
  const rows = await platform.query<{ eventId: string }>(
    `select event_id as "eventId" from events.delivery_shown where webhook_id = $1 and attempt = 1 order by id`,
    [id],
  )
  return rows.map(({ eventId }) => eventId)
}

interface Listed {
  readonly id: string
  readonly type: string
}
async function listed(types: string): Promise<Listed[]> {
  await platform.query('select kernel.assign_event_positions(100000)')
  return (await used.owner.rest.eventList!({ query: { types, limit: 500 } as never })).body.data as Listed[]
}

it('a webhook that was off gets the events of the time as normal deliveries, in the order of the log', async () => {
  const { owner, receiver } = used
  const { id } = await aWebhook(used, { events: ['account.*'] })
  await account(owner, { name: 'Before' })
  await deliverAll(used)
  platform.advanceClock(60_000)
  await turn(id, false)
  const from = platform.now.toISOString()
  const { id: changed } = await account(owner, { name: 'While it was off' })
  await lead(owner)
  await owner.rest.accountUpdate!({ id: changed, body: { name: 'Changed while it was off' } })
  platform.advanceClock(1_000)
  const to = platform.now.toISOString()
  platform.advanceClock(60_000)
  await account(owner, { name: 'Later' })
  await deliverAll(used)
  receiver.take()
  expect((await recover(id, { from })).slice(0, 2)).toEqual([409, 'INVALID_STATE'])
  await turn(id, true)
  await deliverAll(used)
  expect(receiver.take()).toEqual([])

  const before = await deliveredTo(id)
  expect(await recover(id, { from, to })).toEqual(started)
  await queueRecovered()
  const events = (await listed('account.*')).slice(1)
  expect(events.map(({ type }) => type)).toEqual(['account.created', 'account.updated', 'account.created'])
  expect((await deliveredTo(id)).slice(before.length)).toEqual(events.slice(0, 2).map((event) => event.id))
  const list = (await owner.rest.webhookDeliveryList!({ id, query: { status: 'PENDING' } } as never)).body
  expect(list).toMatchObject({ total: 2, data: [{ isReplay: false, isTest: false, attempt: 1 }, {}] })
  await deliverAll(used)
  const sent = receiver.take().map(({ text }) => (JSON.parse(text) as { id: string }).id)
  expect(sent.toSorted()).toEqual(
    events
      .slice(0, 2)
      .map((event) => event.id)
      .toSorted(),
  )
  expect(await stateOf(id)).toEqual([{ state: 'DONE', queued: 2, error: null }])

  // Without `to`, up to now; by GraphQL.
  const { body } = await owner.graphql(
    'mutation ($id: ID!, $from: DateTime) { webhookRecover(id: $id, from: $from) { queued hasMore isComplete } }',
    { id, from: to },
  )
  expect(body.data.webhookRecover).toEqual(started[1])
  await queueRecovered()
  expect((await deliveredTo(id)).at(-1)).toBe(events[2]!.id)
  expect((await stateOf(id)).map(({ queued }) => queued)).toEqual([2, 1])
})

/** A turn of a process that has leased the recovery, and ends behind its first batch. */
async function leased(webhookId: string) {
  const token = newId()
  const [row] = await platform.query<{ id: string; from: number; to: number }>(
    `update events.webhook_recovery set lease_token = $2, is_due = false, attempts = 1 where webhook_id = $1
     returning id, (extract(epoch from from_time) * 1000)::float8 as "from", (extract(epoch from to_time) * 1000)::float8 as "to"`,
    [webhookId, token],
  )
  const organization = used.owner.organizationId
  const item = { ...row!, webhookId, organization, token, lostToken: null, attempts: 1 }
  return () => eventRecoveryQueue.attempt(platform.services, item, AbortSignal.abort())
}

it('goes on where a process died, with each event once, and never more than 1,000 ahead of the receiver', async () => {
  const { owner } = used
  const { id } = await aWebhook(used, { events: ['account.created'] })
  await turn(id, false)
  const from = platform.now.toISOString()
  const written = await accountEvents(platform, owner, 1_200)
  await turn(id, true)
  platform.advanceClock(1_000)
  expect(await recover(id, { from })).toEqual(started)

  // A process that dies behind its first batch: its outcome is never recorded.
  const attempt = await leased(id)
  expect(await attempt()).toMatchObject({ isWait: true })
  const first = await deliveredTo(id)
  expect([first.length > 0, first.length < 1_000]).toEqual([true, true])

  await queueRecovered()
  await queueRecovered()
  // The process was only slow: it has lost its lease, and changes nothing.
  expect(await attempt()).toMatchObject({ isWait: true })
  const ahead = await deliveredTo(id)
  expect([ahead.length > 500, ahead.length <= 1_000]).toEqual([true, true])
  expect(ahead).toEqual(written.slice(0, ahead.length))
  expect((await stateOf(id))[0]).toMatchObject({ state: 'QUEUED', queued: ahead.length })
  await deliverAll(used)
  await queueRecovered()
  await deliverAll(used)
  expect(await stateOf(id)).toMatchObject([{ state: 'DONE', queued: 1_200 }])
  const sent = used.receiver.take().map(({ headers }) => headers['x-service-event-id'])
  expect(sent).toHaveLength(1_200)
  expect(new Set(sent)).toEqual(new Set(written))
})

it('ends when the webhook is turned off meanwhile, and a webhook has one recovery at a time', async () => {
  const { owner } = used
  const { id } = await aWebhook(used, { events: ['account.created'] })
  const from = platform.now.toISOString()
  await account(owner)
  platform.advanceClock(1_000)
  expect(await recover(id, { from })).toEqual(started)
  expect((await recover(id, { from })).slice(0, 2)).toEqual([409, 'INVALID_STATE'])
  await turn(id, false)
  await queueRecovered()
  expect(await stateOf(id)).toMatchObject([{ state: 'FAILED', queued: 0 }])
  expect(await deliveredTo(id)).toEqual([])
  await turn(id, true)
  expect(await recover(id, { from })).toEqual(started)
})

it('fails when events of the time are deleted from the log before it has read them', async () => {
  const { owner } = used
  const { id } = await aWebhook(used, { events: ['account.created'] })
  await turn(id, false)
  const from = platform.now.toISOString()
  await accountEvents(platform, owner, 700)
  await turn(id, true)
  platform.advanceClock(1_000)
  expect(await recover(id, { from })).toEqual(started)
  expect(await (await leased(id))()).toMatchObject({ isWait: true })
  const first = await deliveredTo(id)
  expect([first.length > 0, first.length < 690]).toEqual([true, true])
  await platform.query(
    `delete from kernel.event_log where organization_id = $1 and position < (select max(position) from kernel.event_log where organization_id = $1)`,
    [owner.organizationId],
  )
  await queueRecovered()
  const error = 'Events of the time are not kept any more.'
  expect(await stateOf(id)).toEqual([{ state: 'FAILED', queued: first.length, error }])
  expect(await deliveredTo(id)).toEqual(first)
})

it('refuses times before the log and times that are none, and whoever may not change the webhook', async () => {
  const { owner } = used
  const { organizationId } = owner
  const { id } = await aWebhook(used, { events: ['account.created'] })
  const from = platform.now.toISOString()
  platform.advanceClock(60_000)
  const later = platform.now.toISOString()
  await account(owner)
  platform.advanceClock(60_000)
  await platform.query('select kernel.assign_event_positions(100000)')
  const refused = async (body: object, by?: Member) => {
    const [status, code, problem] = await recover(id, body, by)
    return [status, code, problem?.path, problem?.code]
  }
  const invalid = (path: string, code: string) => [400, 'VALIDATION_FAILED', path, code]
  expect(await refused({})).toEqual(invalid('since', 'REQUIRED'))
  expect(await refused({ since: from, from })).toEqual(invalid('from', 'NOT_ALLOWED'))
  expect(await refused({ since: from, to: from })).toEqual(invalid('to', 'NOT_ALLOWED'))
  expect(await refused({ to: from })).toEqual(invalid('since', 'REQUIRED'))
  expect(await refused({ from: later, to: from })).toEqual(invalid('from', 'OUT_OF_RANGE'))
  expect(await refused({ from: '2099-01-01T00:00:00Z' })).toEqual(invalid('from', 'OUT_OF_RANGE'))

  await platform.query('delete from kernel.event_log where organization_id = $1 and occurred_at < $2', [
    organizationId,
    later,
  ])
  expect(await recover(id, { from })).toMatchObject([
    400,
    'VALIDATION_FAILED',
    { path: 'from', code: 'HISTORY_NOT_KEPT', oldest: later },
  ])
  const member = await platform.member({ organizationId })
  expect((await refused({ from: later }, member)).slice(0, 2)).toEqual([403, 'PERMISSION_DENIED'])
  const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  expect((await refused({ from: later }, stranger)).slice(0, 2)).toEqual([404, 'NOT_FOUND'])
  expect(await stateOf(id)).toEqual([])
  expect(await recover(id, { from: later })).toEqual(started)
})
