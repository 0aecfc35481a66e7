import { readFileSync } from 'node:fs'
import { createClient, type Client, type ClientOptions } from 'graphql-ws'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()

const guide = readFileSync(new URL('../../gateway/pages/guides/live-board.md', import.meta.url), 'utf8')
const [, example] = /```ts\n(const client = createClient[\s\S]*?)\n```/.exec(guide)!

type Event = Readonly<Record<string, unknown>> & { readonly cursor: string }

/** Runs the code of the guide against the platform; `onEvent` is called for what it prints. */
function run(key: string, id: string, onEvent: (event: Event) => void): Promise<Client> {
  const created = Promise.withResolvers<Client>()
  const create = (options: ClientOptions) => {
    const client = createClient({ ...options, url: `${platform.url.replace('http', 'ws')}/v1/graphql` })
    created.resolve(client)
    return client
  }
  const AsyncFunction = (async () => {}).constructor as new (...code: string[]) => (...args: unknown[]) => Promise<void>
  const code = new AsyncFunction('createClient', 'WebSocket', 'key', 'id', 'console', example!)
  void code(create, WebSocket, key, id, { log: onEvent }).catch(created.reject)
  return created.promise
}

it('the websocket example of the guide loses no event while the server restarts', async () => {
  const member: Member = await platform.member()
  const { id } = await account(member, { name: 'Name 0' })
  const received: Event[] = []
  let notify = (): void => {}
  const client = await run(member.secret, id, (event) => {
    received.push(event)
    notify()
  })
  const count = async (wanted: number): Promise<void> => {
    while (received.length < wanted) await new Promise<void>((resolve) => (notify = resolve))
  }
  const rename = async (number: number): Promise<void> => {
    expect((await member.rest.accountUpdate!({ id, body: { name: `Name ${number}` } })).status).toBe(200)
  }
  const expected = [{ type: 'account.created', recordId: id, changedFields: null }]
  await count(1)
  let number = 0
  for (const restarts of [false, true, true]) {
    // The client also tries to connect while nothing listens.
    if (restarts) await platform.restart(() => new Promise((resolve) => client.on('error', () => resolve())))
    // The client waits before it connects again, so these events happen while it is not connected.
    for (let n = 0; n < 3; n++) {
      await rename(++number)
      expected.push({ type: 'account.updated', recordId: id, changedFields: ['name'] as never })
    }
    await count(expected.length)
  }
  expect(received).toMatchObject(expected)
  expect(received.every(({ actorId }) => actorId === member.userId)).toBe(true)
  const cursors = received.map(({ cursor }) => Number(cursor))
  expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b))
  await client.dispose()
}, 60_000)
