import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { account } from '../builders.ts'
import { socketOf, subscribeByEvents, subscribeOn, type Live } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let attacker: Member
let victim: Member

beforeAll(async () => {
  attacker = await platform.member({ organizationId: await platform.organization('Attacking') })
  victim = await platform.member({ organizationId: await platform.organization('Quiet') })
})

const followed =
  'subscription ($id: ID!) { recordChanged(object: ACCOUNT, id: $id, after: "0") { type account { name } } }'
/** Limit of subscriptions of an organization, and of one connection. */
const most = 500
const perSocket = 100
/** Subscriptions opened concurrently on one connection. */
const opened = 25

async function manySubscriptions(id: string): Promise<Live[]> {
  const subscriptions: Live[] = []
  for (let socket = 0; socket < most / perSocket; socket++) {
    const client = socketOf(platform, { apiKey: attacker.secret })
    for (let count = 0; count < perSocket; count += opened) {
      const some = Array.from({ length: opened }, () => subscribeOn(client, followed, { id }))
      for (const live of some) expect(await live.next()).toHaveProperty('data.recordChanged.type', 'account.created')
      subscriptions.push(...some)
    }
  }
  return subscriptions
}

async function readsFor(record: string, until: AbortSignal): Promise<number[]> {
  const times: number[] = []
  while (!until.aborted) {
    const begun = performance.now()
    expect((await victim.rest.account!({ id: record })).status).toBe(200)
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)
}

describe('an organization with the maximum number of subscriptions', () => {
  it('cannot open another one, gets every event, and does not delay other organizations', async () => {
    const { id } = await account(attacker, { name: 'Followed by many' })
    const quiet = await account(victim, { name: 'Quiet' })
    const subscriptions = await manySubscriptions(id)

    const refusal = { code: 'STREAM_LIMIT_REACHED', limit: most, retryAfter: 5 }
    const over = await subscribeOn(socketOf(platform, { apiKey: attacker.secret }), followed, { id }).next()
    expect(over).toMatchObject({ errors: [{ extensions: refusal }] })
    const stream = await subscribeByEvents(`${platform.url}/graphql`, attacker.headers, followed, { id })
    expect([stream.response.status, stream.response.headers.get('retry-after')]).toEqual([429, '5'])
    const others = subscribeOn(socketOf(platform, { apiKey: victim.secret }), followed, { id: quiet.id })
    expect(await others.next()).toHaveProperty('data.recordChanged.account.name', 'Quiet')

    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const reads = readsFor(quiet.id, ending.signal)
    const names = ['One', 'Two', 'Three', 'Four', 'Five']
    for (const name of names) expect((await attacker.rest.accountUpdate!({ id, body: { name } })).status).toBe(200)
    // 2,500 payloads, each read with the rights of its subscriber.
    for (const live of subscriptions) {
      for (const _name of names) expect(await live.next()).toHaveProperty('data.recordChanged.type', 'account.updated')
    }
    ending.abort()
    const times = await reads
    expect(times.length).toBeGreaterThan(10)
    expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(500)

    subscriptions[0]!.leave()
    await expect
      .poll(() => subscribeOn(socketOf(platform, { apiKey: attacker.secret }), followed, { id }).next())
      .toHaveProperty('data.recordChanged.type')
  })
})
