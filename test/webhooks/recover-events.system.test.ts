import { expect, it } from 'vitest'
import { killedAfterEach } from '../faults/killed-worker.ts'
import { accountEvents, aWebhook, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used
const events = 3_000

it('a worker that is killed while a webhook catches up queues each event once', { timeout: 300_000 }, async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  const { owner } = used
  const { id } = await aWebhook(used, { events: ['account.created'] })
  await owner.rest.webhookDisable!({ id } as never)
  const from = platform.now.toISOString()
  const written = await accountEvents(platform, owner, events)
  await owner.rest.webhookEnable!({ id } as never)
  platform.now = new Date()
  expect((await owner.rest.webhookRecover!({ id, body: { from } } as never)).status).toBe(202)

  const queued = async (): Promise<string[]> => {
    const sql =
      'select event_id as "eventId" from events.delivery_shown where webhook_id = $1 and attempt = 1 order by id'
    return (await platform.query<{ eventId: string }>(sql, [id])).map(({ eventId }) => eventId)
  }
  await killedAfterEach(platform, {
    job: 'webhooks.forgetRecoveries',
    queue: 'events.webhook_recovery',
    settings: { OUTBOUND_ALLOW: '127.0.0.0/8' },
    parts: [0.1, 0.4, 0.7].map((part) => async () => expect((await queued()).length).toBeGreaterThan(events * part)),
    end: async () => {
      const sql = 'select state, queued::int from events.webhook_recovery where webhook_id = $1'
      expect(await platform.query(sql, [id])).toEqual([{ state: 'DONE', queued: events }])
    },
  })
  expect(await queued()).toEqual(written)
})
