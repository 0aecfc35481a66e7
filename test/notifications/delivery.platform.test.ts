import { describe, expect, it } from 'vitest'
import { dueMails } from '../../subgraphs/events/notification/mail/due-mails.job.ts'
import { forgetNotifications } from '../../subgraphs/events/notification/forget-notifications.job.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { deactivateUser, removeUser } from '../../subgraphs/identity/public.ts'
import { usePlatform, type Member, type MemberOptions } from '../platform.ts'
import { aLead } from '../builders.ts'
import { mailsTo, memberWithEmail, notify } from './notify.ts'

const platform = usePlatform()

async function aPair(options: MemberOptions = {}) {
  const organizationId = await platform.organization()
  const actor = await platform.member({ organizationId, role: 'ADMIN' })
  const recipient = await memberWithEmail(platform, { organizationId, ...options })
  return { organizationId, actor, recipient }
}

interface Row {
  readonly event_key: string
  readonly title: string
  readonly body: string
  readonly email: string
  readonly email_due_at: string | null
  readonly in_app: string
  readonly count: number
}

const rowsOf = (userId: string) =>
  platform.query<Row>('select * from events.notification where user_id = $1 order by created_at, id', [userId])

const assign = (actor: Member, recipient: Member, subject = 'Call the yard') =>
  actor.rest.taskCreate!({ body: { subject, assignedToId: recipient.userId } })

const prefer = async (member: Member, body: object) => {
  const answer = await member.rest.notificationPreferencesUpdate!({ body })
  expect(answer.status).toBe(200)
}

const hideField = (organizationId: string, userId: string, fields: object) =>
  platform.query(
    `with profile as (
       insert into identity.profile (organization_id, id, name, is_default, fields, created_at, updated_at)
       values ($1, $3, 'Narrow', false, $4, now(), now()) returning id
     ) update identity.app_user set profile_id = (select id from profile) where id = $2`,
    [organizationId, userId, newId(), JSON.stringify(fields)],
  )

const subjectsTo = async (member: Member) => (await mailsTo(platform, member.userId)).map(({ subject }) => subject)

describe('a mail', () => {
  it('names what happened and the record, and links to the preferences', async () => {
    const { organizationId, actor, recipient } = await aPair()
    await assign(actor, recipient)
    await notify(platform, organizationId)
    const [mail] = await mailsTo(platform, recipient.userId)
    expect(mail!.subject).toBe('A task was assigned to you')
    expect(mail!.text).toContain('A task was assigned to you: “Call the yard”.')
    expect(mail!.text).toContain('/v1/notifications/preferences')
  })

  it('contains no name that could be a link', async () => {
    const { organizationId, actor, recipient } = await aPair()
    await assign(actor, recipient, 'Sign in at https://evil.example/login')
    await notify(platform, organizationId)
    const [mail] = await mailsTo(platform, recipient.userId)
    expect(mail!.text).not.toContain('evil')
    expect((await rowsOf(recipient.userId))[0]!.title).toContain('evil.example')
  })

  it('is not sent to an address that the user has not proved to read, and the preferences say why', async () => {
    const { organizationId, actor } = await aPair()
    const recipient = await platform.member({ organizationId, isEmailVerified: false })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toMatchObject([{ in_app: 'SENT', email: 'SUPPRESSED' }])
    expect(await mailsTo(platform, recipient.userId)).toEqual([])
    const { body: preferences } = await recipient.rest.notificationPreferences!()
    expect(preferences.emailSuppressedBy).toBe('ADDRESS_NOT_VERIFIED')
    const { status, body } = await recipient.rest.notificationPreferencesUpdate!({ body: preferences })
    expect([status, body]).toEqual([200, preferences])
    expect((await actor.rest.notificationPreferences!()).body.emailSuppressedBy).toBeNull()
  })

  it('is not sent twice for a conversion: the conversion itself mails', async () => {
    const { organizationId, actor, recipient } = await aPair()
    const { body: lead } = await actor.rest.leadCreate!({
      body: aLead({ ownerId: recipient.userId }),
    })
    await notify(platform, organizationId)
    await actor.rest.leadConvert!({ id: String(lead['id']), body: { notifyOwner: true } })
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect(rows.filter(({ event_key: key }) => key === 'lead.converted')).toMatchObject([{ email: 'SUPPRESSED' }])
    const subjects = await subjectsTo(recipient)
    expect(subjects.filter((subject) => subject === 'A lead of yours was converted')).toHaveLength(1)
  })
})

describe('preferences', () => {
  it('decide about each channel', async () => {
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { events: { 'task.assigned': { email: false } } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    await prefer(recipient, { events: { 'task.assigned': { inApp: false } } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    await prefer(recipient, { events: { 'task.assigned': { inApp: false, email: false, push: false } } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect(rows.map(({ in_app, email }) => [in_app, email])).toEqual([
      ['SENT', 'SUPPRESSED'],
      ['SUPPRESSED', 'SENT'],
    ])
    expect((await recipient.rest.notificationList!()).body).toMatchObject({ total: 1, unreadCount: 1 })
  })

  it('turn off the mails of a category', async () => {
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { emailCategories: { ASSIGNMENTS: false } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toMatchObject([{ in_app: 'SENT', email: 'SUPPRESSED' }])
  })
})

describe('quiet hours', () => {
  const nightInOslo = { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Oslo', followProfile: false }

  it('put off a mail until they end, and send one mail for all', async () => {
    platform.now = new Date('2027-03-27T22:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { quietHours: nightInOslo })
    await assign(actor, recipient, 'One')
    await assign(actor, recipient, 'Two')
    await notify(platform, organizationId)
    // Clocks change in that night: 07:00 is at 05:00 UTC.
    const due = '2027-03-28T05:00:00.000Z'
    expect(await rowsOf(recipient.userId)).toMatchObject([
      { email: 'PENDING', email_due_at: due },
      { email: 'PENDING', email_due_at: due },
    ])
    platform.now = new Date('2027-03-28T04:59:00.000Z')
    await dueMails.run(platform.services)
    expect(await subjectsTo(recipient)).toEqual([])
    platform.now = new Date(due)
    await Promise.all([dueMails.run(platform.services), dueMails.run(platform.services)])
    expect(await subjectsTo(recipient)).toEqual(['2 notifications'])
    expect(await rowsOf(recipient.userId)).toMatchObject([
      { email: 'SENT', email_due_at: null },
      { email: 'SENT', email_due_at: null },
    ])
  })

  it('follow the time zone of the profile', async () => {
    platform.now = new Date('2027-02-01T15:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await platform.query(
      `update identity.person set timezone = 'Asia/Tokyo' where id = (select person_id from identity.app_user where id = $1)`,
      [recipient.userId],
    )
    await prefer(recipient, { quietHours: { enabled: true } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    // It is midnight in Tokyo.
    expect(await rowsOf(recipient.userId)).toMatchObject([
      { email: 'PENDING', email_due_at: '2027-02-01T22:00:00.000Z' },
    ])
  })

  it('do not put off what is HIGH', async () => {
    platform.now = new Date('2027-02-01T23:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { quietHours: nightInOslo, digest: { enabled: true } })
    const { body } = await actor.rest.caseCreate!({ body: { subject: 'Dock 3', ownerId: recipient.userId } })
    await actor.rest.caseSetStatus!({ id: String(body['id']), body: { status: 'ESCALATED' } })
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect(rows.filter(({ event_key: key }) => key === 'case.escalated')).toMatchObject([{ email: 'SENT' }])
    expect(await subjectsTo(recipient)).toEqual(['A case was escalated'])
  })
})

describe('the digest', () => {
  it('is one mail a day with one line for each group, also after it was interrupted', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { digest: { enabled: true, time: '08:00', timezone: 'Europe/Oslo', followProfile: false } })
    for (const subject of ['One', 'Two', 'Three']) await assign(actor, recipient, subject)
    await actor.rest.leadCreate!({ body: aLead({ ownerId: recipient.userId }) })
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect(rows.map(({ email, email_due_at: due }) => [email, due])).toEqual(
      Array.from({ length: 4 }, () => ['DIGESTED', '2027-02-02T07:00:00.000Z']),
    )
    platform.now = new Date('2027-02-02T07:00:00.000Z')
    await platform.query(
      `create function refused() returns trigger language plpgsql as $$ begin raise 'killed'; end $$`,
    )
    await platform.query(`create trigger refused before insert on kernel.mail for each row execute function refused()`)
    await dueMails.run(platform.services).catch(() => undefined)
    await platform.query('drop function refused cascade')
    expect((await rowsOf(recipient.userId)).map(({ email_due_at: due }) => due)).not.toContain(null)
    await dueMails.run(platform.services)
    await dueMails.run(platform.services)
    const mails = await mailsTo(platform, recipient.userId)
    expect(mails.map(({ subject }) => subject)).toEqual(['4 notifications'])
    expect(mails[0]!.text).toContain('A task was assigned to you (3 times)')
    expect(mails[0]!.text).toContain('A lead was assigned to you: “Jonas Lindqvist”')
  })
})

describe('a flood', () => {
  it('of 10,000 events becomes a bounded number of notifications and mails', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    const { body: task } = await assign(actor, recipient)
    await platform.query(
      `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id)
       select organization_id, gen_random_uuid(), type, version, occurred_at, object, record_id, data, actor_id
       from kernel.event cross join generate_series(1, 9999) where record_id = $1 and type = 'task.created'`,
      [task['id']],
    )
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect(rows).toHaveLength(21)
    expect(rows.map(({ count }) => count).toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 20 }, () => 1),
      9980,
    ])
    expect(rows.find(({ count }) => count > 1)!.title).toBe('A task was assigned to you (9980 more)')
    expect(await mailsTo(platform, recipient.userId)).toHaveLength(10)
    expect(rows.filter(({ email }) => email === 'DIGESTED')).toHaveLength(10)
    platform.now = new Date('2027-02-01T10:00:00.000Z')
    await dueMails.run(platform.services)
    expect(await mailsTo(platform, recipient.userId)).toHaveLength(11)
  })

  it('keeps the newest 1,000 notifications of a user, for 90 days', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await assign(actor, recipient, 'Oldest')
    await notify(platform, organizationId)
    await platform.query(
      `insert into events.notification (organization_id, id, user_id, event_key, category, title, body, priority, group_key, event_id, in_app, email, push, created_at)
       select organization_id, gen_random_uuid(), user_id, event_key, category, 'Copy', '', priority, group_key, gen_random_uuid(), in_app, email, push,
         created_at + i * interval '1 second'
       from events.notification cross join generate_series(1, 1100) i where user_id = $1`,
      [recipient.userId],
    )
    platform.now = new Date('2027-02-01T12:00:00.000Z')
    await assign(actor, recipient, 'Newest')
    await notify(platform, organizationId)
    const rows = await rowsOf(recipient.userId)
    expect([rows.length, rows[0]!.title, rows.at(-1)!.title]).toEqual([
      1000,
      'Copy',
      'A task was assigned to you: Newest',
    ])
    platform.now = new Date('2027-05-02T11:00:00.000Z')
    await forgetNotifications.run(platform.services)
    expect(await rowsOf(recipient.userId)).toMatchObject([{ title: 'A task was assigned to you: Newest' }])
  })
})

describe('a recipient', () => {
  it('who does not see the record gets no notification', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair({ visibility: 'OWN' })
    const { body: mine } = await actor.rest.caseCreate!({ body: { subject: 'Dock 3', assignedToId: recipient.userId } })
    // The case is assigned to somebody else before the events are read.
    await actor.rest.caseAssign!({ id: String(mine['id']), body: { assignedToId: null } })
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toEqual([])
  })

  it('gets no notification about a record that was deleted', async () => {
    const { organizationId, actor, recipient } = await aPair()
    const { body } = await assign(actor, recipient)
    await actor.rest.taskDelete!({ id: String(body['id']) })
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toEqual([])
  })

  it('reads no field that the profile hides, neither in the title nor in the body', async () => {
    const { organizationId, actor, recipient } = await aPair()
    await hideField(organizationId, recipient.userId, { task: { dueDate: 'HIDDEN' } })
    await actor.rest.taskCreate!({
      body: { subject: 'Call', assignedToId: recipient.userId, dueDate: '2027-02-05T12:00:00.000Z' },
    })
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toMatchObject([{ body: 'Assigned by Ann Lee.' }])
  })

  it.each([
    ['was deactivated', deactivateUser],
    ['has left', removeUser],
  ])('who %s gets nothing, and no mail that was put off', async (_, end) => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await prefer(recipient, { digest: { enabled: true } })
    await assign(actor, recipient)
    await notify(platform, organizationId)
    await assign(actor, recipient)
    await end(platform.services, organizationId, recipient.userId)
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toHaveLength(1)
    platform.advanceClock(2 * 86_400_000)
    await dueMails.run(platform.services)
    expect(await mailsTo(platform, recipient.userId)).toEqual([])
    expect(await rowsOf(recipient.userId)).toMatchObject([{ email: 'SUPPRESSED', email_due_at: null }])
  })
})

describe('an escalated case', () => {
  it('notifies its assignee, its owner and the managers of the owner, but no other user', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient: owner } = await aPair()
    const manager = await platform.member({ organizationId, role: 'MANAGER' })
    const otherManager = await platform.member({ organizationId, role: 'MANAGER' })
    const assignee = await platform.member({ organizationId })
    await platform.team(organizationId, [owner.userId, manager.userId])
    await platform.team(organizationId, [assignee.userId, otherManager.userId])
    const { body } = await actor.rest.caseCreate!({
      body: { subject: 'Dock 3', ownerId: owner.userId, assignedToId: assignee.userId },
    })
    await actor.rest.caseSetStatus!({ id: String(body['id']), body: { status: 'ESCALATED' } })
    await notify(platform, organizationId)
    const got = await platform.query<{ user_id: string; priority: string }>(
      `select user_id, priority from events.notification where entity_id = $1 and event_key = 'case.escalated'`,
      [body['id']],
    )
    expect(got.map((row) => row.user_id).toSorted()).toEqual([owner.userId, manager.userId, assignee.userId].toSorted())
    expect(new Set(got.map(({ priority }) => priority))).toEqual(new Set(['HIGH']))
  })

  it('tells about comments of others, with the case as the record', async () => {
    const { organizationId, actor, recipient } = await aPair()
    const { body } = await actor.rest.caseCreate!({ body: { subject: 'Dock 3', ownerId: recipient.userId } })
    await actor.rest.caseCommentCreate!({ id: String(body['id']), body: { body: 'The printer works again.' } })
    await notify(platform, organizationId)
    const rows = await platform.query(
      `select title, body, entity_type, entity_id, group_key from events.notification
       where user_id = $1 and event_key = 'case.comment_added'`,
      [recipient.userId],
    )
    expect(rows).toEqual([
      {
        title: 'A comment was added to a case: Dock 3',
        body: 'Ann Lee: The printer works again.',
        entity_type: 'case',
        entity_id: body['id'],
        group_key: `case.comment_added:${String(body['id'])}`,
      },
    ])
  })
})

describe('an event that is older than a day', () => {
  it('is listed, but neither mailed nor pushed', async () => {
    platform.now = new Date('2027-02-01T09:00:00.000Z')
    const { organizationId, actor, recipient } = await aPair()
    await assign(actor, recipient)
    platform.advanceClock(86_400_000)
    await notify(platform, organizationId)
    expect(await rowsOf(recipient.userId)).toMatchObject([{ in_app: 'SENT', email: 'SUPPRESSED' }])
  })
})
