import { jwtVerify, importJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import webPush from 'web-push'
import { pushQueue } from '../../subgraphs/events/notification/push/push-queue.ts'
import { leaseShares, newLaneState } from '../../subgraphs/kernel/queue/lease-shares.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Queue } from '../../subgraphs/kernel/queue/queue.ts'
import { usePlatform, type Member } from '../platform.ts'
import { notify } from './notify.ts'
import { PushReceiver } from './push-receiver.ts'

const vapid = webPush.generateVAPIDKeys()
const platform = usePlatform({
  VAPID_PUBLIC_KEY: vapid.publicKey,
  VAPID_PRIVATE_KEY: vapid.privateKey,
  VAPID_SUBJECT: 'mailto:operator@example.com',
  OUTBOUND_ALLOW: '127.0.0.1',
})
const receiver = new PushReceiver()
beforeAll(() => receiver.open())
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.received.length = 0
  receiver.answers.length = 0
})

const send = () => drain(pushQueue as unknown as Queue, platform.services)
const subscribe = (member: Member, path?: string) =>
  member.rest.pushSubscriptionCreate!({ body: receiver.subscription(path) })

async function aDevice() {
  const organizationId = await platform.organization()
  const actor = await platform.member({ organizationId })
  const recipient = await platform.member({ organizationId })
  const { body } = await subscribe(recipient)
  const assign = async (subject = 'Call the yard') => {
    await actor.rest.taskCreate!({ body: { subject, assignedToId: recipient.userId } })
    await notify(platform, organizationId)
  }
  const states = async () =>
    (
      await platform.query<{ push: string }>(
        'select push from events.notification where user_id = $1 order by created_at, id',
        [recipient.userId],
      )
    ).map(({ push }) => push)
  return { organizationId, recipient, id: String(body['id']), assign, states }
}

const devicesOf = async (member: Member) =>
  (await member.rest.pushSubscriptionList!()).body as unknown as { data: { id: string; lastSentAt: string | null }[] }

describe('a push message', () => {
  it('reaches the device, encrypted and signed, and makes the notification SENT', async () => {
    const { recipient, assign, states } = await aDevice()
    await assign()
    expect(await states()).toEqual(['PENDING'])
    await send()
    expect(receiver.received).toHaveLength(1)
    const [{ headers, message, path }] = receiver.received as [(typeof receiver.received)[number]]
    expect(path).toBe('/send/device')
    expect(message).toMatchObject({
      title: 'A task was assigned to you: Call the yard',
      body: 'Assigned by Ann Lee.',
      priority: 'NORMAL',
      groupKey: 'task.assigned',
      unreadCount: 1,
    })
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'normal', 'content-encoding': 'aes128gcm' })
    expect(headers['topic']).toMatch(/^[\w-]{32}$/)
    const [, token, key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization!)!
    expect(key).toBe(vapid.publicKey)
    const point = Buffer.from(vapid.publicKey, 'base64url')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
    const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x: x!, y: y! }, 'ES256')
    const { payload } = await jwtVerify(token!, publicKey)
    expect(payload).toMatchObject({ aud: receiver.origin, sub: 'mailto:operator@example.com' })
    expect(await states()).toEqual(['SENT'])
    expect((await devicesOf(recipient)).data).toMatchObject([{ lastSentAt: platform.now.toISOString() }])
  })

  it('is sent again after 503 with Retry-After, not before that time', async () => {
    const { assign, states } = await aDevice()
    receiver.answers.push({ status: 503, retryAfter: '3600' })
    await assign()
    await send()
    await ageQueueItems(platform.services, 'events.push_message', 3_500_000)
    await send()
    expect([receiver.received.length, await states()]).toEqual([1, ['PENDING']])
    await ageQueueItems(platform.services, 'events.push_message', 200_000)
    await send()
    expect([receiver.received.length, await states()]).toEqual([2, ['SENT']])
  })

  it.each([404, 410])('that is answered %i removes the device', async (status) => {
    const { recipient, assign, states } = await aDevice()
    receiver.answers.push({ status })
    await assign()
    await send()
    expect([(await devicesOf(recipient)).data, await states()]).toEqual([[], ['SUPPRESSED']])
    await assign()
    await send()
    expect([receiver.received.length, await states()]).toEqual([1, ['SUPPRESSED', 'SUPPRESSED']])
  })

  it('that is refused is not sent again, and the device is kept', async () => {
    const { recipient, assign, states } = await aDevice()
    receiver.answers.push({ status: 400 })
    await assign()
    await send()
    await ageQueueItems(platform.services, 'events.push_message', 86_400_000)
    await send()
    expect([receiver.received.length, await states()]).toEqual([1, ['SUPPRESSED']])
    expect((await devicesOf(recipient)).data).toHaveLength(1)
  })

  it('that fails in all six attempts makes the notification SUPPRESSED with the last one', async () => {
    const { assign, states } = await aDevice()
    receiver.answers.push(...Array.from({ length: 6 }, () => ({ status: 503 })))
    await assign()
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect(await states()).toEqual(['PENDING'])
      await send()
      await ageQueueItems(platform.services, 'events.push_message', 86_400_000)
    }
    await send()
    expect([receiver.received.length, await states()]).toEqual([6, ['SUPPRESSED']])
  })

  it('that ends while the one to another device ends makes the notification SUPPRESSED', async () => {
    const { recipient, assign, states } = await aDevice()
    await subscribe(recipient, '/send/second')
    receiver.answers.push({ status: 400 }, { status: 400 })
    await assign()
    const { items } = await leaseShares(platform.services.database, pushQueue, 'fresh', 2, newLaneState())
    for (const item of items)
      expect(await pushQueue.attempt(platform.services, item, new AbortController().signal)).toMatchObject({
        end: 'FAILED',
      })
    expect([receiver.received.length, await states()]).toEqual([2, ['SUPPRESSED']])
  })

  it('is not sent for a notification that was read in the meantime', async () => {
    const { recipient, assign, states } = await aDevice()
    await assign()
    await recipient.rest.notificationReadAll!()
    await send()
    expect([receiver.received.length, await states()]).toEqual([0, ['SUPPRESSED']])
  })

  it('goes to every device of the user, and to no device of another user', async () => {
    const { organizationId, recipient, assign } = await aDevice()
    await subscribe(recipient, '/send/second')
    await subscribe(await platform.member({ organizationId }), '/send/other')
    await assign()
    await send()
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/send/device', '/send/second'])
  })

  it('waits for the end of the quiet hours', async () => {
    const { recipient, assign, states } = await aDevice()
    const hour = new Date().getUTCHours()
    const at = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`
    const quietHours = { enabled: true, start: at(23), end: at(3), timezone: 'UTC', followProfile: false }
    platform.now = new Date()
    await recipient.rest.notificationPreferencesUpdate!({ body: { quietHours } })
    await assign()
    await send()
    expect([receiver.received.length, await states()]).toEqual([0, ['PENDING']])
    await ageQueueItems(platform.services, 'events.push_message', 4 * 3_600_000)
    await send()
    expect([receiver.received.length, await states()]).toEqual([1, ['SENT']])
  })
})

describe('a push subscription', () => {
  it('is one for each endpoint: the same one gets the new keys', async () => {
    const { recipient, id } = await aDevice()
    const again = await subscribe(recipient)
    expect([again.status, again.body['id']]).toEqual([201, id])
    expect(await recipient.rest.pushSubscriptionList!()).toMatchObject({
      body: { publicKey: vapid.publicKey, data: [{ id, endpoint: receiver.subscription().endpoint }] },
    })
    const [stored] = await platform.query<{ keys: string }>('select keys from events.push_subscription where id = $1', [
      id,
    ])
    expect(stored!.keys).not.toContain(receiver.subscription().keys.auth)
  })

  it('of another user can be neither seen nor deleted', async () => {
    const { organizationId, recipient, id } = await aDevice()
    const other = await platform.member({ organizationId, role: 'OWNER' })
    expect((await other.rest.pushSubscriptionDelete!({ id })).status).toBe(404)
    expect((await devicesOf(other)).data).toEqual([])
    expect((await devicesOf(recipient)).data).toMatchObject([{ id }])
    expect((await recipient.rest.pushSubscriptionDelete!({ id })).status).toBe(204)
    expect((await devicesOf(recipient)).data).toEqual([])
  })

  it('is refused after the twentieth with 409, and nothing changes', async () => {
    const { recipient } = await aDevice()
    for (let number = 2; number <= 20; number++)
      expect((await subscribe(recipient, `/send/${number}`)).status).toBe(201)
    const refused = await subscribe(recipient, '/send/21')
    expect([refused.status, refused.body['code']]).toEqual([409, 'INVALID_STATE'])
    expect((await devicesOf(recipient)).data).toHaveLength(20)
  })

  it.each([
    ['http://push.example.com/send', 'NOT_HTTPS'],
    ['https://10.0.0.1/send', 'ADDRESS_NOT_PUBLIC'],
    ['https://[::ffff:192.168.0.1]/send', 'ADDRESS_NOT_PUBLIC'],
    ['https://user:secret@push.example.com/send', 'CREDENTIALS_IN_URL'],
    ['javascript:alert(1)', 'NOT_A_URL'],
    [`https://push.example.com/${'x'.repeat(2000)}`, 'TOO_LONG'],
  ])('with the endpoint %s is refused with 400', async (endpoint, code) => {
    const member = await platform.member()
    const { status, body } = await member.rest.pushSubscriptionCreate!({
      body: { ...receiver.subscription(), endpoint },
    })
    expect(status).toBe(400)
    expect(body['errors']).toMatchObject([{ path: 'endpoint', code }])
    expect((await devicesOf(member)).data).toEqual([])
  })

  it('with keys that are none is refused with both paths', async () => {
    const member = await platform.member()
    const keys = { p256dh: Buffer.alloc(65).toString('base64url'), auth: 'short' }
    const { status, body } = await member.rest.pushSubscriptionCreate!({ body: { ...receiver.subscription(), keys } })
    expect([status, body['errors']]).toMatchObject([400, [{ path: 'keys.p256dh' }, { path: 'keys.auth' }]])
  })
})
