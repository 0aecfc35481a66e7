import { describe, expect, it } from 'vitest'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import type { GraphPort } from '../../subgraphs/kernel/graph-port/graph-port.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { account } from '../builders.ts'
import { deliver, fanOut, pass } from './deliver.ts'
import { answering, attemptsOf, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const selecting = (input: object = {}) =>
  aWebhook(used, {
    events: ['account.created'],
    selection: 'fragment Firm on Account { name owner { id } }',
    ...input,
  })
const rename = async (id: string, name: string) =>
  expect((await used.owner.rest.accountUpdate!({ id, body: { name } })).status).toBe(200)

describe('the selection of a webhook', () => {
  it.each([1, 2])(
    'is part of `data`, and the same in retries and replays, in payload version %i',
    async (payloadVersion) => {
      const { id: webhookId } = await selecting({ payloadVersion })
      const { userId } = used.owner
      const { id } = await account(used.owner, { name: 'Acme', ownerId: userId })
      answering(used, 500)
      await deliverAll(used)
      await rename(id, 'Renamed')
      await pass(platform.services, 120_000)
      answering(used, 204)
      await deliverAll(used)
      const { data } = (await used.owner.rest.webhookDeliveryList!({ id: webhookId })).body as {
        data: { id: string }[]
      }
      for (const { id: deliveryId } of data)
        expect((await used.owner.rest.webhookDeliveryReplay!({ id: webhookId, deliveryId })).status).toBe(200)
      await deliverAll(used)
      const sent = used.receiver.take()
      expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '1', '1'])
      const [first] = sent
      expect(sent.map(({ text }) => text)).toEqual(Array.from(sent, () => first!.text))
      expect(first!.body.data).toEqual({
        ...(payloadVersion === 1 ? { id, entityType: 'account', userId } : { object: 'account', id, actorId: userId }),
        record: expect.objectContaining({ id, name: 'Acme' }) as object,
        previous: null,
        changedFields: null,
        selection: { name: 'Acme', owner: { id: userId } },
      })
    },
  )

  it('delays a delivery while it cannot be read: nothing is sent, and the attempt is not counted', async () => {
    const { id: webhookId } = await selecting({ retryAttempts: 0 })
    await account(used.owner, { name: 'Acme' })
    await fanOut(platform.services, used.owner.organizationId)
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      await drain(deliveryQueue, platform.services)
    })
    expect(used.receiver.take()).toEqual([])
    expect(await attemptsOf(used, webhookId)).toMatchObject([{ attempt: 1, status: 'PENDING', error: null }])
    await pass(platform.services, deliveryQueue.leaseMs)
    await deliverAll(used)
    expect(used.receiver.take()).toMatchObject([
      { headers: { 'x-service-attempt': '1' }, body: { data: { selection: { name: 'Acme' } } } },
    ])
    expect(await attemptsOf(used, webhookId)).toMatchObject([{ attempt: 1, status: 'SUCCEEDED' }])
  })

  it('delays a delivery for five minutes at most: then the event is sent without it, with the reason', async () => {
    const { id: webhookId } = await selecting({ retryAttempts: 0 })
    await account(used.owner, { name: 'Acme' })
    await fanOut(platform.services, used.owner.organizationId)
    await platform.query(`update events.delivery_queue set created_at = created_at - interval '301 seconds'`)
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      await drain(deliveryQueue, platform.services)
    })
    const reason = { code: 'UNAVAILABLE', message: 'The selection could not be read.', path: [] }
    expect(used.receiver.take()).toMatchObject([
      { headers: { 'x-service-attempt': '1' }, body: { data: { selection: null, selectionErrors: [reason] } } },
    ])
    expect(await attemptsOf(used, webhookId)).toMatchObject([{ attempt: 1, status: 'SUCCEEDED' }])
  })

  it('has at most 5 seconds', async () => {
    await selecting()
    await account(used.owner)
    const timeouts: number[] = []
    const { graph } = platform.services
    const read: GraphPort['read'] = (query, caller, options) => {
      timeouts.push(options.timeoutMs)
      return graph.read(query, caller, options)
    }
    const services = { ...platform.services, graph: { check: graph.check.bind(graph), read } as typeof graph }
    await deliver(services, used.owner.organizationId)
    expect([timeouts, used.receiver.take().length]).toEqual([[5_000], 1])
  })

  it('is null with the reason if it has more than 262,144 characters', async () => {
    const aliases = Array.from({ length: 14 }, (_, index) => `d${index}: description`)
    await selecting({ selection: `fragment Firm on Account { ${aliases.join(' ')} }` })
    await account(used.owner, { name: 'Small', description: 'x'.repeat(18_500) })
    await account(used.owner, { name: 'Large', description: 'x'.repeat(18_900) })
    await deliverAll(used)
    const sent = used.receiver.take().map(({ body: { data } }) => data)
    const [small, large] = ['Small', 'Large'].map((name) =>
      sent.find(({ record }) => (record as { name: string }).name === name),
    )
    expect(Object.keys(small!['selection'] as object)).toHaveLength(14)
    expect(small).not.toHaveProperty('selectionErrors')
    expect([large!['selection'], large!['selectionErrors']]).toEqual([
      null,
      [{ code: 'ANSWER_TOO_LARGE', message: 'The selection has more than 262144 characters.', path: [] }],
    ])
  })
})
