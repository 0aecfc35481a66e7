import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { countedMax } from '../../subgraphs/events/delivery/delivery.actions.ts'
import { recoveredMax } from '../../subgraphs/events/delivery/recover.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { genericPlanOf, statementsOf } from '../statements.ts'
import { deliver, fanOut, pass } from './deliver.ts'
import { Receiver } from './receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let receiver: Receiver
let owner: Member
const day = 86_400_000

beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())
beforeEach(async () => {
  await platform.query('delete from events.delivery_queue')
  receiver.take()
  answering(204)
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

const answering = (status: number, body = '') => {
  receiver.respond = (res) => void res.writeHead(status).end(body)
}
const aWebhook = async (input: object = {}) => {
  const settings = { name: 'ERP', url: receiver.url, events: ['account.created'], retryAttempts: 0, ...input }
  return (await owner.rest.webhookCreate!({ body: settings })).body
}
const anAccount = async () => (await owner.rest.accountCreate!({ body: { name: 'Acme' } })).body
const deliverAll = () => deliver(platform.services, owner.organizationId)
interface Attempt extends Record<string, unknown> {
  readonly id: string
}
const list = async (id: string, query: Readonly<Record<string, string | number>> = {}) =>
  (await owner.rest.webhookDeliveryList!({ id, query })).body as {
    data: Attempt[]
    total: number
    nextCursor: string | null
  }

/** The plan of a statement, without a sort if an index has the order. */
const planOf = (statement: string): Promise<string[]> =>
  genericPlanOf(platform.services.databaseUrl, statement, ['seqscan', 'bitmapscan', 'sort'])

describe('webhookDeliveryList', () => {
  it('reads the newest attempts of the webhook from an index, however many others the organization has', async () => {
    const [{ id }, other] = [await aWebhook(), await aWebhook()]
    await platform.query(
      `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
         is_replay, is_test, created_at)
       select $1, n, case when i % 1000 = 0 then $2 else $3 end::uuid, n, n, 'account.created', 1, 1, 'SUCCEEDED', false, false,
         now() - make_interval(secs => i)
       from (select i, uuidv7() as n from generate_series(1, 5000) i) g`,
      [owner.organizationId, id, other.id],
    )
    for (const limit of [20, 3]) {
      let found: Attempt[] = []
      const read = async () => void (found = (await list(id, { limit, includeTotal: 'false' })).data)
      const statements = await statementsOf(platform, read, /from events\.delivery_shown/)
      expect(found.map(({ webhookId }) => webhookId)).toEqual(Array.from({ length: Math.min(limit, 5) }, () => id))
      expect(statements).toHaveLength(1)
      const plan = await planOf(statements[0]!)
      // Only the deliveries whose first attempt is running are sorted.
      expect(plan.filter((line) => /\bSort\b/.test(line) && !line.includes('Sort Key'))).toHaveLength(1)
      const queued = plan.filter((line) => line.includes('on delivery_queue'))
      expect(queued.map((line) => /using (\w+)/.exec(line)?.[1])).toEqual([
        'webhook_delivery_pending',
        'webhook_delivery_leased',
      ])
      const conditions = plan.filter((line) => /Index Cond: .*webhook_id = \$\d/.test(line))
      const partitions = await platform.query<{ count: number }>(
        `select count(*)::int as count from pg_inherits where inhparent = 'events.delivery'::regclass`,
      )
      expect(conditions).toHaveLength(partitions[0]!.count + queued.length)
    }
  })

  it('counts up to 10,000 attempts', async () => {
    const { id } = await aWebhook()
    const attempts = (count: number, status: string) =>
      platform.query(
        `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
           is_replay, is_test, created_at)
         select $1, n, $2, n, n, 'account.created', 1, 1, $3, false, false, now()
         from (select uuidv7() as n from generate_series(1, $4)) g`,
        [owner.organizationId, id, status, count],
      )
    await attempts(countedMax, 'SUCCEEDED')
    expect(await list(id)).toMatchObject({ total: 10_000, totalPages: 500, hasMore: true })
    await attempts(1, 'FAILED')
    expect(await list(id)).toMatchObject({ total: null, totalPages: null, hasMore: true })
    expect(await list(id, { status: 'FAILED' })).toMatchObject({ total: 1, totalPages: 1, hasMore: false })
  })

  it('shows bodies to an admin who does not see all records only of the own webhooks', async () => {
    const { organizationId } = owner
    const limited = await platform.member({ organizationId, role: 'ADMIN', visibility: 'OWN' })
    const whole = await platform.member({ organizationId, role: 'ADMIN' })
    const { id } = await aWebhook()
    const own = { name: 'Own', url: receiver.url, events: ['account.created'] }
    const { id: ownId } = (await limited.rest.webhookCreate!({ body: own })).body
    answering(200, 'echo')
    await owner.rest.accountCreate!({ body: { name: 'Secret', ownerId: owner.userId } })
    await limited.rest.accountCreate!({ body: { name: 'Mine', ownerId: limited.userId } })
    await deliverAll()
    const bodies = async (by: Member, webhookId: string) => {
      const { data } = (await by.rest.webhookDeliveryList!({ id: webhookId })).body as { data: Attempt[] }
      const one = (await by.rest.webhookDelivery!({ id: webhookId, deliveryId: data[0]!.id })).body as Attempt
      return [...data, one].map(({ requestBody, responseBody, status }) => [requestBody !== null, responseBody, status])
    }
    const shown = [true, 'echo', 'SUCCEEDED']
    expect(await bodies(limited, id)).toEqual(Array.from({ length: 3 }, () => [false, null, 'SUCCEEDED']))
    expect(await bodies(limited, ownId)).toEqual([shown, shown])
    expect(await bodies(whole, id)).toEqual([shown, shown, shown])
  })

  it('shows the headers of each attempt, those of earlier releases as they were stored, and none if nothing was sent', async () => {
    const { id } = await aWebhook({ retryAttempts: 1 })
    answering(500)
    await anAccount()
    await deliverAll()
    await pass(platform.services, day)
    await deliverAll()
    const sent = receiver.take()
    await anAccount()
    await fanOut(platform.services, owner.organizationId)
    await owner.rest.webhookUpdate!({ id, body: { isEnabled: false } })
    await deliverAll()
    const headers = async () => (await list(id)).data.map(({ requestHeaders }) => requestHeaders)
    const shownOf = ({ headers: by }: (typeof sent)[number]) => ({
      'Content-Type': 'application/json',
      'User-Agent': 'crm-webhooks/1',
      'X-Service-Signature': by['x-service-signature'],
      'X-Webhook-Signature': by['x-webhook-signature'],
      'X-Webhook-Timestamp': by['x-webhook-timestamp'],
      'webhook-id': by['webhook-id'],
      'webhook-timestamp': by['webhook-timestamp'],
      'webhook-signature': by['webhook-signature'],
      'X-Service-Function-Depth': '2',
      'X-Service-Event': 'account.created',
      'X-Service-Event-Id': by['x-service-event-id'],
      'X-Service-Event-Version': '1',
      'X-Service-Delivery': by['x-service-delivery'],
      'X-Service-Attempt': by['x-service-attempt'],
    })
    const [first, second] = sent.map(shownOf)
    expect([first!['X-Service-Attempt'], second!['X-Service-Attempt'], sent.length]).toEqual(['1', '2', 2])
    expect(await headers()).toEqual([null, second, first])
    const earlier = { ...first, 'User-Agent': 'crm-webhooks/0', 'X-Api-Token': '[redacted]' }
    await platform.query('update events.delivery set request_headers = $2 where id = $1', [
      first!['X-Service-Delivery'],
      JSON.stringify(earlier),
    ])
    expect(await headers()).toEqual([null, second, earlier])
  })

  it('has all attempts, newest first, by state and page by page with a cursor', async () => {
    const { id } = await aWebhook()
    answering(500)
    await anAccount()
    await deliverAll()
    answering(204)
    for (let n = 0; n < 4; n++) await anAccount()
    await deliverAll()
    const all = await list(id)
    expect(all).toMatchObject({ total: 5, page: 1, limit: 20, hasMore: false, nextCursor: null })
    const times = all.data.map(({ createdAt }) => createdAt as string)
    expect(times).toEqual(times.toSorted().toReversed())
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list(id, { limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.data.map((attempt) => attempt.id))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(all.data.map((attempt) => attempt.id))
    expect(await list(id, { status: 'FAILED' })).toMatchObject({ total: 1, data: [{ responseStatus: 500 }] })
    expect(await list(id, { status: 'FAILED,SUCCEEDED' })).toMatchObject({ total: 5 })
    expect((await owner.rest.webhookDeliveryList!({ id, query: { status: 'LOST' } })).status).toBe(400)
  })

  it('answers 403 to members and keys without the scope, and 404 for webhooks of others', async () => {
    const { id } = await aWebhook()
    await anAccount()
    await deliverAll()
    const { data } = await list(id)
    const { organizationId } = owner
    const member = await platform.member({ organizationId })
    const key = await platform.member({ role: 'OWNER', organizationId, scopes: ['READ_ACCOUNTS'] })
    const reader = await platform.member({ role: 'OWNER', organizationId, scopes: ['READ_WEBHOOKS'] })
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const deliveryId = data[0]!.id
    const read = async (by: Member) => [
      (await by.rest.webhookDeliveryList!({ id })).status,
      (await by.rest.webhookDelivery!({ id, deliveryId })).status,
      (await by.rest.webhookDeliveryReplay!({ id, deliveryId })).status,
    ]
    expect(await Promise.all([member, key, reader, stranger].map(read))).toEqual([
      [403, 403, 403],
      [403, 403, 403],
      [200, 200, 403],
      [404, 404, 404],
    ])
    const other = await aWebhook()
    expect((await owner.rest.webhookDelivery!({ id: other.id, deliveryId })).status).toBe(404)
    expect((await list(id)).total).toBe(1)
  })

  it('keeps the first 2,048 bytes of a response as text, and nothing of a compressed one', async () => {
    const { id } = await aWebhook()
    const text = `\0${'x'.repeat(2_046)}é and more`
    receiver.respond = (res) => void res.writeHead(200).end(text)
    await anAccount()
    await deliverAll()
    receiver.respond = (res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb')
    await anAccount()
    await deliverAll()
    expect((await list(id)).data.map(({ responseBody }) => responseBody)).toEqual([null, `\uFFFD${'x'.repeat(2_046)}`])
  })

  it('shows 30 days', async () => {
    const { id } = await aWebhook()
    await anAccount()
    await anAccount()
    await deliverAll()
    const [late, early] = (await list(id)).data
    const age = (attempt: Attempt | undefined, ms: number) =>
      platform.query(`update events.delivery set created_at = now() - $2 * interval '1 millisecond' where id = $1`, [
        attempt!.id,
        ms,
      ])
    await age(late, 30 * day - 60_000)
    await age(early, 30 * day + 60_000)
    expect((await list(id)).data.map((attempt) => attempt.id)).toEqual([late!.id])
    expect((await owner.rest.webhookDelivery!({ id, deliveryId: early!.id })).status).toBe(404)
    expect((await owner.rest.webhookDeliveryReplay!({ id, deliveryId: early!.id })).status).toBe(404)
  })
})

describe('webhookDeliveryReplay', () => {
  it('sends the stored body with the same event id and a new signature, also while the webhook is off, once', async () => {
    const { id, secret } = await aWebhook({ retryAttempts: 3 })
    const account = await anAccount()
    await deliverAll()
    const { id: deliveryId } = (await list(id)).data[0]!
    await owner.rest.accountUpdate!({ id: account.id, body: { name: 'Changed' } })
    await owner.rest.webhookDisable!({ id })
    platform.advanceClock(60_000)
    answering(500)
    const { status, body } = await owner.rest.webhookDeliveryReplay!({ id, deliveryId })
    expect([status, body]).toMatchObject([200, { status: 'PENDING', isReplay: true, isTest: false, attempt: 1 }])
    await deliverAll()
    await pass(platform.services, day)
    await deliverAll()
    const [first, replay, ...others] = receiver.take()
    expect(others).toEqual([])
    expect(replay!.text).toBe(first!.text)
    expect(replay!.headers['x-service-event-id']).toBe(first!.headers['x-service-event-id'])
    const t = String(platform.now.getTime() / 1000)
    const hmac = createHmac('sha256', secret).update(`${t}.${replay!.text}`).digest('hex')
    expect(replay!.headers['x-service-signature']).toBe(`t=${t},v1=${hmac}`)
    expect((await owner.rest.webhookDelivery!({ id, deliveryId: body.id })).body).toMatchObject({ status: 'FAILED' })
    expect((await owner.rest.webhook!({ id })).body).toMatchObject({ consecutiveFailures: 0, isEnabled: false })
  })

  it('with an Idempotency-Key is queued once', async () => {
    const { id } = await aWebhook()
    await anAccount()
    await deliverAll()
    const { id: deliveryId } = (await list(id)).data[0]!
    const key = newId()
    const answers = [
      await owner.rest.webhookDeliveryReplay!({ id, deliveryId, headers: { 'Idempotency-Key': key } }),
      await owner.rest.webhookDeliveryReplay!({ id, deliveryId, headers: { 'Idempotency-Key': key } }),
    ]
    expect(answers[1]!.body).toEqual(answers[0]!.body)
    expect((await list(id)).total).toBe(2)
  })
})

describe('webhookTest', () => {
  it.each([1, 2])('sends the sample of the catalog with test true in payload version %i', async (payloadVersion) => {
    const { id } = await aWebhook({ payloadVersion, retryAttempts: 3 })
    await owner.rest.webhookDisable!({ id })
    answering(500)
    const { status, body } = await owner.rest.webhookTest!({ id, body: { type: 'lead.created' } })
    expect([status, body]).toMatchObject([200, { status: 'PENDING', isTest: true, eventType: 'lead.created' }])
    await deliverAll()
    await pass(platform.services, day)
    await deliverAll()
    const [received, ...others] = receiver.take()
    expect(others).toEqual([])
    expect(received!.body).toMatchObject({ test: true, data: { record: { lastName: expect.any(String) as string } } })
    expect(received!.headers['x-service-event']).toBe('lead.created')
    expect((await owner.rest.webhook!({ id })).body).toMatchObject({ consecutiveFailures: 0 })
  })

  it('refuses an unknown type with 400 and queues nothing', async () => {
    const { id } = await aWebhook()
    const { status, body } = await owner.rest.webhookTest!({ id, body: { type: 'lead.vanished' } })
    expect([status, body.errors[0]]).toMatchObject([400, { path: 'type', code: 'UNKNOWN_EVENT' }])
    expect((await list(id)).total).toBe(0)
  })
})

describe('the deliveries of one lease', () => {
  it('read their bodies in one statement', async () => {
    await aWebhook()
    for (let n = 0; n < 3; n++) await anAccount()
    const query = vi.spyOn(platform.services.database, 'query')
    await deliverAll()
    const reads = query.mock.calls.filter(([text]) => text.includes('join events.delivery_body'))
    query.mockRestore()
    expect([receiver.take().length, reads.length]).toEqual([3, 1])
  })
})

describe('webhookRecover', () => {
  it('queues failed deliveries since a time once, with their bodies', async () => {
    const { id } = await aWebhook()
    answering(500)
    for (let n = 0; n < 3; n++) await anAccount()
    await deliverAll()
    const failed = receiver.take().map(({ text }) => text)
    const [early] = (await list(id)).data.slice(-1)
    await platform.query(`update events.delivery set created_at = created_at - interval '1 hour' where id = $1`, [
      early!.id,
    ])
    answering(204)
    const since = new Date(Date.now() - 30 * 60_000).toISOString()
    const recover = () => owner.rest.webhookRecover!({ id, body: { since } })
    const [one, other] = await Promise.all([recover(), recover()])
    expect([one.status, other.status]).toEqual([200, 200])
    expect(one.body.queued + other.body.queued).toBe(2)
    expect((await recover()).body).toMatchObject({ queued: 0, hasMore: false })
    await deliverAll()
    const sent = receiver.take().map(({ text }) => text)
    expect(sent.toSorted()).toEqual(failed.slice(1).toSorted())
    expect((await owner.rest.webhook!({ id })).body).toMatchObject({ consecutiveFailures: 0 })
  })

  it(`queues at most ${recoveredMax} at a time, and says that there are more`, async () => {
    const { id } = await aWebhook()
    await platform.query(
      `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status, request_body,
         is_replay, is_test, is_recoverable)
       select $1, d.id, $2, d.id, d.id, 'account.created', 1, 1, 'FAILED', '{}', false, false, true
       from (select gen_random_uuid() as id from generate_series(1, ${recoveredMax + 1})) d`,
      [owner.organizationId, id],
    )
    const recover = async () => (await owner.rest.webhookRecover!({ id, body: { since: '2026-01-01T00:00:00Z' } })).body
    expect([await recover(), await recover()]).toEqual([
      { queued: recoveredMax, hasMore: true, isComplete: true },
      { queued: 1, hasMore: false, isComplete: true },
    ])
  })

  it('answers 409 while the webhook is off, and queues nothing', async () => {
    const { id } = await aWebhook()
    answering(500)
    await anAccount()
    await deliverAll()
    await owner.rest.webhookDisable!({ id })
    const { status, body } = await owner.rest.webhookRecover!({ id, body: { since: '2026-01-01T00:00:00Z' } })
    expect([status, body.code]).toEqual([409, 'INVALID_STATE'])
    expect((await list(id)).total).toBe(1)
  })
})
