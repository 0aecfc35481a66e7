import { expect, it } from 'vitest'
import { account } from '../builders.ts'
import { pass } from './deliver.ts'
import { attemptsOf, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used
const header = 'x-service-function-depth'
const tooDeep =
  'Automations and webhooks have started one another more than 5 times up to this event, so it was not sent.'

/** The receiver publishes an event for each delivery, with these headers of it. */
async function aLoop(forwarded: readonly string[], webhook: object = {}) {
  const { receiver, owner } = used
  const schema = { type: 'object', properties: { turn: { type: 'integer' } } }
  const eventType = { apiName: 'turned', label: 'Turned', schema }
  expect((await owner.rest.customEventTypeCreate!({ body: eventType })).status).toBe(201)
  const publish = (turn: number, headers: Record<string, string> = {}) =>
    owner.rest.customEventPublish!({ apiName: 'turned', body: { data: { turn } }, headers })
  let turns = 0
  receiver.respond = (res, { headers }) =>
    void publish(++turns, Object.fromEntries(forwarded.map((name) => [name, headers[name] as string]))).then(
      ({ status }) => res.writeHead(status).end(),
    )
  const { id } = await aWebhook(used, { events: ['custom.turned'], ...webhook })
  expect((await publish(0)).status).toBe(200)
  return id
}

async function deliverTurns(count: number): Promise<(string | undefined)[]> {
  for (let turn = 0; turn < count; turn++) await deliverAll(used)
  return used.receiver.take().map(({ headers }) => headers[header] as string | undefined)
}

it('a loop over a receiver that sends the depth on ends, and the log says so; what was not sent can be recovered', async () => {
  const id = await aLoop([header])
  expect(await deliverTurns(10)).toEqual(['2', '3', '4', '5', '6', '7'])
  expect(await platform.query('select depth from kernel.event where type = $1 order by id', ['custom.turned'])).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((depth) => ({ depth })),
  )
  const attempts = await attemptsOf(used, id)
  expect([attempts.length, attempts.at(-1)]).toEqual([7, { attempt: 1, status: 'FAILED', error: tooDeep }])
  expect((await used.owner.rest.webhook!({ id })).body).toMatchObject({ isEnabled: true, consecutiveFailures: 0 })

  used.receiver.respond = (res) => void res.writeHead(204).end()
  const { body } = await used.owner.rest.webhookRecover!({ id, body: { since: '2026-01-01T00:00:00Z' } })
  expect(body).toMatchObject({ queued: 1, hasMore: false })
  expect(await deliverTurns(1)).toEqual(['2'])
})

it('a receiver that writes as the owner of its webhook does not cause itself with `skipOwn`', async () => {
  const other = await platform.member({ role: 'ADMIN', organizationId: used.owner.organizationId })
  await aLoop([], { skipOwn: true })
  expect(await deliverTurns(3)).toEqual([])
  expect(
    (await other.rest.customEventPublish!({ apiName: 'turned', body: { data: { turn: 0 } }, headers: {} })).status,
  ).toBe(200)
  expect(await deliverTurns(3)).toEqual(['2'])
})

it('merged updates have the depth of the deepest one', async () => {
  await aWebhook(used, { events: ['account.updated'], debounceSeconds: 60 })
  const { id } = await account(used.owner)
  const rename = async (name: string, depth: string) =>
    expect((await used.owner.rest.accountUpdate!({ id, body: { name }, headers: { [header]: depth } })).status).toBe(
      200,
    )
  await rename('One', '3')
  await deliverAll(used)
  await rename('Two', '4')
  await rename('Three', '1')
  await deliverAll(used)
  await pass(platform.services, 61_000)
  expect(await deliverTurns(1)).toEqual(['5'])
})
