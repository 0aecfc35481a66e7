import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newBody } from '../../subgraphs/events/delivery/delivery-body.ts'
import { queueDeliveries } from '../../subgraphs/events/delivery/new-delivery.ts'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { bodyOf, rawHttpReceiver, rawReceiver } from './hostile-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const queued = 10_000
const samples = Number(process.env['FAULT_SAMPLES'] ?? 40)
/** Below this time, the ratio of two percentiles says more about a busy machine than about the queue. */
const floorMs = 150
const slowMs = 60_000 + samples * 2_000
let background: { close(): Promise<void> }
beforeAll(async () => {
  background = await startBackground(platform.services)
})
afterAll(() => background.close())

const aWebhook = async ({ rest }: Member, url: string): Promise<string> => {
  const body = { name: 'Test', url, events: ['account.created'], retryAttempts: 0 }
  const created = await rest.webhookCreate!({ body })
  expect([created.status, created.body.errors]).toEqual([201, undefined])
  return created.body.id as string
}

/** A receiver that answers at once, and says which record each event announces. */
const healthyReceiver = (onEvent: (recordId: string) => void) =>
  rawHttpReceiver(async (request, response) => {
    const { data } = JSON.parse(await bodyOf(request)) as { data: { id: string } }
    onEvent(data.id)
    response.writeHead(204).end()
  })

const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!

it(
  'a dead endpoint with 10,000 queued events does not delay a healthy one, of its own organization or of another',
  { timeout: slowMs },
  async () => {
    const arrived = new Map<string, number>()
    const healthy = await healthyReceiver((recordId) => arrived.set(recordId, performance.now()))
    const dead = await rawReceiver(() => {})
    const own = await platform.member({ role: 'OWNER' })
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Other') })
    for (const member of [own, other]) await aWebhook(member, healthy.url)

    /** The time from the answer to a write to the arrival of its event. */
    const delays = async (member: Member): Promise<number> => {
      const times: number[] = []
      for (let sample = 0; sample < samples; sample++) {
        const { status, body } = await member.rest.accountCreate!({ body: { name: 'Northwind' } })
        const answered = performance.now()
        expect(status).toBe(201)
        const id = body.id as string
        await vi.waitFor(() => expect(arrived.has(id)).toBe(true), { timeout: 30_000, interval: 2 })
        times.push(Math.max(arrived.get(id)! - answered, 0))
      }
      return p95(times)
    }

    const before = [await delays(own), await delays(other)]
    const webhookId = await aWebhook(own, dead.url)
    await platform.services.database.transaction((sql) =>
      queueDeliveries(
        sql,
        Array.from({ length: queued }, () => ({
          organizationId: own.organizationId,
          webhookId,
          eventId: newId(),
          eventType: 'account.created',
          eventVersion: 1,
          body: newBody('{}'),
          attemptsMax: 1,
          retryDelaySeconds: 60,
        })),
      ),
    )
    // As many connections as one endpoint may have are waiting for an answer.
    await vi.waitFor(() => expect(dead.connections()).toBeGreaterThanOrEqual(5), { timeout: 30_000 })
    const meanwhile = [await delays(own), await delays(other)]
    const [{ n } = { n: 0 }] = await platform.query<{ n: number }>(
      'select count(*)::int as n from events.delivery_queue',
    )
    expect(n).toBeGreaterThan(queued / 2)
    for (const [index, time] of meanwhile.entries()) expect(time).toBeLessThan(2 * Math.max(before[index]!, floorMs))
  },
)
