import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import type { Member } from '../platform.ts'
import { pass } from './deliver.ts'
import { answering, attemptsOf, aWebhook, deliverAll, restrict, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const admin = (visibility: 'ALL' | 'OWN' = 'ALL') =>
  platform.member({ role: 'ADMIN', visibility, organizationId: used.owner.organizationId })
const handOver = async (id: string, { userId }: Member) =>
  expect((await used.owner.rest.webhookUpdate!({ id, body: { ownerId: userId } })).status).toBe(200)

interface Shown {
  readonly id: string
  readonly requestBody: string | null
  readonly responseBody: string | null
  readonly responseStatus: number | null
}
const query = `query ($id: ID!) { webhookDeliveryList(webhookId: $id) { data { id responseBody } } }`

/** The log over REST, each attempt by its id, and the response bodies alone over GraphQL: all must agree. */
async function bodies(by: Member, id: string): Promise<boolean[]> {
  const { data } = (await by.rest.webhookDeliveryList!({ id })).body as { data: Shown[] }
  const { webhookDeliveryList } = (await by.graphql(query, { id })).body.data as {
    webhookDeliveryList: { data: Shown[] }
  }
  const shown: boolean[] = []
  for (const [index, { id: deliveryId, requestBody, responseBody, responseStatus }] of data.entries()) {
    const one = (await by.rest.webhookDelivery!({ id, deliveryId })).body as unknown as Shown
    const isShown = requestBody !== null
    expect(one.requestBody !== null).toBe(isShown)
    const responses = [responseBody, webhookDeliveryList.data[index]!.responseBody].map((body) => body !== null)
    expect(responses).toEqual(responseStatus === null ? [false, false] : [isShown, isShown])
    shown.push(isShown)
  }
  return shown
}
const replays = async (by: Member, id: string): Promise<unknown[]> => {
  const { data } = (await by.rest.webhookDeliveryList!({ id })).body as { data: Shown[] }
  const answers: unknown[] = []
  for (const { id: deliveryId } of data) {
    const { status, body } = await by.rest.webhookDeliveryReplay!({ id, deliveryId })
    answers.push([status, body['code']])
  }
  return answers
}
const refused = [409, 'INVALID_STATE']
const since = '2026-01-01T00:00:00Z'
const error = 'The owner of the webhook may not see what this delivery contains.'

describe('after `ownerId` of a webhook has changed', () => {
  it('the new owner neither reads nor replays bodies of records that he does not see', async () => {
    const limited = await admin('OWN')
    const { id } = await aWebhook(used, { events: ['account.created'] })
    await account(used.owner, { name: 'Secret', ownerId: used.owner.userId })
    await account(used.owner, { name: 'His', ownerId: limited.userId })
    await deliverAll(used)
    await handOver(id, limited)
    used.receiver.take()
    expect(await bodies(limited, id)).toEqual([true, false])
    expect(await bodies(used.owner, id)).toEqual([true, true])
    expect(await replays(limited, id)).toEqual([[200, undefined], refused])
    expect(await attemptsOf(used, id)).toHaveLength(3)
    await deliverAll(used)
    expect(used.receiver.take().map(({ body }) => (body.data['record'] as { name: string }).name)).toEqual(['His'])
  })

  it('retries, recovered deliveries and deliveries that wait for their first attempt do not reach the new owner', async () => {
    const limited = await admin('OWN')
    const { id } = await aWebhook(used, { events: ['account.created'], retryAttempts: 1 })
    answering(used, 500)
    await account(used.owner, { name: 'Secret' })
    await deliverAll(used)
    await handOver(id, limited)
    answering(used, 204)
    used.receiver.take()
    await pass(platform.services, 120_000)
    await deliverAll(used)
    expect((await limited.rest.webhookRecover!({ id, body: { since } })).body).toMatchObject({
      queued: 1,
      hasMore: false,
    })
    await deliverAll(used)
    expect(used.receiver.take()).toEqual([])
    const attempts = await attemptsOf(used, id)
    expect(attempts.slice(1)).toMatchObject([
      { attempt: 2, status: 'FAILED', error },
      { attempt: 1, status: 'FAILED', error },
    ])
    await handOver(id, used.owner)
    expect((await used.owner.rest.webhookRecover!({ id, body: { since } })).body).toMatchObject({
      queued: 1,
      hasMore: false,
    })
    await deliverAll(used)
    expect(used.receiver.take()).toMatchObject([{ body: { data: { record: { name: 'Secret' } } } }])
  })

  it('a selection is shown and replayed only with the rights as which it was read', async () => {
    const [limited, whole] = [await admin('OWN'), await admin()]
    const selection = 'fragment Webhook on Account { owner { name } }'
    const { id } = await aWebhook(used, { events: ['account.created'], selection })
    await account(used.owner, { name: 'His', ownerId: limited.userId })
    await deliverAll(used)
    await handOver(id, limited)
    expect(await bodies(limited, id)).toEqual([false])
    expect(await replays(limited, id)).toEqual([refused])
    await account(used.owner, { name: 'His second', ownerId: limited.userId })
    await deliverAll(used)
    expect(await bodies(limited, id)).toEqual([true, false])
    expect(await replays(limited, id)).toEqual([[200, undefined], refused])
    expect(await bodies(whole, id)).toEqual([true, true, true])
  })
})

describe('after the rights of the owner of a webhook have become fewer', () => {
  it('bodies with fields that are hidden are neither shown nor sent again, others are', async () => {
    const whole = await admin()
    const { id } = await aWebhook(used, { events: ['account.created'], retryAttempts: 1 }, whole)
    answering(used, 500)
    await account(used.owner, { name: 'Acme', website: 'https://acme.example' })
    await deliverAll(used)
    expect(await bodies(whole, id)).toEqual([true])
    await restrict(used, whole, { website: 'HIDDEN' })
    expect(await bodies(whole, id)).toEqual([false])
    expect(await replays(whole, id)).toEqual([refused])
    used.receiver.take()
    answering(used, 204)
    await pass(platform.services, 120_000)
    await deliverAll(used)
    expect(used.receiver.take()).toEqual([])
    await account(used.owner, { name: 'Later', website: 'https://later.example' })
    await deliverAll(used)
    expect(used.receiver.take().map(({ body }) => body.data['record'])).toEqual([
      expect.not.objectContaining({ website: 'https://later.example' }),
    ])
    expect(await bodies(whole, id)).toEqual([true, false, false])
    expect(await replays(whole, id)).toEqual([[200, undefined], refused, refused])
    expect(await attemptsOf(used, id)).toHaveLength(4)
  })
})
