import { describe, expect, it } from 'vitest'
import { selectionBytesOfEvent } from '../../subgraphs/events/delivery/with-selection.ts'
import { account } from '../builders.ts'
import { deliver } from './deliver.ts'
import { aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const bytesOf = (text: string) => Buffer.byteLength(text)
const stored = (organizationId: string) =>
  platform.query(
    `select count(*)::int as bodies, coalesce(sum(octet_length(body)), 0)::int as bytes, count(base_id)::int as parts
     from events.delivery_body where organization_id = $1`,
    [organizationId],
  )
const logged = async (id: string) =>
  (await used.owner.rest.webhookDeliveryList!({ id, query: { limit: 100 } })).body.data as {
    id: string
    requestBody: string
  }[]

describe('the bodies of 98 webhooks with a selection', () => {
  it('are stored once for each event, and so are their selections; each attempt shows what it sent', async () => {
    const { organizationId, rest } = used.owner
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const strangers = await aWebhook(used, { events: ['account.created'] }, stranger)
    const text = 'é'.repeat(9_000)
    const { id } = await account(used.owner, { name: 'Acme', description: text })
    const selection = 'fragment Webhook on Account { description }'
    const input = { events: ['account.updated'], selection }
    const ids: string[] = []
    for (let number = 0; number < 98; number++)
      ids.push((await aWebhook(used, { ...input, payloadVersion: number < 96 ? 2 : 1 })).id)
    for (let number = 0; number < 5; number++)
      expect((await rest.accountUpdate!({ id, body: { website: `https://n${number}.example` } })).status).toBe(200)
    await account(stranger, { name: 'Other' })
    await deliver(platform.services, organizationId)
    await deliver(platform.services, stranger.organizationId)

    const all = used.receiver.take()
    const sent = all.filter(({ body }) => body.type !== 'account.created').map(({ text: body }) => body)
    const distinct = [...new Set(sent)]
    expect([all.length, sent.length, distinct.length]).toEqual([98 * 5 + 1, 98 * 5, 10])
    const part = bytesOf(`"selection":${JSON.stringify({ description: text })}`)
    const bytes = distinct.reduce((sum, whole) => sum + bytesOf(whole) - 1, 0)
    expect(await stored(organizationId)).toEqual([{ bodies: 20, bytes, parts: 10 }])
    expect(bytes).toBeGreaterThan(10 * part)
    const theirs = all.find(({ body }) => body.type === 'account.created')
    expect(await stored(stranger.organizationId)).toEqual([{ bodies: 1, bytes: bytesOf(theirs!.text), parts: 0 }])
    expect((await stranger.rest.webhookDeliveryList!({ id: strangers.id })).body).toMatchObject({
      total: 1,
      data: [{ requestBody: theirs!.text }],
    })

    for (const hook of [ids[0]!, ids[97]!]) {
      const shown = await logged(hook)
      expect(shown.map(({ requestBody }) => sent.includes(requestBody))).toEqual([true, true, true, true, true])
      expect((await rest.webhookDeliveryReplay!({ id: hook, deliveryId: shown[4]!.id })).status).toBe(200)
      await deliverAll(used)
      expect(used.receiver.take().map((replayed) => replayed.text)).toEqual([shown[4]!.requestBody])
    }
    expect(await stored(organizationId)).toEqual([{ bodies: 20, bytes, parts: 10 }])
  }, 120_000)
})

describe('different selections of one event', () => {
  it('have at most 1 MB together; further ones are null with the reason', async () => {
    const aliases = (prefix: string) => Array.from({ length: 14 }, (_, index) => `${prefix}${index}: description`)
    for (const prefix of ['a', 'b', 'c', 'd', 'e', 'f'])
      await aWebhook(used, {
        events: ['account.created'],
        selection: `fragment Firm on Account { ${aliases(prefix).join(' ')} }`,
      })
    await account(used.owner, { name: 'Acme', description: 'x'.repeat(18_500) })
    await deliverAll(used)
    const sent = used.receiver.take().map(({ body: { data } }) => data)
    const refused = sent.filter(({ selection }) => selection === null)
    expect([sent.length, refused.length]).toEqual([6, 2])
    const message = `What the webhooks select for one event has more than ${selectionBytesOfEvent} bytes together.`
    for (const data of refused)
      expect(data['selectionErrors']).toEqual([{ code: 'ANSWER_TOO_LARGE', message, path: [] }])
    const counted = await platform.query(
      `select base.part_bytes = sum(octet_length(part.body) + 1) filter (where octet_length(part.body) > 8192) as is_sum,
         base.part_bytes <= ${selectionBytesOfEvent} as is_within, count(*)::int as parts
       from events.delivery_body part join events.delivery_body base on base.organization_id = part.organization_id and base.id = part.base_id
       where part.organization_id = $1 group by base.id, base.part_bytes`,
      [used.owner.organizationId],
    )
    expect(counted).toEqual([{ is_sum: true, is_within: true, parts: 5 }])
  })
})
