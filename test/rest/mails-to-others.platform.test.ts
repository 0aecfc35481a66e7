import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { customerMails } from '../../subgraphs/commerce/customer-mail/customer-mails.ts'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { isSuspended, resumeOrganization, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { mailQueue, mailTable } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact, invoice, lead, quote, sentInvoice } from '../builders.ts'
import { refused, unchanged } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { aSequence, run } from '../outreach/sequence.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform({ NEW_ORGANIZATION_MAILS: '2/1d,4/7d' })
const receiver = new SmtpReceiver()
const began = new Date('2027-02-01T10:00:00.000Z')
const [minuteMs, dayMs] = [60_000, 86_400_000]
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
})
beforeEach(() => {
  platform.now = began
})
afterAll(() => receiver.stop())

let count = 0
const anAddress = () => `person${++count}@customer.example`
const lineItems = [{ name: 'Fee', quantity: 1, unitPrice: 100 }]

async function anOrganization(isEmailVerified: boolean, role: 'OWNER' | 'ADMIN' = 'OWNER'): Promise<Member> {
  const organizationId = await platform.organization(`Relay ${++count}`)
  return platform.member({ organizationId, role, isEmailVerified })
}

const services = () => ({ ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') })
/** Sends what is due, as if this time had passed for the queues. */
async function deliver(ms = 0): Promise<void> {
  await ageQueueItems(platform.services, mailTable.table, ms)
  await ageQueueItems(platform.services, outgoingEmailQueue.table, ms)
  await drain(mailQueue(customerMails, isSuspended), services())
  await drain(outgoingEmailQueue, services())
}
const received = (to: string) => receiver.received.filter((mail) => mail.to.includes(to)).length

/** Every operation with which a user mails somebody through the mail server of the platform. */
const ways: Readonly<Record<string, (member: Member, to: string) => Promise<() => Promise<Answer>>>> = {
  emailSend: async (member, to) => () =>
    member.rest.emailSend!({ body: { to: [to], subject: 'Your Bank', bodyHtml: '<p>Sign in</p>' } }),
  smartEmailDraftSend: async (member, to) => {
    const { body } = await member.rest.smartEmailCompose!({ body: { toEmails: [to] } })
    return () => member.rest.smartEmailDraftSend!({ id: body.id })
  },
  quoteSend: async (member, to) => {
    const { id } = await quote(member, { lineItems })
    return () => member.rest.quoteSend!({ id, body: { to } })
  },
  invoiceSend: async (member, to) => {
    const { id } = await invoice(member)
    return () => member.rest.invoiceSend!({ id, body: { to } })
  },
  invoiceRemind: async (member, to) => {
    const { id } = await overdue(member, to)
    return () => member.rest.invoiceRemind!({ id, body: {} })
  },
}

/** An invoice of the past of a customer who got no mail with it, because the address became known later. */
async function overdue(member: Member, email: string): Promise<{ id: string }> {
  const { id: contactId } = await contact(member)
  const dates = { issueDate: '2026-12-01T00:00:00.000Z', dueDate: '2027-01-01T00:00:00.000Z' }
  const sent = await sentInvoice(member, { contactId, ...dates })
  await member.rest.contactUpdate!({ id: contactId, body: { email } })
  return sent
}

describe.each(Object.keys(ways))('%s', (way) => {
  it('needs a verified address of the user, and says so', async () => {
    const member = await anOrganization(false)
    const call = await ways[way]!(member, anAddress())
    const { status, body } = await unchanged(platform, call)
    expect([status, body.code, body.detail]).toEqual([
      403,
      'EMAIL_NOT_VERIFIED',
      'Mails to others need a verified email address of their sender. Follow the link in the mail of your registration, or sign in with a mailed link.',
    ])
  })

  it('is refused beyond the daily number of a new organization, which grows with its age', async () => {
    const member = await anOrganization(true)
    const attempt = async () => {
      const { status, body } = await (await ways[way]!(member, anAddress()))()
      return [status < 300, body.code]
    }
    const sent = [true, undefined]
    const tooMany = [false, 'MAIL_RATE_LIMITED']
    expect([await attempt(), await attempt(), await attempt()]).toEqual([sent, sent, tooMany])
    const { status, headers, body } = await unchanged(platform, await ways[way]!(member, anAddress()))
    expect([status, headers.get('retry-after'), body.detail]).toEqual([
      429,
      '86400',
      'Limit of 2 such mails by one organization in 1440 minutes reached; retry in 86400 s. A new organization may send few mails a day; the number grows with its age.',
    ])
    platform.advanceClock(dayMs)
    for (const expected of [sent, sent, sent, sent, tooMany]) expect(await attempt()).toEqual(expected)
    platform.advanceClock(7 * dayMs)
    for (let mails = 0; mails < 6; mails++) expect(await attempt()).toEqual(sent)
  })
})

describe('what the platform sends on its own', () => {
  it('reminds nobody for an organization without an owner or admin whose address is verified', async () => {
    for (const [isEmailVerified, mails] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const member = await anOrganization(isEmailVerified)
      const to = anAddress()
      await overdue(member, to)
      await member.rest.dunningUpdate!({ body: { enabled: true, skipWeekends: false, sendTime: '00:00' } })
      await runDunning(services())
      expect(await mailsTo(platform, to)).toHaveLength(mails)
    }
  })

  const enrolling = async (
    member: Member,
    step: object = { type: 'EMAIL', subject: 'Slots', bodyHtml: '<p>Hello</p>' },
  ) => {
    const { id } = await aSequence(member, [step])
    const person = (await contact(member, { email: anAddress() })) as { id: string; email: string }
    return {
      id,
      person,
      enroll: () => member.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId: person.id } }),
    }
  }
  const enrolled = async (member: Member) => {
    const { person, enroll } = await enrolling(member)
    const { status, body } = await enroll()
    expect(status, JSON.stringify(body)).toBe(201)
    await run(platform)
    return person
  }
  const mailOf = async (email: string) => {
    const [mail] = await platform.query(
      `select m.status, m.failure_reason as reason, o.state, o.last_error as waiting from outreach.email_message m
       join outreach.outgoing_email o on o.organization_id = m.organization_id and o.id = m.id where $1 = any(m.to_emails)`,
      [email],
    )
    return mail
  }

  it('enrolls nobody in a sequence with mails of a sender who has not verified the address', async () => {
    const member = await anOrganization(false)
    const { id, person, enroll } = await enrolling(member)
    expect(await refused(platform, enroll)).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    const bulk = { entityType: 'CONTACT', entityIds: [person.id] }
    expect(await refused(platform, () => member.rest.sequenceEnrollBulk!({ id, body: bulk }))).toEqual([
      403,
      'EMAIL_NOT_VERIFIED',
    ])
    const tasks = await enrolling(member, { type: 'CALL', task: { subject: 'Call' } })
    expect((await tasks.enroll()).status).toBe(201)
  })

  it('sends no mail of a sequence whose sender has a new address that is not verified', async () => {
    const member = await anOrganization(true)
    const { email } = await enrolled(member)
    await platform.query(
      'update identity.person p set email_verified_at = null from identity.app_user u where u.person_id = p.id and u.id = $1',
      [member.userId],
    )
    await deliver()
    const reason = 'Not sent: the sender has not verified the email address.'
    expect(await mailOf(email)).toMatchObject({ status: 'FAILED', reason, state: 'FAILED' })
    expect(received(email)).toBe(0)
  })

  it('holds mails of sequences back beyond the daily number', async () => {
    const member = await anOrganization(true)
    const people = [await enrolled(member), await enrolled(member), await enrolled(member)]
    await deliver()
    const states = async () =>
      (await Promise.all(people.map(({ email }) => mailOf(email)))).map((mail) => mail!['state'])
    expect((await states()).map(String).sort()).toEqual(['QUEUED', 'SENT', 'SENT'])
    platform.advanceClock(dayMs)
    await deliver(dayMs)
    expect([await states(), people.map(({ email }) => received(email))]).toEqual([
      ['SENT', 'SENT', 'SENT'],
      [1, 1, 1],
    ])
  })
})

it('an invitation needs no verified address and names nobody without one, but counts for a new organization', async () => {
  const member = await anOrganization(false)
  const admin = restClient(platform.contract, platform.url, {
    Authorization: `Bearer ${await sessionOf(platform, member)}`,
  })
  const invite = (email: string) => admin.userInvite!({ body: { email } })
  const email = anAddress()
  expect([(await invite(email)).status, (await invite(anAddress())).status]).toEqual([201, 201])
  expect((await mailsTo(platform, email))[0]!.text).toContain('Somebody invites you to join an organization.')
  expect(await refused(platform, () => invite(anAddress()))).toEqual([429, 'MAIL_RATE_LIMITED'])
})

it('a notice about records goes to no address that its user has not verified', async () => {
  const member = await anOrganization(true)
  const { organizationId } = member
  for (const [isEmailVerified, mails] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const owner = await platform.member({ organizationId, isEmailVerified })
    const { id } = await lead(member, { ownerId: owner.userId })
    expect((await member.rest.leadConvert!({ id, body: { notifyOwner: true } })).status).toBe(200)
    const [{ email }] = (await platform.query('select email from identity.admin_user where id = $1', [
      owner.userId,
    ])) as [{ email: string }]
    expect(await mailsTo(platform, email)).toHaveLength(mails)
  }
})

describe('a suspended organization', () => {
  it('sends no queued mail, of whichever kind, and sends it when it is resumed', async () => {
    const member = await anOrganization(true)
    const [mailed, quoted] = [anAddress(), anAddress()]
    await (
      await ways['emailSend']!(member, mailed)
    )()
    await (
      await ways['quoteSend']!(member, quoted)
    )()
    await suspendOrganization(platform.services, member.organizationId)
    await deliver()
    await deliver(15 * minuteMs)
    expect([received(mailed), received(quoted)]).toEqual([0, 0])
    await resumeOrganization(platform.services, member.organizationId)
    await deliver(15 * minuteMs)
    expect([received(mailed), received(quoted)]).toEqual([1, 1])
  })

  it('never sends what has waited too long, and says why', async () => {
    const member = await anOrganization(true)
    const [mailed, quoted] = [anAddress(), anAddress()]
    const { body } = await (await ways['emailSend']!(member, mailed))()
    await (
      await ways['quoteSend']!(member, quoted)
    )()
    await suspendOrganization(platform.services, member.organizationId)
    platform.advanceClock(7 * dayMs + 1)
    await deliver()
    const states = await platform.query(
      `select state from kernel.mail where recipient = $1
       union all select state from outreach.outgoing_email where id = $2`,
      [quoted, body.id],
    )
    expect(states).toEqual([{ state: 'EXPIRED' }, { state: 'FAILED' }])
    await resumeOrganization(platform.services, member.organizationId)
    await deliver(dayMs)
    expect([received(mailed), received(quoted)]).toEqual([0, 0])
    const { body: thread } = await member.rest.emailThread!({ id: body.threadId })
    expect(thread.messages[0]).toMatchObject({
      status: 'FAILED',
      failureReason: 'Not sent: the organization is suspended.',
    })
  })

  it('still lets its people reset their passwords', async () => {
    const member = await anOrganization(true)
    const [{ email }] = (await platform.query('select email from identity.admin_user where id = $1', [
      member.userId,
    ])) as [{ email: string }]
    await suspendOrganization(platform.services, member.organizationId)
    await restClient(platform.contract, platform.url, {}).authForgotPassword!({ body: { email } })
    await deliver()
    expect(received(email)).toBe(1)
  })

  it('has links in mails that lead nowhere and count nothing, but people can still unsubscribe', async () => {
    const member = await anOrganization(true)
    const to = anAddress()
    await member.rest.emailSend!({
      body: { to: [to], subject: 'Slots', bodyHtml: '<p><a href="https://fjordline.example/a">see</a></p>' },
    })
    await deliver()
    const text = receiver.received.findLast((mail) => mail.to.includes(to))!.text.replaceAll('=\r\n', '')
    const path = (kind: string) => platform.url + new RegExp(`/v1/public/mail/${kind}/[\\w-]{67}`).exec(text)![0]
    const ask = async (kind: string, method = 'GET') =>
      (await fetch(path(kind), { method, redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 Firefox/130.0' } }))
        .status
    const hits = () => platform.query('select link from outreach.tracking_hit order by id')
    expect([await ask('open'), await ask('click'), await ask('unsubscribe')]).toEqual([200, 302, 200])
    const before = await hits()
    expect(before.slice(-2)).toEqual([{ link: null }, { link: 0 }])
    await suspendOrganization(platform.services, member.organizationId)
    expect([await ask('open'), await ask('click')]).toEqual([200, 404])
    expect(await hits()).toEqual(before)
    expect([await ask('unsubscribe'), await ask('unsubscribe', 'POST')]).toEqual([200, 200])
    await resumeOrganization(platform.services, member.organizationId)
    expect([await ask('click')]).toEqual([302])
    const { body } = await member.rest.emailSuppressionList!({ query: { email: to } })
    expect(body.data).toMatchObject([{ email: to, reason: 'UNSUBSCRIBED' }])
  })
})
