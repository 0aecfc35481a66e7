import { expect, it } from 'vitest'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { LaneWorker } from '../../subgraphs/kernel/queue/lane-worker.ts'
import { account } from '../builders.ts'
import { fanOut } from './deliver.ts'
import { aWebhook, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used
const [webhooks, records] = [20, 5]

it('selections of about 1 MB for many webhooks are not stored, and another organization gets its events meanwhile', async () => {
  const attacker = used.owner
  const watched = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Watched') })
  const aliases = Array.from({ length: 10 }, (_, at) => `m${at}: metadata`).join(' ')
  for (let at = 0; at < webhooks; at++)
    await aWebhook(used, {
      name: `Hook ${at}`,
      events: ['account.created'],
      selection: `fragment Large on Account { n${at}: name ${aliases} }`,
    })
  await aWebhook(used, { events: ['account.created'], selection: 'fragment Small on Account { name }' }, watched)
  for (let at = 0; at < records; at++) await account(attacker, { metadata: { text: 'x'.repeat(100_000) } })
  await fanOut(platform.services, attacker.organizationId)
  const ended: string[] = []
  used.receiver.respond = (res, { body: { data } }) => {
    const { selection, selectionErrors } = data as unknown as {
      selection: object | null
      selectionErrors?: { code: string }[]
    }
    ended.push(selection === null ? selectionErrors![0]!.code : 'watched')
    res.writeHead(204).end()
  }
  const worker = new LaneWorker(deliveryQueue, platform.services, 'fresh')
  const running = worker.run()
  try {
    await expect.poll(() => ended.length, { timeout: 30_000 }).toBeGreaterThan(0)
    for (const name of ['Northwind', 'Contoso', 'Fabrikam']) await account(watched, { name })
    await fanOut(platform.services, watched.organizationId)
    worker.wake()
    const ofWatched = () => ended.filter((name) => name === 'watched').length
    await expect.poll(ofWatched, { timeout: 30_000 }).toBe(3)
    await expect.poll(() => ended.length, { timeout: 60_000 }).toBe(webhooks * records + 3)
    expect(ended.lastIndexOf('watched')).toBeLessThan(webhooks * records)
    expect(ended.filter((name) => name === 'ANSWER_TOO_LARGE')).toHaveLength(webhooks * records)
  } finally {
    worker.stop()
    await running
  }
  // The reason is stored once for each event, besides the event.
  const [stored] = await platform.query(
    `select count(*)::int as parts, max(octet_length(body)) < 300 as "areSmall" from events.delivery_body
     where organization_id = $1 and base_id is not null`,
    [attacker.organizationId],
  )
  expect(stored).toEqual({ parts: records, areSmall: true })
}, 120_000)
