import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newBody } from '../../subgraphs/events/delivery/delivery-body.ts'
import { queueDeliveries } from '../../subgraphs/events/delivery/new-delivery.ts'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { bodyOf, rawHttpReceiver, rawReceiver } from './hostile-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const queued = 10_000
/** `npm run test:faults` takes many more samples, in phases with and without the dead endpoint, so that other load affects both. */
const samples = Number(process.env['FAULT_SAMPLES'] ?? 40)
const phases = Math.ceil(samples / 40)
const samplesOfPhase = Math.ceil(samples / phases)
/** Below this time, the ratio of two percentiles says more about a busy machine than about the queue. */
const floorMs = phases > 1 ? 40 : 150
const slowMs = 60_000 + samples * 4_000
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

/** The 95th percentile by the nearest rank. */
const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!

/** A webhook whose endpoint accepts connections and never answers, with queued deliveries. `end` removes both. */
async function deadEndpoint(owner: Member) {
  const sockets = new Set<Socket>()
  const { url } = await rawReceiver((socket) => void sockets.add(socket))
  const webhookId = await aWebhook(owner, url)
  const delivery = {
    organizationId: owner.organizationId,
    webhookId,
    eventType: 'account.created',
    eventVersion: 1,
    body: newBody('{}'),
    // A first attempt that fails does not end the delivery, and so it does not turn off the webhook.
    attemptsMax: 10,
    retryDelaySeconds: 60,
  }
  const deliveries = Array.from({ length: queued }, () => ({ ...delivery, eventId: newId() }))
  await platform.services.database.transaction((sql) => queueDeliveries(sql, deliveries))
  await vi.waitFor(() => expect(sockets.size).toBeGreaterThanOrEqual(64), { timeout: 30_000 })
  return {
    async end(): Promise<void> {
      const ofWebhook = 'from events.delivery_queue where webhook_id = $1'
      const [{ n } = { n: 0 }] = await platform.query<{ n: number }>(`select count(*)::int as n ${ofWebhook}`, [
        webhookId,
      ])
      expect(n).toBeGreaterThanOrEqual(queued)
      await owner.rest.webhookDelete!({ id: webhookId })
      await platform.query(`delete ${ofWebhook}`, [webhookId])
      for (const socket of sockets) socket.destroy()
    },
  }
}

it(
  'a dead endpoint with 10,000 queued events less than doubles the p95 of a healthy one, of its own organization or of another',
  { timeout: slowMs },
  async () => {
    const arrived = new Map<string, number>()
    const healthy = await healthyReceiver((recordId) => arrived.set(recordId, performance.now()))
    const own = await platform.member({ role: 'OWNER' })
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Other') })
    const members = [own, other]
    for (const member of members) await aWebhook(member, healthy.url)

    /** The time from the answer to a write to the arrival of its event. */
    const delay = async (member: Member): Promise<number> => {
      const { status, body } = await member.rest.accountCreate!({ body: { name: 'Northwind' } })
      const answered = performance.now()
      expect(status).toBe(201)
      const id = body.id as string
      await vi.waitFor(() => expect(arrived.has(id)).toBe(true), { timeout: 30_000, interval: 2 })
      return Math.max(arrived.get(id)! - answered, 0)
    }
    const measureInto = async (times: readonly number[][]): Promise<void> => {
      for (let sample = 0; sample < samplesOfPhase; sample++)
        for (const [index, member] of members.entries()) times[index]!.push(await delay(member))
    }

    const [without, during]: number[][][] = [members.map(() => []), members.map(() => [])]
    for (let phase = 0; phase < phases; phase++) {
      await measureInto(without!)
      const dead = await deadEndpoint(own)
      await measureInto(during!)
      await dead.end()
    }
    for (const [index] of members.entries()) {
      const [before, meanwhile] = [p95(without![index]!), p95(during![index]!)]
      if (phases > 1) console.log(`p95 of ${during![index]!.length} samples: ${before} ms, ${meanwhile} ms with it`)
      expect(meanwhile).toBeLessThan(2 * Math.max(before, floorMs))
    }
  },
)
