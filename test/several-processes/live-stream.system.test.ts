import { beforeAll, afterAll, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { listen, subscribeByEvents } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess, type Process } from '../processes.ts'

/** One gateway in this process and one in another, on one database and without Redis. */
const platform = usePlatform()
let other: Process

beforeAll(async () => {
  const env = { DATABASE_URL: platform.services.databaseUrl, DATA_DIR: platform.dataDir, DEMO: 'off', IP_LIMITS: 'off' }
  other = await aProcess(['bin/run', 'main', 'gateway'], env)
  await other.start()
}, 120_000)
afterAll(() => other?.kill())

const anAdmin = async (name: string): Promise<Member> =>
  platform.member({ organizationId: await platform.organization(name), role: 'ADMIN' })

async function streamAt(at: { readonly url: string }, { headers }: Member) {
  const stream = await listen(at, headers, { events: ['account.*', 'lead.*'] })
  return { status: stream.response.status, first: await stream.next(), next: () => stream.next() }
}

it('sends events and samples of one process to the streams of the other', async () => {
  const admin = await anAdmin('Across')
  const stream = await streamAt(other, admin)
  await account(admin, { name: 'Here' })
  expect(await stream.next()).toMatchObject({ event: 'event', data: { data: { record: { name: 'Here' } } } })
  const { body } = await admin.rest.webhookListenTrigger!({ body: { type: 'lead.created' } })
  expect(body.streams).toBe(1)
  expect(await stream.next()).toMatchObject({ event: 'event', data: { id: body.id, test: true } })
})

it('sends custom events and changes of records to the subscriptions of the other', async () => {
  const admin = await anAdmin('Subscribed')
  const schema = { type: 'object', properties: { minutes: { type: 'integer' } } }
  const type = { apiName: 'stopped', label: 'Stopped', schema }
  expect((await admin.rest.customEventTypeCreate!({ body: type })).status).toBe(201)
  const documents = [
    'subscription { customEvents(after: "0") { type data } }',
    'subscription { recordChanged(object: ACCOUNT, after: "0") { account { name } } }',
  ]
  const [custom, changed] = await Promise.all(
    documents.map((document) => subscribeByEvents(`${other.url}/v1/graphql`, admin.headers, document)),
  )
  await admin.rest.customEventPublish!({ apiName: 'stopped', body: { data: { minutes: 5 } } })
  await account(admin, { name: 'Changed' })
  expect(await custom!.next()).toEqual({ data: { customEvents: { type: 'custom.stopped', data: { minutes: 5 } } } })
  expect(await changed!.next()).toEqual({ data: { recordChanged: { account: { name: 'Changed' } } } })
})

it('counts the streams of all processes, and frees those of a killed one when their leases end', async () => {
  const admin = await anAdmin('Killed')
  const streams = await Promise.all([1, 2, 3].map(() => streamAt(other, admin)))
  streams.push(await streamAt(platform, admin), await streamAt(platform, admin))
  expect(streams.map(({ first }) => first?.event)).toEqual(Array.from({ length: 5 }, () => 'ready'))
  const status = async () => (await admin.rest.webhookListen!({ body: { events: ['lead.*'] } })).status
  expect(await status()).toBe(429)
  await other.kill()
  expect(await status()).toBe(429)
  const leases = await platform.query<{ seconds: number }>(
    `select extract(epoch from until - now())::float8 as seconds from events.listen_slot where organization_id = $1`,
    [admin.organizationId],
  )
  expect(leases).toHaveLength(5)
  expect(Math.max(...leases.map(({ seconds }) => seconds))).toBeLessThanOrEqual(45)
  // What the clock of the database does within a minute: nobody renews the leases of the killed process.
  await platform.query(
    `update events.listen_slot set until = now() where organization_id = $1 and slot in
     (select slot from events.listen_slot where organization_id = $1 order by stream_id limit 3)`,
    [admin.organizationId],
  )
  expect(await status()).toBe(200)
})
