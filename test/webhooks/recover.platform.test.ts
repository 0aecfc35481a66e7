import { expect, it } from 'vitest'
import { account } from '../builders.ts'
import { pass } from './deliver.ts'
import { answering, attemptsOf, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

it('a recovered delivery has the retries of the webhook, and can be recovered again when they have failed', async () => {
  const { id } = await aWebhook(used, { events: ['account.created'], retryAttempts: 0 })
  answering(used, 500)
  await account(used.owner)
  await deliverAll(used)
  expect((await used.owner.rest.webhookUpdate!({ id, body: { retryAttempts: 1 } })).status).toBe(200)
  const recover = async () =>
    (await used.owner.rest.webhookRecover!({ id, body: { since: '2026-01-01T00:00:00Z' } })).body
  const failed = (attempt: number) => ({ attempt, status: 'FAILED', error: 'The receiver answered with status 500.' })
  const pending = { attempt: 1, status: 'PENDING', error: null }

  expect([await recover(), await recover()]).toEqual([
    { queued: 1, hasMore: false, isComplete: true },
    { queued: 0, hasMore: false, isComplete: true },
  ])
  expect(await attemptsOf(used, id)).toMatchObject([failed(1), pending])
  await deliverAll(used)
  expect(await attemptsOf(used, id)).toMatchObject([failed(1), { attempt: 1, status: 'RETRY_SCHEDULED' }])
  expect(await recover()).toMatchObject({ queued: 0, hasMore: false })
  await pass(platform.services, 120_000)
  await deliverAll(used)
  expect(await attemptsOf(used, id)).toMatchObject([failed(1), failed(1), failed(2)])
  await pass(platform.services, 86_400_000)
  await deliverAll(used)
  expect((await used.owner.rest.webhook!({ id })).body).toMatchObject({ consecutiveFailures: 2 })

  expect(await recover()).toMatchObject({ queued: 1, hasMore: false })
  answering(used, 204)
  await deliverAll(used)
  const sent = used.receiver.take()
  expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '1', '2', '1'])
  expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
  expect(await attemptsOf(used, id)).toMatchObject([
    failed(1),
    failed(1),
    failed(2),
    { attempt: 1, status: 'SUCCEEDED' },
  ])
  expect((await used.owner.rest.webhook!({ id })).body).toMatchObject({ consecutiveFailures: 0 })
  expect(await recover()).toMatchObject({ queued: 0, hasMore: false })
})
