import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { newBody } from '../../subgraphs/events/delivery/delivery-body.ts'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { queueDeliveries } from '../../subgraphs/events/delivery/new-delivery.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { LaneWorker } from '../../subgraphs/kernel/queue/lane-worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { fanOut } from './deliver.ts'
import { rawReceiver } from './hostile-receiver.ts'
import { Receiver } from './receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })

const aWebhook = async ({ rest }: Member, name: string, url: string): Promise<string> => {
  const { status, body } = await rest.webhookCreate!({
    body: { name, url, events: ['account.created'], retryAttempts: 0 },
  })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}

/** Queues deliveries of a large body to many webhooks, whose endpoint accepts connections and never answers. */
async function flood(owner: Member, url: string): Promise<void> {
  const { organizationId } = owner
  const body = newBody(JSON.stringify({ data: { text: 'x'.repeat(1_000_000) } }))
  const deliveries: Parameters<typeof queueDeliveries>[1][number][] = []
  for (let number = 0; number < 20; number++) {
    const webhookId = await aWebhook(owner, `Hook ${number}`, url)
    const delivery = { organizationId, webhookId, eventType: 'account.created', eventVersion: 1, body }
    for (let of = 0; of < 10; of++)
      deliveries.push({ ...delivery, eventId: newId(), attemptsMax: 1, retryDelaySeconds: 60 })
  }
  await platform.services.database.transaction((sql) => queueDeliveries(sql, deliveries))
}

it('deliveries of 1 MB to many webhooks that do not answer leave slots for those of another organization', async () => {
  let [opened, closed] = [0, 0]
  const sockets = new Set<Socket>()
  const { url } = await rawReceiver((socket) => {
    opened++
    sockets.add(socket)
    socket
      .on('error', () => undefined)
      .on('close', () => closed++)
      .resume()
  })
  const receiver = await Receiver.start()
  const attacker = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Large') })
  const watched = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Watched') })
  await aWebhook(watched, 'Watched', receiver.url)
  await flood(attacker, url)
  const worker = new LaneWorker(deliveryQueue, platform.services, 'fresh')
  const running = worker.run()
  try {
    // Each uses 16 of the 512 slots, of which an organization alone uses half.
    await expect.poll(() => opened, { timeout: 30_000 }).toBe(16)
    for (const name of ['Northwind', 'Contoso', 'Fabrikam'])
      expect((await watched.rest.accountCreate!({ body: { name } })).status).toBe(201)
    await fanOut(platform.services, watched.organizationId)
    worker.wake()
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(3)
    expect([opened, closed]).toEqual([16, 0])
  } finally {
    worker.stop()
    const ending = setInterval(() => [...sockets].forEach((socket) => socket.destroy()), 20)
    await running
    clearInterval(ending)
    receiver.close()
  }
}, 90_000)
