import { describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { mailsTo, memberWithEmail, notify } from './notify.ts'

const platform = usePlatform()

interface Listed {
  readonly id: string
  readonly eventKey: string
  readonly isRead: boolean
  readonly readAt: string | null
}

interface Listing {
  readonly data: readonly Listed[]
  readonly total: number
  readonly unreadCount: number
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** Two members of a new organization: what the first does notifies the second. */
async function aPair() {
  const organizationId = await platform.organization()
  const actor = await platform.member({ organizationId })
  const recipient = await memberWithEmail(platform, { organizationId })
  return { organizationId, actor, recipient }
}

const list = async (member: Member, query: Readonly<Record<string, string | number | boolean>> = {}) =>
  (await member.rest.notificationList!({ query })).body as unknown as Listing

async function assigned(subjects: readonly string[]) {
  const pair = await aPair()
  for (const subject of subjects)
    await pair.actor.rest.taskCreate!({ body: { subject, assignedToId: pair.recipient.userId } })
  await notify(platform, pair.organizationId)
  return pair
}

describe('a notification', () => {
  it('tells the assignee of a task about it, and not the user who assigned it', async () => {
    const { organizationId, actor, recipient } = await aPair()
    const { body: task } = await actor.rest.taskCreate!({
      body: { subject: 'Call the yard', assignedToId: recipient.userId, dueDate: '2027-02-05T12:00:00.000Z' },
    })
    await notify(platform, organizationId)
    expect((await list(actor)).data).toEqual([])
    expect(await list(recipient)).toEqual({
      data: [
        {
          id: expect.any(String) as string,
          eventKey: 'task.assigned',
          category: 'ASSIGNMENTS',
          title: 'A task was assigned to you: Call the yard',
          body: 'Assigned by Ann Lee. Due 2027-02-05.',
          priority: 'NORMAL',
          entityType: 'task',
          entityId: task['id'],
          actionUrl: `/v1/tasks/${String(task['id'])}`,
          actorId: actor.userId,
          groupKey: 'task.assigned',
          count: 1,
          channels: { inApp: 'SENT', email: 'SENT', push: 'SUPPRESSED' },
          isRead: false,
          readAt: null,
          createdAt: platform.now.toISOString(),
        },
      ],
      page: 1,
      limit: 20,
      total: 1,
      totalPages: 1,
      hasMore: false,
      nextCursor: null,
      unreadCount: 1,
    })
  })

  it('has edges to the user who caused it and to the record', async () => {
    const { actor, recipient } = await assigned(['Call the yard'])
    const { body } = await recipient.graphql(
      '{ notificationList { unreadCount data { eventKey actor { id name } record { task { subject } case { id } } } } }',
    )
    expect(body).toEqual({
      data: {
        notificationList: {
          unreadCount: 1,
          data: [
            {
              eventKey: 'task.assigned',
              actor: { id: actor.userId, name: 'Ann Lee' },
              record: { task: { subject: 'Call the yard' }, case: null },
            },
          ],
        },
      },
    })
  })

  it('is created once, however often its event is read', async () => {
    const { organizationId, recipient } = await assigned(['Call the yard'])
    await notify(platform, organizationId)
    const mails = await mailsTo(platform, recipient.userId)
    await platform.query('update kernel.event_consumer set position = 0 where organization_id = $1', [organizationId])
    await notify(platform, organizationId)
    expect((await list(recipient)).total).toBe(1)
    expect([mails.length, await mailsTo(platform, recipient.userId)]).toEqual([1, mails])
  })
})

describe('the list', () => {
  it('is read page by page without repeating one, newest first', async () => {
    const { recipient } = await assigned(['One', 'Two', 'Three'])
    const first = await list(recipient, { pageSize: 2 })
    expect([first.data.length, first.hasMore, first.total]).toEqual([2, true, 3])
    const second = await list(recipient, { pageSize: 2, cursor: first.nextCursor! })
    const both = [...first.data, ...second.data] as unknown as { title: string }[]
    expect(both.map(({ title }) => title.split(': ')[1])).toEqual(['Three', 'Two', 'One'])
    expect([second.hasMore, second.nextCursor]).toEqual([false, null])
  })

  it.each([0, 101])('refuses pageSize %i with 400', async (pageSize) => {
    const member = await platform.member()
    const { status, body } = await member.rest.notificationList!({ query: { pageSize } })
    expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED'])
  })

  it('has only unread ones with unreadOnly, and counts all unread ones', async () => {
    const { recipient } = await assigned(['One', 'Two'])
    const [newest] = (await list(recipient)).data
    await recipient.rest.notificationRead!({ id: newest!.id })
    const unread = await list(recipient, { unreadOnly: true })
    expect([unread.total, unread.unreadCount, (await list(recipient)).total]).toEqual([1, 1, 2])
    expect((await recipient.rest.notificationUnreadCount!()).body).toEqual({ count: 1 })
  })
})

describe('notificationRead', () => {
  it('marks once: the time of a second call is not stored', async () => {
    const { recipient } = await assigned(['One'])
    const [{ id }] = (await list(recipient)).data as [Listed]
    const readAt = platform.now.toISOString()
    expect((await recipient.rest.notificationRead!({ id })).body).toMatchObject({ id, isRead: true, readAt })
    platform.advanceClock(60_000)
    expect((await recipient.rest.notificationRead!({ id })).body).toMatchObject({ isRead: true, readAt })
  })

  it('returns the first answer to a repeated request with the same Idempotency-Key', async () => {
    const { recipient } = await assigned(['One'])
    const [{ id }] = (await list(recipient)).data as [Listed]
    const send = () => recipient.rest.notificationRead!({ id, headers: { 'Idempotency-Key': `read-${id}` } })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(second.body).toEqual(first.body)
  })
})

describe('notificationReadAll', () => {
  it("marks the caller's own ones and returns how many were unread", async () => {
    const { organizationId, actor, recipient } = await assigned(['One', 'Two'])
    await recipient.rest.taskCreate!({ body: { subject: 'Back', assignedToId: actor.userId } })
    await notify(platform, organizationId)
    expect((await recipient.rest.notificationReadAll!()).body).toEqual({ count: 2 })
    expect((await recipient.rest.notificationReadAll!()).body).toEqual({ count: 0 })
    expect([(await list(recipient)).unreadCount, (await list(actor)).unreadCount]).toEqual([0, 1])
  })
})

describe('notificationDelete', () => {
  it('deletes for good', async () => {
    const { recipient } = await assigned(['One'])
    const [{ id }] = (await list(recipient)).data as [Listed]
    expect((await recipient.rest.notificationDelete!({ id })).status).toBe(204)
    expect((await list(recipient)).total).toBe(0)
    expect((await recipient.rest.notificationDelete!({ id })).status).toBe(404)
  })
})

describe('the notification of another user', () => {
  it.each(['OWNER', 'ADMIN', 'MANAGER'] as const)('is not visible to a user with the role %s', async (role) => {
    const { organizationId, recipient } = await assigned(['One'])
    const [{ id }] = (await list(recipient)).data as [Listed]
    const other = await platform.member({ organizationId, role })
    const before = await platform.query('select * from events.notification where organization_id = $1', [
      organizationId,
    ])
    expect((await list(other)).data).toEqual([])
    expect((await other.rest.notificationRead!({ id })).status).toBe(404)
    expect((await other.rest.notificationDelete!({ id })).status).toBe(404)
    expect((await other.rest.notificationReadAll!()).body).toEqual({ count: 0 })
    expect(
      await platform.query('select * from events.notification where organization_id = $1', [organizationId]),
    ).toEqual(before)
  })
})

describe('notificationPreferencesUpdate', () => {
  it('stores what is named, answers the complete preferences, and is read back', async () => {
    const member = await platform.member()
    const body = {
      events: { 'task.assigned': { email: false } },
      quietHours: { enabled: true, start: '21:30', end: '06:15', timezone: 'Europe/Oslo', followProfile: false },
      digest: { enabled: true, time: '07:45' },
      emailCategories: { TASKS: false },
    }
    const { status, body: set } = await member.rest.notificationPreferencesUpdate!({ body })
    expect(status).toBe(200)
    expect(set).toMatchObject({
      events: { 'task.assigned': { inApp: true, email: false, push: true } },
      quietHours: body.quietHours,
      digest: { enabled: true, time: '07:45', timezone: null, followProfile: true },
      emailCategories: { TASKS: false, CASES: true },
    })
    expect((await member.rest.notificationPreferences!()).body).toEqual(set)
    const { body: shown } = await member.rest.notificationCatalog!()
    expect(Object.keys(set['events'] as object)).toEqual((shown as unknown as { key: string }[]).map(({ key }) => key))
  })

  it('refuses unknown event keys with 400, lists all of them, and changes nothing', async () => {
    const member = await platform.member()
    const before = await platform.fingerprint(member.organizationId)
    const { status, body } = await member.rest.notificationPreferencesUpdate!({
      body: { events: { 'task.eaten': {}, 'task.assigned': { email: false }, 'lead.lost': {} } },
    })
    expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED'])
    expect(body['errors']).toMatchObject([{ path: 'events.task.eaten' }, { path: 'events.lead.lost' }])
    expect(await platform.fingerprint(member.organizationId)).toBe(before)
  })

  it('loses none of the changes that are made at the same time', async () => {
    const member = await platform.member()
    const changes = [
      { emailCategories: { TASKS: false } },
      { digest: { enabled: true } },
      { quietHours: { enabled: true } },
      { events: { 'task.assigned': { push: false } } },
    ]
    await Promise.all(changes.map((body) => member.rest.notificationPreferencesUpdate!({ body })))
    expect((await member.rest.notificationPreferences!()).body).toMatchObject({
      ...changes[0],
      ...changes[1],
      ...changes[2],
      ...changes[3],
    })
  })
})
