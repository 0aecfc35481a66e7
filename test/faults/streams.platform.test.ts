import { describe, expect, it } from 'vitest'
import { unsent } from '../../gateway/edge/unsent.ts'
import { startGateway } from '../../start-gateway.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { account } from '../builders.ts'
import { socketOf, subscribeByEvents, subscribeOn, type Payload } from '../live.ts'
import { usePlatform, type Platform } from '../platform.ts'

const platform = usePlatform()

const followed =
  'subscription ($id: ID!) { recordChanged(object: ACCOUNT, id: $id, after: "0") { type account { name } } }'

/** A second gateway on the same database, which a test can stop. */
async function gateway() {
  const config = readConfig({ PORT: '0', DEMO: 'off', IP_LIMITS: 'off', DATABASE_URL: platform.services.databaseUrl })
  return startGateway(config, platform.services)
}

describe('a gateway that stops', () => {
  it('ends live subscriptions immediately, so that their clients reconnect', async () => {
    const stopping = await gateway()
    const member = await platform.member()
    const { id } = await account(member)
    const closed = Promise.withResolvers<number>()
    const there = { url: stopping.url } as Platform
    const onSocket = subscribeOn(socketOf(there, { apiKey: member.secret }, closed.resolve), followed, { id })
    const onStream = await subscribeByEvents(`${stopping.url}/graphql`, member.headers, followed, { id })
    expect(await onSocket.next()).toHaveProperty('data.recordChanged.type', 'account.created')
    expect(await onStream.next()).toHaveProperty('data.recordChanged.type', 'account.created')

    const begun = performance.now()
    const stopped = stopping.close()
    // With code 1001, clients of graphql-ws reconnect. A stream that ends without `complete` was interrupted.
    expect(await closed.promise).toBe(1001)
    expect(await onStream.next()).toBe('closed')
    await stopped
    expect(performance.now() - begun).toBeLessThan(4_000)
  })
})

describe('a subscriber that does not read', () => {
  it('gets one event at a time, and all events when it reads again', async () => {
    const member = await platform.member()
    const { id } = await account(member, { name: 'First', description: 'x'.repeat(20_000) })
    const aliases = Array.from({ length: 28 }, (_, index) => `a${index}: description`).join(' ')
    const large = `subscription ($id: ID!) { recordChanged(object: ACCOUNT, id: $id, after: "0") { account { name ${aliases} } } }`
    const response = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...member.headers },
      body: JSON.stringify({ query: large, variables: { id } }),
    })
    const reader = response.body!.getReader()
    await reader.read()
    const updates = 60
    let most = 0
    for (let index = 1; index <= updates; index++) {
      expect((await member.rest.accountUpdate!({ id, body: { name: `Name ${index}` } })).status).toBe(200)
      most = Math.max(most, unsent.bytes)
    }
    // Each update has half a megabyte.
    expect(most).toBeLessThan(2_000_000)
    let text = ''
    while (!text.includes(`"name":"Name ${updates}"`)) {
      const { value, done } = await reader.read()
      expect(done).toBe(false)
      text = text.slice(-1_000_000) + Buffer.from(value!).toString()
    }
    await reader.cancel()
    await expect.poll(() => unsent.bytes).toBe(0)
  })
})

describe('a subscription', () => {
  it('continues after the connection that notifies of events was lost', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    const live = subscribeOn(socketOf(platform, { apiKey: member.secret }), followed, { id })
    await live.next()
    await platform.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %events_logged%'`,
    )
    expect((await member.rest.accountUpdate!({ id, body: { name: 'Meanwhile' } })).status).toBe(200)
    expect((await live.next()) as Payload).toMatchObject({
      data: { recordChanged: { account: { name: 'Meanwhile' } } },
    })
  })

  it('gets its event among more events than one read returns', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    const live = subscribeOn(socketOf(platform, { apiKey: member.secret }), followed, { id })
    await live.next()
    // One transaction, so that all events become visible together.
    await platform.services.database.transaction(async (sql) => {
      await sql.query(
        `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data)
         select organization_id, uuidv7(), 'account.updated', 1, now(), object, case when i = 350 then record_id else uuidv7() end, data
         from kernel.event cross join generate_series(1, 350) i where record_id = $1`,
        [id],
      )
    })
    expect(await live.next()).toHaveProperty('data.recordChanged.type', 'account.updated')
  })
})
