import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Receiver } from './receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const patience = { timeout: 30_000, interval: 10 }
let receiver: Receiver
const workers: { close(): Promise<void> }[] = []

beforeAll(async () => {
  receiver = await Receiver.start()
  // Two workers on the same database, as two processes have them.
  workers.push(await startBackground(platform.services), await startBackground(platform.services))
})
afterAll(async () => {
  for (const worker of workers) await worker.close()
  receiver.close()
})

const owner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization() })
const aWebhook = async (by: Member, input: object = {}) =>
  (await by.rest.webhookCreate!({ body: { name: 'ERP', url: receiver.url, events: ['account.created'], ...input } }))
    .body
const names = () => receiver.received.map(({ body }) => (body.data.record as { name: string }).name)

describe('workers', () => {
  it('send each committed event once, over connections that are used again', async () => {
    const by = await owner()
    await aWebhook(by)
    const wanted = Array.from({ length: 40 }, (_, n) => `Account ${n}`)
    await Promise.all(wanted.map((name) => by.rest.accountCreate!({ body: { name } })))
    await vi.waitFor(() => expect(receiver.received).toHaveLength(40), patience)
    expect(names().toSorted()).toEqual(wanted.toSorted())
    const left = 'select from events.delivery_queue'
    await vi.waitFor(async () => expect(await platform.query(left)).toEqual([]), patience)
    expect(receiver.received).toHaveLength(40)
    expect(receiver.connections).toBeLessThan(40)
  })

  it('send nothing for a write that was refused', async () => {
    receiver.take()
    const by = await owner()
    await aWebhook(by)
    expect((await by.rest.accountCreate!({ body: { name: 'Acme', healthScore: 101 } })).status).toBe(400)
    await by.rest.accountCreate!({ body: { name: 'Real' } })
    await vi.waitFor(() => expect(names()).toEqual(['Real']), patience)
  })

  it('read no events of an organization without webhooks', async () => {
    const by = await owner()
    await by.rest.accountCreate!({ body: { name: 'Acme' } })
    const other = await owner()
    receiver.take()
    await aWebhook(other)
    await other.rest.accountCreate!({ body: { name: 'Seen' } })
    await vi.waitFor(() => expect(names()).toEqual(['Seen']), patience)
    const consumers = await platform.query<{ id: string }>(
      `select organization_id as id from kernel.event_consumer where name = 'webhooks' and organization_id = any($1)`,
      [[by.organizationId, other.organizationId]],
    )
    expect(consumers).toEqual([{ id: other.organizationId }])
  })

  it('send events of other organizations while one receiver hangs', async () => {
    const slow = await owner()
    const quick = await owner()
    receiver.take()
    const hanging: (() => void)[] = []
    const isHanging = (name: unknown): boolean => String(name).startsWith('hangs')
    receiver.respond = (res, { body }) => {
      const end = (): void => void res.writeHead(204).end()
      if (isHanging((body.data.record as { name: string }).name)) hanging.push(end)
      else end()
    }
    await aWebhook(slow)
    await aWebhook(quick)
    await Promise.all(Array.from({ length: 120 }, (_, n) => slow.rest.accountCreate!({ body: { name: `hangs ${n}` } })))
    await vi.waitFor(() => expect(hanging.length).toBeGreaterThan(90), patience)
    await quick.rest.accountCreate!({ body: { name: 'quick' } })
    await vi.waitFor(() => expect(names()).toContain('quick'), patience)
    // One endpoint has at most 128 attempts at a time, in both workers together, and 32 of them are for retries.
    expect(hanging).toHaveLength(96)
    for (const end of hanging.splice(0)) end()
    await vi.waitFor(() => expect(hanging).toHaveLength(24), patience)
    for (const end of hanging) end()
  })
})
