import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSequence, run } from './sequence.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const smtp = new SmtpReceiver()
let smtpPort: number

beforeAll(async () => {
  smtpPort = Number(new URL(await smtp.start()).port)
})
afterAll(async () => {
  await smtp.stop()
  await expectValidEvents(platform)
})

let count = 0
const aMail = (values: object = {}) => ({ type: 'EMAIL', subject: 'Slots', bodyHtml: '<p>Hello</p>', ...values })

async function aMailbox(owner: Member, values: object = {}) {
  const { status, body } = await owner.rest.mailboxCreate!({
    body: {
      name: 'Ann',
      email: `box${++count}@fjordline.example`,
      smtpHost: '127.0.0.1',
      smtpPort,
      smtpSecurity: 'NONE',
      ...values,
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; email: string }
}

/** Enrolls a new person. */
async function enroll(by: Member, id: string, values: object = {}) {
  const person = await contact(by, { email: `person${++count}@customer.example`, ...values })
  const { status, body } = await by.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId: person.id } })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: body.id as string, sequenceId: id, email: person.email as string, contactId: person.id as string }
}

type Enrolled = Awaited<ReturnType<typeof enroll>>

const received = ({ email }: Pick<Enrolled, 'email'>) => smtp.received.filter(({ to }) => to.includes(email))

/** Sends what is due; with `ms`, as if that time had passed for the queue. */
async function send(ms = 0): Promise<void> {
  await ageQueueItems(platform.services, 'outreach.outgoing_email', ms)
  await drain(outgoingEmailQueue, platform.services)
}

/** The mails of an enrollment as the API shows them. */
const mailsOf = async (by: Member, { contactId }: Enrolled) => {
  const { body } = await by.rest.sequenceDelivery!({ query: { entityType: 'CONTACT', entityId: contactId } })
  return body.data[0].mails as Record<string, unknown>[]
}

describe('the mailbox of a sequence mail', () => {
  it('is the oldest of the sender that is on, or the one with its address, and keeps the thread', async () => {
    const member = await platform.member()
    const steps = [aMail(), aMail({ delayDays: 1, replyInThread: true }), aMail({ delayDays: 1 })]
    const { id } = await aSequence(member, steps, { settings: { threadReplies: false } })
    const colleague = await platform.member({ organizationId: member.organizationId })
    await aMailbox(colleague, { isShared: true })
    await aMailbox(member, { isEnabled: false })
    const box = await aMailbox(member)
    await aMailbox(member)
    const enrollment = await enroll(member, id)
    await run(platform)
    const [user] = await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [
      member.userId,
    ])
    const own = await aMailbox(member, { email: user!.email })
    for (let day = 0; day < 2; day++) {
      platform.advanceClock(86_400_000)
      await run(platform)
    }
    await send()
    const mails = await platform.query(
      `select mailbox_id as "mailboxId", from_email as "fromEmail", split_part(internet_message_id, '@', 2) as domain
       from outreach.email_message where to_emails = array[$1] order by created_at`,
      [enrollment.email],
    )
    const ofBox = { mailboxId: box.id, fromEmail: box.email, domain: 'fjordline.example>' }
    const ofOwn = { mailboxId: own.id, fromEmail: user!.email, domain: `${user!.email.split('@')[1]}>` }
    expect(mails).toEqual([ofBox, ofBox, ofOwn])
    const froms = received(enrollment).map(({ text }) => /^From: .*<(.*)>/m.exec(text)![1]!)
    expect(froms.toSorted()).toEqual([box.email, box.email, user!.email].toSorted())
  })

  it('is none if the sender has none that is on', async () => {
    const member = await platform.member()
    await aMailbox(member, { isEnabled: false })
    const { id } = await aSequence(member, [aMail()])
    const enrollment = await enroll(member, id)
    await run(platform)
    const [mail] = await platform.query(
      `select m.mailbox_id as "mailboxId", o.sender_id = m.organization_id as "isOfPlatform" from outreach.email_message m
       join outreach.outgoing_email o on o.id = m.id where m.to_emails = array[$1]`,
      [enrollment.email],
    )
    expect(mail).toEqual({ mailboxId: null, isOfPlatform: true })
  })

  it('has its limits: a mail beyond them waits and is sent later', async () => {
    const member = await platform.member()
    await aMailbox(member, { perMinuteLimit: 1 })
    const { id } = await aSequence(member, [aMail()])
    const enrollments = [await enroll(member, id), await enroll(member, id)]
    await run(platform)
    await send()
    const sent = () => enrollments.map((one) => received(one).length).toSorted((one, other) => one - other)
    expect(sent()).toEqual([0, 1])
    platform.advanceClock(61_000)
    await send(3_600_000)
    expect(sent()).toEqual([1, 1])
    for (const one of enrollments) expect(await mailsOf(member, one)).toMatchObject([{ status: 'SENT' }])
  })
})
