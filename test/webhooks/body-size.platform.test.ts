import { describe, expect, it } from 'vitest'
import { newBody } from '../../subgraphs/events/delivery/delivery-body.ts'
import { queueDeliveries } from '../../subgraphs/events/delivery/new-delivery.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account } from '../builders.ts'
import { validateEvents } from '../contract/validate-events.ts'
import { aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const hook = async (input: object = {}) => (await aWebhook(used, input)).id
const anAccount = async (input: object = {}): Promise<string> =>
  (await account(used.owner, { name: 'Acme', ...input })).id
const sent = () => used.receiver.take().map(({ text }) => text)
const attempts = async (id: string) =>
  (await used.owner.rest.webhookDeliveryList!({ id })).body.data as { readonly id: string }[]

describe('a body that would have more than 1,048,576 bytes', () => {
  const bytesMax = 1_048_576
  const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'é'.repeat(300_000)]))
  const change = async (id: string, body: object) =>
    expect((await used.owner.rest.accountUpdate!({ id, body })).status).toBe(200)
  const isNotTooLarge = (text: string) => Buffer.byteLength(text) <= bytesMax
  /** The data of both payload versions. */
  const datasAfter = async () => {
    await deliverAll(used)
    const texts = sent()
    expect(texts.map(isNotTooLarge)).toEqual([true, true])
    const bodies = texts.map((text) => JSON.parse(text) as { type?: string; data: Record<string, unknown> })
    const { type, data } = bodies.find((body) => body.type !== undefined)!
    expect(validateEvents([{ type: type!, version: 1, data }])).toEqual([])
    return bodies.map((body) => body.data)
  }

  it('is sent without `previous`, and then with the id of `record` only; `omitted` names them', async () => {
    await hook()
    await hook({ payloadVersion: 1 })
    const id = await anAccount({ customFields: fields('a') })
    const created = await datasAfter()
    await change(id, { name: 'Second' })
    const renamed = await datasAfter()
    await change(id, { customFields: fields('b') })
    const grown = await datasAfter()
    for (const data of created) {
      expect(data).toMatchObject({ record: { name: 'Acme', customFields: fields('a') }, previous: null })
      expect(data).not.toHaveProperty('omitted')
    }
    for (const data of renamed) {
      const record = { name: 'Second', customFields: fields('a') }
      expect(data).toMatchObject({ id, record, changedFields: ['name'], omitted: ['previous'] })
      expect(data).not.toHaveProperty('previous')
    }
    for (const data of grown) {
      expect(data).toMatchObject({ id, changedFields: ['customFields'], omitted: ['previous', 'record'] })
      expect(data).toHaveProperty('record', { id })
      expect(data).not.toHaveProperty('previous')
    }
  })

  it('of a new record keeps the empty `previous`', async () => {
    await hook()
    await anAccount({ customFields: { text: 'é'.repeat(524_000) } })
    await deliverAll(used)
    const [text, ...others] = sent()
    expect(others).toEqual([])
    const { data } = JSON.parse(text!) as { data: { id: string } }
    expect(data).toMatchObject({ previous: null, changedFields: null, omitted: ['record'] })
    expect(data).toHaveProperty('record', { id: data.id })
  })

  it('with its selection has the selection instead', async () => {
    const id = await hook({ selection: 'fragment Webhook on Account { customFields }' })
    const text = 'é'.repeat(262_100)
    const account = await anAccount({ customFields: { text } })
    await deliverAll(used)
    const [whole] = sent()
    expect(isNotTooLarge(whole!)).toBe(true)
    expect(JSON.parse(whole!)).toMatchObject({
      data: { record: { id: account }, omitted: ['record'], selection: { customFields: { text } } },
    })
    expect(await attempts(id)).toMatchObject([{ status: 'SUCCEEDED', requestBody: whole }])
  })

  it('is not sent if it still is too large', async () => {
    const { organizationId } = used.owner
    const webhookId = await hook()
    const event = { eventId: newId(), eventType: 'account.created', eventVersion: 1 }
    const [fitting, large] = [bytesMax, bytesMax + 1].map((bytes) => newBody('x'.repeat(bytes)))
    for (const body of [fitting!, large!])
      await queueDeliveries(platform.services.database, [
        { organizationId, webhookId, ...event, body, attemptsMax: 1, retryDelaySeconds: 60 },
      ])
    const stored = await platform.query(
      'select octet_length(body) from events.delivery_body where organization_id = $1',
      [organizationId],
    )
    expect(stored).toEqual([{ octet_length: bytesMax }])
    const error = 'The body was not sent, because it has more than 1048576 bytes.'
    expect(await attempts(webhookId)).toMatchObject([
      { status: 'FAILED', error, requestBody: null },
      { status: 'PENDING', error: null },
    ])
    const [failed] = await attempts(webhookId)
    expect((await used.owner.rest.webhookDeliveryReplay!({ id: webhookId, deliveryId: failed!.id })).status).toBe(409)
    const recovered = await used.owner.rest.webhookRecover!({ id: webhookId, body: { since: '2026-01-01T00:00:00Z' } })
    expect(recovered.body).toMatchObject({ queued: 0, hasMore: false })
    expect(await attempts(webhookId)).toHaveLength(2)
  })
})
