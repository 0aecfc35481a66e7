import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { attemptItem } from '../../subgraphs/kernel/queue/attempt-item.ts'
import { leaseShares, newLaneState } from '../../subgraphs/kernel/queue/lease-shares.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { usePlatform, type Member } from '../platform.ts'
import { deliver, fanOut, pass } from './deliver.ts'
import { Receiver } from './receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let receiver: Receiver
let owner: Member
const minuteMs = 60_000

beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())
beforeEach(async () => {
  // The retries of other tests.
  await platform.query('delete from events.delivery_queue')
  receiver.take()
  receiver.respond = (res) => void res.writeHead(204).end()
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

const aWebhook = async (input: object = {}, by: Member = owner) => {
  const settings = { name: 'ERP', url: receiver.url, events: ['account.*'], ...input }
  const { status, body } = await by.rest.webhookCreate!({ body: settings })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}
const anAccount = async (input: object = {}, by: Member = owner) => {
  const { status, body } = await by.rest.accountCreate!({ body: { name: 'Acme', ...input } })
  expect(status).toBe(201)
  return body
}
const deliverAll = () => deliver(platform.services, owner.organizationId)
const log = (webhookId: string) =>
  platform.query(
    `select attempt, status, response_status as "responseStatus", error, next_attempt_at is not null as "hasNext"
     from events.delivery_shown where webhook_id = $1 order by attempt, created_at, id`,
    [webhookId],
  )
const state = async (webhookId: string) => (await owner.rest.webhook!({ id: webhookId })).body
const answering = (status: number, headers: Record<string, string> = {}, body = '') => {
  receiver.respond = (res) => void res.writeHead(status, headers).end(body)
}
const hex = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

describe('a delivery', () => {
  it('has the envelope, the specified headers and custom headers, and is logged with redacted values', async () => {
    const { id, secret } = await aWebhook({ headers: { 'X-Api-Token': 's3cret' } })
    const account = await anAccount()
    await deliverAll()
    const [received, ...others] = receiver.take()
    expect(others).toEqual([])
    const { headers, text, body } = received!
    expect(body).toMatchObject({
      type: 'account.created',
      version: 1,
      organizationId: owner.organizationId,
      data: { object: 'account', id: account.id, record: { name: 'Acme' }, previous: null, actorId: owner.userId },
    })
    const seconds = String(platform.now.getTime() / 1000)
    const { data: attempts } = (await owner.rest.webhookDeliveryList!({ id })).body as {
      data: Record<string, unknown>[]
    }
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': `t=${seconds},v1=${hex(secret, `${seconds}.${text}`)}`,
      'x-webhook-signature': hex(secret, text),
      'x-webhook-timestamp': String(platform.now.getTime()),
      'x-service-event': 'account.created',
      'x-service-event-id': body.id,
      'x-service-event-version': '1',
      'x-service-delivery': attempts[0]!.id,
      'x-service-attempt': '1',
      'x-service-function-depth': '2',
      'x-api-token': 's3cret',
      'webhook-id': body.id,
      'webhook-timestamp': seconds,
      'accept-encoding': 'identity',
    })
    expect(received!.rawHeaders).toContain('X-Service-Signature')
    expect(attempts).toMatchObject([
      {
        webhookId: id,
        eventId: body.id,
        eventType: 'account.created',
        attempt: 1,
        status: 'SUCCEEDED',
        requestBody: text,
        responseStatus: 204,
        responseBody: '',
        error: null,
        isReplay: false,
        isTest: false,
        nextAttemptAt: null,
      },
    ])
    const ofConnection = new Set(['host', 'connection', 'content-length', 'accept-encoding'])
    const sent = received!.rawHeaders.flatMap((name, index, raw) =>
      index % 2 === 0 && !ofConnection.has(name.toLowerCase()) ? [[name, raw[index + 1]!]] : [],
    )
    expect(attempts[0]!.requestHeaders).toEqual({ ...Object.fromEntries(sent), 'X-Api-Token': '[redacted]' })
    expect(JSON.stringify(attempts)).not.toContain('s3cret')
    expect(await state(id)).toMatchObject({ lastStatus: 'SUCCEEDED', lastResponseStatus: 204, consecutiveFailures: 0 })
  })

  it('is signed with both secrets during the overlap of a rotation', async () => {
    const { id, secret: former } = await aWebhook()
    const { body: rotated } = await owner.rest.webhookRotateSecret!({ id, body: { overlapHours: 1 } })
    await anAccount()
    await deliverAll()
    platform.advanceClock(3_600_001)
    await anAccount()
    await deliverAll()
    const [during, after] = receiver.take()
    const t = during!.headers['webhook-timestamp'] as string
    expect(during!.headers['x-service-signature']).toBe(
      `t=${t},v1=${hex(rotated.secret, `${t}.${during!.text}`)},v1=${hex(former, `${t}.${during!.text}`)}`,
    )
    expect((during!.headers['webhook-signature'] as string).split(' ')).toHaveLength(2)
    expect((after!.headers['x-service-signature'] as string).match(/v1=/g)).toHaveLength(1)
  })

  it('has the format before the envelope with payload version 1', async () => {
    await aWebhook({ payloadVersion: 1 })
    const account = await anAccount()
    await deliverAll()
    const { body } = receiver.take()[0]!
    expect(Object.keys(body)).toEqual(['event', 'eventId', 'timestamp', 'data'])
    expect(body).toMatchObject({ event: 'account.created', data: { id: account.id, entityType: 'account' } })
  })
})

describe('retries', () => {
  it('come after doubled delays with at most a tenth more, send the same body, and end after `retryAttempts`', async () => {
    answering(500, {}, 'no')
    const { id } = await aWebhook({ retryAttempts: 2, retryDelaySeconds: 100 })
    await anAccount()
    await deliverAll()
    const failed = { responseStatus: 500, error: 'The receiver answered with status 500.' }
    expect(await log(id)).toEqual([{ attempt: 1, status: 'RETRY_SCHEDULED', hasNext: true, ...failed }])
    for (const [attempt, delayMs] of [
      [2, 100_000],
      [3, 200_000],
    ] as const) {
      await pass(platform.services, delayMs - 5_000)
      await deliverAll()
      expect(receiver.received).toHaveLength(attempt - 1)
      await pass(platform.services, 5_000 + delayMs / 10)
      await deliverAll()
      expect(receiver.received).toHaveLength(attempt)
    }
    await pass(platform.services, 24 * 60 * minuteMs)
    await deliverAll()
    expect(await log(id)).toEqual(
      [1, 2, 3].map((attempt) => ({ attempt, status: 'FAILED', hasNext: false, ...failed })),
    )
    const sent = receiver.take()
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3)
    expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3'])
    expect(await platform.query('select 1 from events.delivery_queue where webhook_id = $1', [id])).toEqual([])
    expect(await state(id)).toMatchObject({ consecutiveFailures: 1, lastStatus: 'FAILED', lastResponseStatus: 500 })
  })

  it.each([
    [{ 'retry-after': '600' }, 429, 600_000],
    [{ 'retry-after': '600' }, 503, 600_000],
    [{ 'retry-after': '1' }, 503, 60_000],
    [{ 'retry-after': '600' }, 500, 60_000],
    [{ 'retry-after': '9999999' }, 429, 24 * 60 * minuteMs],
  ])('wait for %j with status %i: %i ms', async (headers, status, delayMs) => {
    answering(status, headers)
    await aWebhook()
    await anAccount()
    await deliverAll()
    const [row] = await platform.query<{ ms: number }>(
      `select extract(epoch from next_attempt_at - created_at)::float8 * 1000 as ms from events.delivery where organization_id = $1`,
      [owner.organizationId],
    )
    expect(row!.ms).toBeGreaterThanOrEqual(delayMs)
    expect(row!.ms).toBeLessThan(delayMs * 1.1 + 30_000)
  })

  it('do not follow a redirect', async () => {
    answering(307, { location: receiver.url })
    const { id } = await aWebhook({ retryAttempts: 0 })
    await anAccount()
    await deliverAll()
    expect(receiver.take()).toHaveLength(1)
    expect(await log(id)).toMatchObject([
      { status: 'FAILED', error: 'The receiver answered with the redirect 307; redirects are not followed.' },
    ])
  })
})

describe('a webhook', () => {
  it('is turned off by the tenth event in a row that failed every attempt, with one event, by two workers', async () => {
    answering(500)
    const { id } = await aWebhook({ retryAttempts: 0, events: ['account.created'] })
    for (let n = 0; n < 9; n++) await anAccount()
    await deliverAll()
    expect(await state(id)).toMatchObject({ isEnabled: true, consecutiveFailures: 9 })
    answering(200)
    await anAccount()
    await deliverAll()
    expect(await state(id)).toMatchObject({ isEnabled: true, consecutiveFailures: 0 })
    answering(500)
    for (let n = 0; n < 30; n++) await anAccount()
    await fanOut(platform.services, owner.organizationId)
    const database = new Database({ url: platform.services.databaseUrl, connectionsMax: 3 })
    await Promise.all([
      drain(deliveryQueue, platform.services),
      drain(deliveryQueue, { ...platform.services, database }),
    ]).finally(() => database.close())
    expect(await state(id)).toMatchObject({ isEnabled: false, disabledReason: 'FAILURES' })
    expect((await platform.eventTypesOf(id)).filter((type) => type === 'webhook.disabled')).toHaveLength(1)
    const rows = await log(id)
    expect(rows).toHaveLength(40)
    const unsent = rows.filter(({ error }) => error === 'The webhook was turned off before this attempt.')
    expect(rows.filter(({ status }) => status === 'FAILED')).toHaveLength(39)
    expect(receiver.take()).toHaveLength(40 - unsent.length)
  })

  it('gets no event that was committed before it was turned on, and each one after it', async () => {
    await anAccount({ name: 'before' })
    const { id } = await aWebhook()
    await anAccount({ name: 'first' })
    await deliverAll()
    await owner.rest.webhookDisable!({ id })
    await anAccount({ name: 'while off' })
    await deliverAll()
    await anAccount({ name: 'still off' })
    await owner.rest.webhookEnable!({ id })
    await anAccount({ name: 'last' })
    await deliverAll()
    expect(receiver.take().map(({ body }) => (body.data.record as { name: string }).name)).toEqual(['first', 'last'])
  })

  it('that is deleted or turned off ends its deliveries', async () => {
    answering(500)
    const off = await aWebhook()
    const deleted = await aWebhook()
    await anAccount()
    await deliverAll()
    await owner.rest.webhookDisable!({ id: off.id })
    await owner.rest.webhookDelete!({ id: deleted.id })
    receiver.take()
    await pass(platform.services, 10 * minuteMs)
    await deliverAll()
    expect(receiver.take()).toEqual([])
    expect((await log(off.id)).at(-1)).toMatchObject({
      attempt: 2,
      status: 'FAILED',
      error: 'The webhook was turned off before this attempt.',
    })
    expect((await log(deleted.id)).at(-1)).toMatchObject({ error: 'The webhook was deleted before this attempt.' })
    expect((await state(off.id)).consecutiveFailures).toBe(0)
  })

  it('gets what it subscribes to: types, `fields`, `skipOwn`', async () => {
    const other = await platform.member({ role: 'ADMIN', organizationId: owner.organizationId })
    await aWebhook({ name: 'updates', events: ['account.updated'], fields: ['industry'] })
    await aWebhook({ name: 'others', events: ['account.*'], skipOwn: true })
    const account = await anAccount()
    await owner.rest.accountUpdate!({ id: account.id, body: { name: 'Other' } })
    await owner.rest.accountUpdate!({ id: account.id, body: { industry: 'Shipping' } })
    await deliverAll()
    expect(receiver.take().map(({ body }) => [body.type, body.data.changedFields])).toEqual([
      ['account.updated', ['industry']],
    ])
    await other.rest.accountUpdate!({ id: account.id, body: { name: 'Third' } })
    await deliverAll()
    expect(receiver.take().map(({ body }) => [body.type, body.data.actorId])).toEqual([
      ['account.updated', other.userId],
    ])
    const headers = { ...owner.headers, 'content-type': 'application/json', 'x-service-function-depth': '2' }
    const body = JSON.stringify({ name: 'By an automation' })
    const request = { method: 'PATCH', headers, body }
    expect((await fetch(`${platform.url}/v1/accounts/${account.id}`, request)).status).toBe(200)
    await deliverAll()
    expect(receiver.take().map(({ body: sent }) => [sent.type, sent.data.actorId])).toEqual([
      ['account.updated', owner.userId],
    ])
  })

  it('with `debounceSeconds` gets the last of the updates of a record, with the changes of all of them', async () => {
    const { id } = await aWebhook({ events: ['account.updated'], debounceSeconds: 60 })
    const [one, two] = [await anAccount({ name: 'One' }), await anAccount({ name: 'Two' })]
    const rename = async (account: { id: string }, input: object) =>
      expect((await owner.rest.accountUpdate!({ id: account.id, body: input })).status).toBe(200)
    await rename(one, { name: 'One b' })
    await rename(one, { industry: 'Shipping' })
    await rename(two, { name: 'Two b' })
    await deliverAll()
    await rename(one, { name: 'One c' })
    await deliverAll()
    expect(receiver.take()).toEqual([])
    await pass(platform.services, 61_000)
    await deliverAll()
    const sent = receiver.take().map(({ body }) => body)
    const events = await platform.eventsOf(one.id)
    expect(sent.map(({ data }) => (data.record as { name: string }).name).toSorted()).toEqual(['One c', 'Two b'])
    const merged = sent.find(({ data }) => data.id === one.id)!
    expect(merged.data).toMatchObject({
      previous: { name: 'One', industry: null },
      record: { name: 'One c', industry: 'Shipping' },
      changedFields: ['name', 'industry'],
    })
    expect(events).toHaveLength(4)
    expect(await log(id)).toHaveLength(2)
    await rename(one, { name: 'One d' })
    await deliverAll()
    expect(await log(id)).toHaveLength(3)
  })
})

describe('a worker that dies', () => {
  it('between the answer and its record: the event is sent again with the same id, and every attempt is logged', async () => {
    const { id } = await aWebhook({ retryAttempts: 3 })
    await anAccount()
    await fanOut(platform.services, owner.organizationId)
    const { services } = platform
    const lease = () => leaseShares(services.database, deliveryQueue, 'fresh', 1, newLaneState())
    const { items } = await lease()
    const lateOutcome = await attemptItem(deliveryQueue, services, items[0]!)
    expect((await lease()).items).toEqual([])
    await pass(services, deliveryQueue.leaseMs)
    await drain(deliveryQueue, services)
    const [first, second] = receiver.take()
    expect([second!.text, second!.headers['x-service-event-id']]).toEqual([
      first!.text,
      first!.headers['x-service-event-id'],
    ])
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery'])
    const rows = [
      {
        attempt: 1,
        status: 'FAILED',
        error: 'The worker stopped during this attempt. The receiver may have received it.',
      },
      { attempt: 2, status: 'SUCCEEDED', error: null },
    ]
    expect(await log(id)).toMatchObject(rows)
    await deliveryQueue.record!(services, [lateOutcome])
    expect(await log(id)).toMatchObject(rows)
  })

  it('during a retry: the lost attempt has a row of its own', async () => {
    answering(500)
    const { id } = await aWebhook()
    await anAccount()
    await deliverAll()
    await pass(platform.services, 2 * minuteMs)
    const { items } = await leaseShares(platform.services.database, deliveryQueue, 'retry', 1, newLaneState())
    expect(items).toHaveLength(1)
    answering(200)
    await pass(platform.services, deliveryQueue.leaseMs)
    await deliverAll()
    expect(await log(id)).toMatchObject([
      { attempt: 1, status: 'FAILED', responseStatus: 500 },
      {
        attempt: 2,
        status: 'FAILED',
        error: 'The worker stopped during this attempt. The receiver may have received it.',
      },
      { attempt: 3, status: 'SUCCEEDED', responseStatus: 200 },
    ])
  })

  it('uses up no attempt, and makes the delay after a failure no longer', async () => {
    answering(500)
    const { id } = await aWebhook({ retryAttempts: 1, retryDelaySeconds: 60 })
    await anAccount()
    await fanOut(platform.services, owner.organizationId)
    const { services } = platform
    for (const lane of ['fresh', 'retry', 'retry'] as const) {
      const { items } = await leaseShares(services.database, deliveryQueue, lane, 1, newLaneState())
      expect(items).toHaveLength(1)
      await pass(services, deliveryQueue.leaseMs)
    }
    const waits = async () =>
      platform.query(
        `select attempts, extract(epoch from next_attempt_at - statement_timestamp()) between 59 and 66 as "isFirstDelay"
         from events.delivery_queue where webhook_id = $1`,
        [id],
      )
    await drain(deliveryQueue, services)
    expect(receiver.take()).toMatchObject([{ headers: { 'x-service-attempt': '4' } }])
    expect(await waits()).toEqual([{ attempts: 4, isFirstDelay: true }])
    await pass(services, 2 * minuteMs)
    await drain(deliveryQueue, services)
    expect(receiver.take()).toMatchObject([{ headers: { 'x-service-attempt': '5' } }])
    expect(await waits()).toEqual([])
    expect((await log(id)).at(-1)).toMatchObject({ attempt: 5, status: 'FAILED', responseStatus: 500, hasNext: false })
  })
})

describe('a delivery that the platform cannot read', () => {
  const column = (from: string, to: string) =>
    platform.query(`alter table events.delivery_body rename column ${from} to ${to}`)
  const lost = 'The outcomes of several attempts of this delivery were lost, so it was given up.'
  const attemptsDuringOutage = async (rounds: number) => {
    await column('body', 'hidden_body')
    for (let round = 0; round < rounds; round++) {
      await drain(deliveryQueue, platform.services)
      await pass(platform.services, deliveryQueue.leaseMs)
    }
    await column('hidden_body', 'body')
  }

  it('for some minutes is sent after them, with all its attempts', async () => {
    const { id } = await aWebhook({ retryAttempts: 1 })
    await anAccount()
    await fanOut(platform.services, owner.organizationId)
    await attemptsDuringOutage(10)
    expect([receiver.take(), await log(id)]).toMatchObject([[], [{ attempt: 1, status: 'PENDING', error: null }]])
    answering(503)
    await drain(deliveryQueue, platform.services)
    expect(receiver.take()).toMatchObject([{ headers: { 'x-service-attempt': '1' } }])
    expect(await log(id)).toMatchObject([{ attempt: 1, status: 'RETRY_SCHEDULED', responseStatus: 503 }])
  })

  it('for more than a day ends as FAILED', async () => {
    const { id } = await aWebhook({ retryAttempts: 0 })
    await anAccount()
    await fanOut(platform.services, owner.organizationId)
    await platform.query(`update events.delivery_queue set created_at = created_at - interval '1 day'`)
    await attemptsDuringOutage(6)
    await drain(deliveryQueue, platform.services)
    expect(receiver.take()).toEqual([])
    expect((await log(id)).at(-1)).toMatchObject({ status: 'FAILED', error: lost, hasNext: false })
  })
})
