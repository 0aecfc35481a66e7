import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import type { Member } from '../platform.ts'
import { pass } from './deliver.ts'
import { answering, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const hook = async (input: object = {}, by: Member = used.owner) =>
  (await aWebhook(used, { retryAttempts: 0, ...input }, by)).id
const anAccount = async (input: object = {}): Promise<string> =>
  (await account(used.owner, { name: 'Acme', ...input })).id
const rename = async (id: string, name: string) =>
  expect((await used.owner.rest.accountUpdate!({ id, body: { name } })).status).toBe(200)
const sent = () => used.receiver.take().map(({ text }) => text)
interface Attempt {
  readonly id: string
  readonly status: string
  readonly requestBody: string | null
}
const attempts = async (id: string) => (await used.owner.rest.webhookDeliveryList!({ id })).body.data as Attempt[]
const logged = async (id: string) => (await attempts(id)).map(({ requestBody }) => requestBody)
/** The rows and bytes of the bodies of the organization, and the bytes in the rows of deliveries. */
const stored = async () =>
  (
    await platform.query(
      `select count(*)::int as bodies, coalesce(sum(octet_length(body)), 0)::int as bytes, (
         select coalesce(sum(octet_length(request_body)), 0)::int from events.delivery where organization_id = $1
       ) as others from events.delivery_body where organization_id = $1`,
      [used.owner.organizationId],
    )
  )[0]
const bytesOf = (texts: readonly (string | undefined)[]) =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text!), 0)
const sorted = (texts: readonly (string | null | undefined)[]) => texts.map(String).toSorted()
const since = '2026-01-01T00:00:00Z'
const recover = async (id: string) => (await used.owner.rest.webhookRecover!({ id, body: { since } })).body as object
const replay = (id: string, deliveryId: string) => used.owner.rest.webhookDeliveryReplay!({ id, deliveryId })

describe('the body of an event', () => {
  it('of nearly 1 MB is stored once for 20 webhooks of two owners, for recovered deliveries and for replays', async () => {
    const other = await platform.member({ role: 'ADMIN', organizationId: used.owner.organizationId })
    const ids: string[] = []
    for (let number = 0; number < 20; number++)
      ids.push(await hook({ name: `Hook ${number}` }, number % 2 ? other : used.owner))
    answering(used, 500)
    await anAccount({ customFields: { text: 'é'.repeat(510_000) } })
    await deliverAll(used)
    const [text, ...others] = sent()
    expect([others.length, others.every((each) => each === text)]).toEqual([19, true])
    const bytes = Buffer.byteLength(text!)
    expect(bytes).toBeGreaterThan(1_020_000)
    expect(await stored()).toEqual({ bodies: 1, bytes, others: 0 })

    for (const id of ids.slice(0, 3)) expect(await recover(id)).toMatchObject({ queued: 1, hasMore: false })
    const [first] = await attempts(ids[3]!)
    expect((await replay(ids[3]!, first!.id)).body.requestBody === text).toBe(true)
    await deliverAll(used)
    expect(sent().map((each) => each === text)).toEqual([true, true, true, true])
    expect(await stored()).toEqual({ bodies: 1, bytes, others: 0 })
    for (const [index, id] of ids.entries()) {
      const shown = await logged(id)
      expect(shown.map((each) => each === text)).toEqual(index < 4 ? [true, true] : [true])
    }
  }, 60_000)

  it('is stored once for each event and each text, and is the body of every attempt', async () => {
    const ids = [await hook({ retryAttempts: 1 }), await hook({ payloadVersion: 1, retryAttempts: 1 })]
    answering(used, 500)
    await anAccount()
    await anAccount()
    await deliverAll(used)
    await pass(platform.services, 120_000)
    await deliverAll(used)
    const texts = sent()
    const distinct = [...new Set(texts)]
    expect([texts.length, distinct.length]).toEqual([8, 4])
    expect(await stored()).toEqual({ bodies: 4, bytes: bytesOf(distinct), others: 0 })
    const shown = (await Promise.all(ids.map(logged))).flat()
    expect(sorted(shown)).toEqual(sorted(texts))
  })

  it('of an attempt of an earlier release, whose first attempt has it in its row, is shown, replayed and recovered', async () => {
    const id = await hook({ retryAttempts: 1 })
    await anAccount()
    answering(used, 500)
    await deliverAll(used)
    await pass(platform.services, 120_000)
    await deliverAll(used)
    const [text] = await logged(id)
    await platform.query(
      `update events.delivery d set request_body = case when d.attempt = 1 then b.body end, body_id = null from events.delivery_body b
       where d.organization_id = $1 and b.organization_id = $1 and b.id = d.body_id`,
      [used.owner.organizationId],
    )
    await platform.query('delete from events.delivery_body')
    expect(sent()).toEqual([text, text])
    expect(await logged(id)).toEqual([text, text])
    for (const attempt of await attempts(id)) expect((await replay(id, attempt.id)).status).toBe(200)
    expect(await recover(id)).toMatchObject({ queued: 1, hasMore: false })
    await deliverAll(used)
    expect(sent()).toEqual([text, text, text])
    expect(await logged(id)).toEqual([text, text, text, text, text])
  })

  it('that is not stored any longer is null in the log; a recovered delivery ends as FAILED, and a replay is refused', async () => {
    const id = await hook()
    answering(used, 500)
    await anAccount()
    await deliverAll(used)
    await platform.query('delete from events.delivery_body where organization_id = $1', [used.owner.organizationId])
    const [first] = await attempts(id)
    expect(first).toMatchObject({ requestBody: null, status: 'FAILED' })
    const refused = await replay(id, first!.id)
    expect([refused.status, refused.body.code, (await attempts(id)).length]).toEqual([409, 'INVALID_STATE', 1])
    used.receiver.take()
    expect(await recover(id)).toMatchObject({ queued: 1, hasMore: false })
    await deliverAll(used)
    expect(sent()).toEqual([])
    expect((await attempts(id))[0]).toMatchObject({
      requestBody: null,
      status: 'FAILED',
      error: 'The delivery was older than 30 days.',
    })
  })
})

describe('a body of its own', () => {
  it('has no delivery with a selection: what it selects is stored besides the event, for all its attempts, its replay and its recovery', async () => {
    const selection = 'fragment Webhook on Account { name }'
    const [id, plain] = [await hook({ selection, retryAttempts: 1 }), await hook()]
    answering(used, 500)
    await anAccount()
    await deliverAll(used)
    await pass(platform.services, 120_000)
    await deliverAll(used)
    const texts = sent()
    const [whole, bare] = [true, false].map((has) => texts.find((text) => text.includes('"selection"') === has)!)
    expect(JSON.parse(whole!)).toMatchObject({ data: { selection: { name: 'Acme' } } })
    expect(sorted(texts)).toEqual(sorted([whole, whole, bare]))
    expect([await logged(id), await logged(plain)]).toEqual([[whole, whole], [bare]])
    const part = Buffer.byteLength('"selection":{"name":"Acme"}')
    const kept = { bodies: 2, bytes: bytesOf([bare]) + part, others: 0 }
    expect(await stored()).toEqual(kept)
    const [last] = await attempts(id)
    await replay(id, last!.id)
    await recover(id)
    await deliverAll(used)
    expect(sent()).toEqual([whole, whole])
    expect(await stored()).toEqual(kept)
  })

  it('has a delivery that later updates replace; webhooks with the same updates share it', async () => {
    const debounced = { events: ['account.updated'], debounceSeconds: 60 }
    const ids = [await hook(debounced), await hook(debounced), await hook({ events: ['account.updated'] })]
    const account = await anAccount()
    await rename(account, 'Second')
    await deliverAll(used)
    const [second] = sent()
    await rename(account, 'Third')
    await rename(account, 'Fourth')
    await deliverAll(used)
    const [third, fourth] = sent()
    await pass(platform.services, 61_000)
    await deliverAll(used)
    const [merged, ...others] = sent()
    expect(others).toEqual([merged])
    expect(JSON.parse(merged!)).toMatchObject({ data: { record: { name: 'Fourth' }, previous: { name: 'Acme' } } })
    expect(await Promise.all(ids.map(logged))).toEqual([[merged], [merged], [fourth, third, second]])
    const bytes = bytesOf([second, third, fourth, merged])
    expect(await stored()).toEqual({ bodies: 4, bytes, others: 0 })
  })
})
