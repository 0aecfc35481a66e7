import { describe, expect, it } from 'vitest'
import { mailsTo, memberWithEmail, notify } from '../notifications/notify.ts'
import { account } from '../builders.ts'
import type { Member } from '../platform.ts'
import { answering, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const noticesOf = async ({ userId }: Member) =>
  platform.query('select title, body, priority, action_url from events.notification where user_id = $1', [userId])

/** A webhook of an admin with a proved address, and another admin. */
async function aWebhookOfAnAdmin() {
  const { organizationId } = used.owner
  const owner = await memberWithEmail(platform, { organizationId, role: 'ADMIN' })
  const other = await memberWithEmail(platform, { organizationId, role: 'ADMIN' })
  const { id } = await aWebhook(used, { name: 'ERP orders', events: ['account.created'], retryAttempts: 0 }, owner)
  return { id, owner, other, tell: () => notify(platform, organizationId) }
}

describe('a webhook that is turned off', () => {
  it('by ten events in a row that failed tells its owner once, by notification and mail, and nobody else', async () => {
    const { id, owner, other, tell } = await aWebhookOfAnAdmin()
    answering(used, 500)
    for (let event = 0; event < 9; event++) await account(used.owner)
    await deliverAll(used)
    await tell()
    expect([await noticesOf(owner), await mailsTo(platform, owner.userId)]).toEqual([[], []])
    for (let event = 0; event < 3; event++) await account(used.owner)
    await deliverAll(used)
    expect((await owner.rest.webhook!({ id })).body).toMatchObject({ isEnabled: false, disabledReason: 'FAILURES' })
    await tell()
    // Reading the events again tells nobody again.
    await platform.query('update kernel.event_consumer set position = 0 where organization_id = $1', [
      owner.organizationId,
    ])
    await tell()
    const body = 'Ten events in a row failed every attempt. Turn it on again when it works.'
    expect(await noticesOf(owner)).toEqual([
      {
        title: 'A webhook of yours was turned off: ERP orders',
        body,
        priority: 'HIGH',
        action_url: `/v1/webhooks/${id}`,
      },
    ])
    expect(await mailsTo(platform, owner.userId)).toEqual([
      {
        subject: 'A webhook of yours was turned off',
        text: expect.stringMatching(/^A webhook of yours was turned off: “ERP orders”\.$/m) as string,
      },
    ])
    for (const member of [other, used.owner])
      expect([await noticesOf(member), await mailsTo(platform, member.userId)]).toEqual([[], []])
  })

  it('by somebody else tells its owner, and by its owner nobody', async () => {
    const { id, owner, other, tell } = await aWebhookOfAnAdmin()
    expect((await owner.rest.webhookDisable!({ id })).status).toBe(200)
    await tell()
    expect(await noticesOf(owner)).toEqual([])
    expect((await owner.rest.webhookEnable!({ id })).status).toBe(200)
    expect((await other.rest.webhookDisable!({ id })).status).toBe(200)
    await tell()
    expect(await noticesOf(owner)).toMatchObject([{ title: 'A webhook of yours was turned off: ERP orders' }])
    expect(await mailsTo(platform, owner.userId)).toHaveLength(1)
    expect(await noticesOf(other)).toEqual([])
  })
})
