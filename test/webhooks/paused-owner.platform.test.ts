import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { fanOut, pass } from './deliver.ts'
import { answering, attemptsOf, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const paused = 'The owner of the webhook was no active owner or admin at the time of this attempt.'

/** A webhook of an admin, who stops and begins again to be one. */
async function ofAnAdmin(stop: string) {
  const { organizationId } = used.owner
  const admin = await platform.member({ organizationId, role: 'ADMIN' })
  const { id } = await aWebhook(used, { events: ['account.created'], retryAttempts: 2 }, admin)
  const change = (values: string) =>
    platform.query(`update identity.app_user set ${values} where id = $1`, [admin.userId])
  return { id, pause: () => change(stop), resume: () => change(`is_active = true, role = 'ADMIN', left_at = null`) }
}

const namesReceived = () => used.receiver.take().map(({ body }) => (body.data['record'] as { name: string }).name)

describe.each([
  ['is deactivated', 'is_active = false'],
  ['is demoted', `role = 'MANAGER'`],
  ['has left', 'left_at = now()'],
])('a webhook whose owner %s', (_state, stop) => {
  it('gets no event of this time, also not later', async () => {
    const { id, pause, resume } = await ofAnAdmin(stop)
    await pause()
    await account(used.owner, { name: 'Meanwhile' })
    await fanOut(platform.services, used.owner.organizationId)
    expect(await platform.query('select 1 from events.delivery_queue where webhook_id = $1', [id])).toEqual([])
    await resume()
    await account(used.owner, { name: 'Later' })
    await deliverAll(used)
    expect(namesReceived()).toEqual(['Later'])
    expect(await attemptsOf(used, id)).toMatchObject([{ attempt: 1, status: 'SUCCEEDED' }])
  })

  it('gets nothing that was queued before: it ends as FAILED, does not count as a failure, and can be recovered', async () => {
    const { id, pause, resume } = await ofAnAdmin(stop)
    answering(used, 500)
    await account(used.owner, { name: 'Retried' })
    await deliverAll(used)
    expect(namesReceived()).toEqual(['Retried'])
    await account(used.owner, { name: 'Queued' })
    await fanOut(platform.services, used.owner.organizationId)
    await pause()
    await pass(platform.services, 600_000)
    await deliverAll(used)
    expect(namesReceived()).toEqual([])
    expect(await attemptsOf(used, id)).toMatchObject([
      { attempt: 1, status: 'FAILED', error: 'The receiver answered with status 500.' },
      { attempt: 1, status: 'FAILED', error: paused },
      { attempt: 2, status: 'FAILED', error: paused },
    ])
    expect((await used.owner.rest.webhook!({ id })).body).toMatchObject({
      isPaused: true,
      isEnabled: true,
      consecutiveFailures: 0,
    })
    await resume()
    answering(used, 204)
    const recovered = await used.owner.rest.webhookRecover!({ id, body: { since: '2026-01-01T00:00:00Z' } })
    expect([recovered.status, recovered.body]).toEqual([200, { queued: 2, hasMore: false, isComplete: true }])
    await deliverAll(used)
    expect(namesReceived().toSorted()).toEqual(['Queued', 'Retried'])
  })
})
