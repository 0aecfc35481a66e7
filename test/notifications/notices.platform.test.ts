import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { dueMails } from '../../subgraphs/events/notification/mail/due-mails.job.ts'
import { apiKeyExpiring } from '../../subgraphs/identity/api-key/api-key-expiring.job.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { messageOf } from '../../subgraphs/kernel/mail/message.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { memberWithEmail, notify } from './notify.ts'

const platform = usePlatform()
const dayMs = 86_400_000

const keysOf = async (userId: string) =>
  (
    await platform.query<{ key: string }>(
      'select event_key as key from events.notification where user_id = $1 order by created_at, id',
      [userId],
    )
  ).map(({ key }) => key)

describe('a sign-in', () => {
  const post = async (path: string, body: object, userAgent: string) => {
    const answer = await fetch(`${platform.url}/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify(body),
    })
    expect(answer.ok, await answer.clone().text()).toBe(true)
    return (await answer.json()) as {
      user: { id: string; organizationId: string }
      deviceToken: string
      organization: { id: string }
    }
  }

  it('tells the user if it is from an unfamiliar place, and not if the device or the place is known', async () => {
    const account = { email: `u${newId()}@example.com`, password: 'Correct-horse-battery-7' }
    const first = await post('register', { ...account, firstName: 'Ann', lastName: 'Lee', company: 'Acme' }, 'Laptop/1')
    const { user, organization, deviceToken } = first
    await post('login', account, 'Laptop/1')
    await post('login', { ...account, deviceToken }, 'Tablet/1')
    await notify(platform, organization.id)
    expect(await keysOf(user.id)).toEqual([])
    await post('login', account, 'Phone/1')
    await post('login', account, 'Phone/1')
    await notify(platform, organization.id)
    const rows = await platform.query(
      'select event_key, category, title, body, priority, entity_type from events.notification where user_id = $1',
      [user.id],
    )
    expect(rows).toEqual([
      {
        event_key: 'session.started',
        category: 'SECURITY',
        title: 'A new sign-in to your account',
        body: 'Address: 127.0.0.1. Program: Phone/1. If this was not you, change your password: that ends all sessions.',
        priority: 'HIGH',
        entity_type: 'session',
      },
    ])
  })
})

describe('an API key', () => {
  const eventsOf = (id: string) => platform.eventTypesOf(id)

  it('that expires within 7 days tells its owner, once for each date', async () => {
    const { organizationId, userId } = await platform.member()
    const expiring = async (days: number) => {
      const expiresAt = new Date(platform.now.getTime() + days * dayMs).toISOString()
      const grant = { ownerId: userId, name: 'Nightly sync', scopes: ['READ_ACCOUNTS'], expiresAt }
      return (await createApiKey(platform.services, organizationId, grant)).id
    }
    const [soon, later, revoked] = [await expiring(6), await expiring(8), await expiring(6)]
    await platform.query('update identity.api_key set revoked_at = now() where id = $1', [revoked])
    for (let run = 0; run < 2; run++) await apiKeyExpiring.run(platform.services)
    expect(await eventsOf(soon)).toEqual(['api_key.created', 'api_key.expiring'])
    expect([await eventsOf(later), await eventsOf(revoked)]).toEqual([['api_key.created'], ['api_key.created']])
    await notify(platform, organizationId)
    const [row] = await platform.query('select title, body, action_url from events.notification where user_id = $1', [
      userId,
    ])
    const date = new Date(platform.now.getTime() + 6 * dayMs).toISOString().slice(0, 10)
    expect(row).toEqual({
      title: 'An API key of yours expires soon: Nightly sync',
      body: `It expires on ${date}. Rotate it or give it a later date.`,
      action_url: `/v1/api-keys/${soon}`,
    })
    await platform.query(`update identity.api_key set expires_at = expires_at + interval '1 hour' where id = $1`, [
      soon,
    ])
    await Promise.all([apiKeyExpiring.run(platform.services), apiKeyExpiring.run(platform.services)])
    expect((await eventsOf(soon)).filter((type) => type === 'api_key.expiring')).toHaveLength(2)
  })
})

describe('a mention in a comment', () => {
  const mention = ({ userId }: Member) => `@[Max](${userId})`

  it('tells the user, who must see the case, instead of the notice of the comment', async () => {
    const organizationId = await platform.organization()
    const [actor, assignee, colleague, blind] = await Promise.all([
      platform.member({ organizationId, role: 'ADMIN' }),
      platform.member({ organizationId }),
      platform.member({ organizationId }),
      platform.member({ organizationId, visibility: 'OWN' }),
    ])
    const stranger = await platform.member({ organizationId: await platform.organization() })
    const { body: created } = await actor.rest.caseCreate!({ body: { subject: 'Dock 3', ownerId: assignee.userId } })
    await notify(platform, organizationId)
    await platform.query('delete from events.notification where organization_id = $1', [organizationId])
    const text = `${mention(assignee)} and ${mention(colleague)} ${mention(colleague)}, please look. ${[blind, stranger, actor].map(mention).join(' ')} @[x](${newId()})`
    const { status } = await actor.rest.caseCommentCreate!({ id: String(created['id']), body: { body: text } })
    expect(status).toBe(201)
    await notify(platform, organizationId)
    expect(await keysOf(assignee.userId)).toEqual(['case.comment_mention'])
    expect(await keysOf(colleague.userId)).toEqual(['case.comment_mention'])
    for (const { userId } of [blind, stranger, actor]) expect(await keysOf(userId)).toEqual([])
    const [row] = await platform.query('select title, body from events.notification where user_id = $1', [
      colleague.userId,
    ])
    expect(row).toEqual({
      title: 'You were mentioned in a comment: Dock 3',
      body: 'Ann Lee: Max and Max Max, please look. Max Max Max x',
    })
  })
})

describe('a mail about a notification', () => {
  it('is turned off with one click of the mail program, for its categories alone', async () => {
    const organizationId = await platform.organization()
    const actor = await platform.member({ organizationId, role: 'ADMIN' })
    const recipient = await memberWithEmail(platform, { organizationId })
    const address = (
      await platform.query<{ email: string }>(
        'select p.email from identity.person p join identity.app_user u on u.person_id = p.id where u.id = $1',
        [recipient.userId],
      )
    )[0]!.email
    const assign = async () => {
      await actor.rest.taskCreate!({ body: { subject: 'Call the yard', assignedToId: recipient.userId } })
      await notify(platform, organizationId)
      return mailsTo(platform, address)
    }
    const preferences = async () => (await recipient.rest.notificationPreferences!()).body.emailCategories
    const before = await preferences()
    const [mail, ...others] = await assign()
    expect(others).toEqual([])
    const sent = messageOf({ ...mail!, id: newId(), to: address, date: platform.now }, 'Acme <no-reply@example.com>')
    const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(sent)
    const headers = (message as Buffer)
      .toString()
      .split('\r\n\r\n')[0]!
      .replaceAll(/\r?\n\s+/g, ' ')
    const [, url] = /^List-Unsubscribe: <([^>]+)>$/m.exec(headers)!
    expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    const address2 = `${platform.url}${new URL(url!).pathname}`

    // A program that only looks at the address changes nothing.
    const page = await fetch(address2)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Records that became yours.')])
    expect(await preferences()).toEqual(before)
    for (const wrong of [`${address2.slice(0, -1)}${address2.endsWith('A') ? 'B' : 'A'}`, `${address2}x`]) {
      expect([(await fetch(wrong)).status, (await fetch(wrong, { method: 'POST' })).status]).toEqual([404, 404])
    }
    expect(await preferences()).toEqual(before)

    const clicks = await Promise.all(
      Array.from({ length: 4 }, () =>
        fetch(address2, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
      ),
    )
    expect(clicks.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await preferences()).toEqual({ ...before, ASSIGNMENTS: false })
    expect(await assign()).toHaveLength(1)
    expect(await keysOf(recipient.userId)).toEqual(['task.assigned', 'task.assigned'])
    expect((await fetch(address2, { method: 'PUT' })).status).toBe(405)
  })

  it('that gathers several has the categories of all of them, and keeps what the user has set', async () => {
    const organizationId = await platform.organization()
    const actor = await platform.member({ organizationId, role: 'ADMIN' })
    const recipient = await memberWithEmail(platform, { organizationId })
    const digest = { enabled: true, time: '08:00', timezone: 'UTC', followProfile: false }
    await recipient.rest.notificationPreferencesUpdate!({ body: { digest, emailCategories: { DEALS: false } } })
    await actor.rest.taskCreate!({ body: { subject: 'Call', assignedToId: recipient.userId } })
    const { body } = await actor.rest.caseCreate!({ body: { subject: 'Dock', ownerId: recipient.userId } })
    await actor.rest.caseCommentCreate!({ id: String(body['id']), body: { body: `@[Max](${recipient.userId})` } })
    await notify(platform, organizationId)
    platform.advanceClock(dayMs)
    await dueMails.run(platform.services)
    const [row] = await platform.query<{ email: string }>(
      'select p.email from identity.person p join identity.app_user u on u.person_id = p.id where u.id = $1',
      [recipient.userId],
    )
    const [mail, ...others] = await mailsTo(platform, row!.email)
    expect(others).toEqual([])
    const { pathname } = new URL(mail!.unsubscribeUrl!)
    expect((await fetch(`${platform.url}${pathname}`, { method: 'POST' })).status).toBe(200)
    const { emailCategories, digest: kept } = (await recipient.rest.notificationPreferences!()).body
    expect([emailCategories, kept]).toEqual([
      expect.objectContaining({ ASSIGNMENTS: false, CASES: false, DEALS: false, SECURITY: true, TASKS: true }),
      digest,
    ])
  })
})
