import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'
import { restClient, type RestClient } from '../rest-client.ts'
import { longestWaitDuring, type WatchedRequest } from './watchdog.ts'

/** Longest time that a request may wait because of another tenant, in milliseconds. */
const allowedMs = 250
const published = 16
const webhooks = 10

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let server: Process
let receiver: Server
let received = 0
let attacker: Member
let attack: RestClient
let watchedRequest: WatchedRequest

beforeAll(async () => {
  attacker = await platform.member({ role: 'OWNER' })
  const other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const { id } = await account(other)
  receiver = createServer((req, res) => {
    req.resume().on('end', () => {
      received++
      res.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  server = await aSecondProcess(platform, { OUTBOUND_ALLOW: '127.0.0.0/8' })
  await server.start()
  attack = restClient(platform.contract, server.url, attacker.headers)
  watchedRequest = { url: `${server.url}/v1/accounts/${id}`, headers: other.headers }
})
afterAll(async () => {
  await server.kill()
  receiver.close()
})

it('another tenant is not delayed by the largest custom events, for many webhooks', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `text${index}`)
  const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
  const type = await attack.customEventTypeCreate!({ body: { apiName: 'flood', label: 'Flood', schema } })
  expect(type.status).toBe(201)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  for (let number = 0; number < webhooks; number++) {
    const body = { name: `Hook ${number}`, url, events: ['custom.*'] }
    expect((await attack.webhookCreate!({ body })).status).toBe(201)
  }
  const payload = Object.fromEntries(names.map((name) => [name, 'é'.repeat(300)]))
  const waits = await longestWaitDuring(
    watchedRequest,
    async () => {
      received = 0
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let number = 0; number < published / 8; number++) {
            const { status } = await attack.customEventPublish!({ apiName: 'flood', body: { data: payload } })
            expect(status).toBe(200)
          }
        }),
      )
      await expect.poll(() => received, { interval: 50, timeout: 60_000 }).toBe(published * webhooks)
    },
    allowedMs,
  )
  expect(waits.failed).toBe(0)
  expect(waits.longestMs).toBeLessThanOrEqual(waits.allowedMs)
}, 300_000)
