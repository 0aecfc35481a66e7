import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { longestTurnDuring } from '../hostile/longest-turn.ts'
import { usePlatform, type Member } from '../platform.ts'
import { fanOut } from './deliver.ts'
import { Receiver } from './receiver.ts'

/** Longest time for which one organization may keep the process from answering all others, in milliseconds of CPU; the receiver is in it too. */
const allowedMs = 60
const webhooks = 100
const events = 10

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let receiver: Receiver
let owner: Member

beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())
beforeEach(async () => {
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

it('of the largest custom events, for as many webhooks as an organization may have, never blocks the process', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `text${index}`)
  const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
  const type = await owner.rest.customEventTypeCreate!({ body: { apiName: 'flood', label: 'Flood', schema } })
  expect(type.status).toBe(201)
  for (let number = 0; number < webhooks; number++) {
    const body = { name: `Hook ${number}`, url: receiver.url, events: ['custom.*'], payloadVersion: 1 + (number % 2) }
    expect((await owner.rest.webhookCreate!({ body })).status).toBe(201)
  }
  const data = Object.fromEntries(names.map((name) => [name, 'é'.repeat(300)]))
  const [fanOuts, deliveries]: number[][] = [[], []]
  for (let round = 0; round < 5; round++) {
    for (let number = 0; number < events; number++)
      expect((await owner.rest.customEventPublish!({ apiName: 'flood', body: { data } })).status).toBe(200)
    fanOuts!.push(await longestTurnDuring(() => fanOut(platform.services, owner.organizationId)))
    deliveries!.push(await longestTurnDuring(() => drain(deliveryQueue, platform.services)))
    expect(receiver.take()).toHaveLength(webhooks * events)
  }
  // The first rounds also compile, and a collection of garbage may be in any of them.
  expect(Math.min(...fanOuts!)).toBeLessThan(allowedMs)
  expect(Math.min(...deliveries!)).toBeLessThan(allowedMs)
}, 120_000)

it('never blocks the process with the most expensive conditions', async () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } } }
  const type = await owner.rest.customEventTypeCreate!({ body: { apiName: 'costly', label: 'Costly', schema } })
  expect(type.status).toBe(201)
  // Each pattern is another one, because a comparison is faster when the pattern was compared before.
  const costly = (number: number, letter: string) => ({
    field: 'text',
    operator: 'MATCHES',
    value: `(?:.*a){95}${letter}|never${number}`,
  })
  for (let number = 0; number < 40; number++) {
    const conditions = ['w', 'x', 'y', 'z', 'b'].map((letter) => costly(number, letter))
    const body = { name: `Hook ${number}`, url: receiver.url, events: ['custom.*'], conditions, logic: 'OR' }
    expect(await owner.rest.webhookCreate!({ body })).toMatchObject({ status: 201 })
  }
  const text = Array.from({ length: 1_000 }, (_, index) => 'ab'[((index * 2_654_435_761) >>> 9) & 1]).join('')
  const turns: number[] = []
  for (let round = 0; round < 3; round++) {
    expect((await owner.rest.customEventPublish!({ apiName: 'costly', body: { data: { text } } })).status).toBe(200)
    turns.push(await longestTurnDuring(() => fanOut(platform.services, owner.organizationId)))
  }
  const [queued] = await platform.query('select count(*)::int from events.delivery_queue where organization_id = $1', [
    owner.organizationId,
  ])
  expect(queued).toEqual({ count: 120 })
  expect(Math.min(...turns)).toBeLessThan(allowedMs)
})
