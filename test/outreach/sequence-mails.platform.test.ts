import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact, each } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSequence, react, run } from './sequence.fixture.ts'

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

const dayMs = 86_400_000
const steps = [aMail(), aMail({ delayDays: 5 })]

/** A person in a sequence with these steps, whose mail is queued for the mailbox of its sender. */
async function queued(some: readonly object[], settings: object = {}) {
  const member = await platform.member()
  const box = await aMailbox(member)
  const sequence = await aSequence(member, some, { settings })
  const enrollment = await enroll(member, sequence.id)
  await run(platform)
  return { member, box, enrollment, body: { enrollmentId: enrollment.id } }
}

type QueuedMail = Awaited<ReturnType<typeof queued>>

const stateOf = async ({ member, enrollment }: QueuedMail) => {
  const { status, attempts } = (await member.rest.sequenceEnrollment!({ id: enrollment.id })).body
  const mail = (await mailsOf(member, enrollment)).at(-1)
  const { result, detail } = attempts.at(-1)
  return { status, result, detail, mail: mail!['status'], reason: mail!['failureReason'] }
}

const ended = (status: string, reason: string) => ({
  status,
  result: 'SKIPPED',
  detail: reason,
  mail: 'FAILED',
  reason,
})

describe('a queued mail of a sequence', () => {
  it.each<[string, readonly object[], (one: QueuedMail) => Promise<{ status: number }>, object]>([
    [
      'a user ended the enrollment',
      steps,
      ({ member, enrollment: { sequenceId: id }, body }) => member.rest.sequenceUnenroll!({ id, body }),
      ended('UNENROLLED', 'Not sent: the enrollment has ended (UNENROLLED).'),
    ],
    [
      'the person replied to an earlier mail after the last step',
      [aMail(), aMail()],
      async ({ member, enrollment }) => {
        const [mail] = await platform.query<{ id: string }>(
          'select internet_message_id as id from outreach.email_message where to_emails = array[$1] order by id',
          [enrollment.email],
        )
        const body = { from: enrollment.email, to: ['ann@fjordline.example'], subject: 'Re', text: 'Yes' }
        return member.rest.emailInboundReceive!({
          query: { api_key: member.secret },
          body: { ...body, messageId: `<${enrollment.id}@customer.example>`, inReplyTo: mail!.id },
        })
      },
      ended('COMPLETED', 'Not sent: the person has replied.'),
    ],
    [
      'the person does not agree after the last step',
      [aMail()],
      ({ member, enrollment: { contactId: id } }) =>
        member.rest.contactUpdate!({ id, body: { consent: { status: 'DENIED' } } }),
      ended('COMPLETED', 'Not sent: the person does not agree to be contacted.'),
    ],
    [
      'its sequence was archived',
      [aMail()],
      ({ member, enrollment: { sequenceId: id } }) => member.rest.sequenceArchive!({ id, query: { force: 'true' } }),
      ended('COMPLETED', 'Not sent: the sequence was archived.'),
    ],
    [
      'its sequence was deleted',
      [aMail()],
      ({ member, enrollment: { sequenceId: id } }) => member.rest.sequenceDelete!({ id, query: { force: 'true' } }),
      ended('COMPLETED', 'Not sent: the sequence was deleted.'),
    ],
  ])('is never sent if %s', async (_, some, end, expected) => {
    const one = await queued(some)
    const answer = await end(one)
    expect([200, 204]).toContain(answer.status)
    await react(platform, one.member)
    await Promise.all([send(), send()])
    expect(received(one.enrollment)).toEqual([])
    expect(await stateOf(one)).toEqual(expected)
    await send(dayMs)
    expect(received(one.enrollment)).toEqual([])
  })

  it('is never sent if its sender may no longer change records', async () => {
    const one = await queued(steps)
    await platform.query(`update identity.app_user set role = 'READ_ONLY' where id = $1`, [one.member.userId])
    await send()
    expect(received(one.enrollment)).toEqual([])
    const reason = 'Not sent: the sender is no longer an active user who may change records.'
    expect(await stateOf(one)).toEqual(ended('ACTIVE', reason))
  })

  it.each<[string, (one: QueuedMail) => Promise<{ status: number }>, string]>([
    [
      'its mailbox is turned off',
      ({ member, box: { id } }) => member.rest.mailboxUpdate!({ id, body: { isEnabled: false } }),
      'Not sent: the mailbox is turned off or deleted.',
    ],
    [
      'its mailbox is deleted',
      ({ member, box: { id } }) => member.rest.mailboxDelete!({ id }),
      'Not sent: the mailbox is turned off or deleted.',
    ],
    [
      'the address is suppressed',
      ({ member, enrollment: { email } }) => member.rest.emailSuppress!({ body: { email } }),
      'Not sent: MANUAL.',
    ],
  ])('is never sent, and its enrollment says so, if %s', async (_, change, reason) => {
    const one = await queued(steps)
    expect((await change(one)).status).toBeLessThan(300)
    await send()
    expect(received(one.enrollment)).toEqual([])
    expect(await stateOf(one)).toEqual(ended('ACTIVE', reason))
    await send(dayMs)
    expect(received(one.enrollment)).toEqual([])
  })

  it('is sent if the enrollment goes on or is completed, once', async () => {
    for (const some of [steps, [aMail()]]) {
      const one = await queued(some)
      await Promise.all([send(), send()])
      await send(dayMs)
      expect(received(one.enrollment)).toHaveLength(1)
      expect(await stateOf(one)).toMatchObject({ result: 'SENT', detail: null, mail: 'SENT' })
    }
  })

  it('waits while its enrollment is paused, and is sent when it goes on', async () => {
    const one = await queued(steps)
    const { member, enrollment, body } = one
    await member.rest.sequencePauseEnrollment!({ id: enrollment.sequenceId, body })
    // More often than a mail is attempted.
    for (let time = 0; time < 10; time++) await send(900_000)
    expect(received(enrollment)).toEqual([])
    expect(await stateOf(one)).toMatchObject({ status: 'PAUSED', result: 'SENT', mail: 'QUEUED' })
    await send()
    await member.rest.sequenceResumeEnrollment!({ id: enrollment.sequenceId, body })
    await send()
    expect(received(enrollment)).toHaveLength(1)
    expect(await stateOf(one)).toMatchObject({ status: 'ACTIVE', result: 'SENT', mail: 'SENT' })
    platform.advanceClock(5 * dayMs)
    await run(platform)
    await send()
    expect(received(enrollment)).toHaveLength(2)
  })

  it('waits while its sequence is paused, and is sent when it goes on', async () => {
    const running = await queued(steps)
    const completed = await queued([aMail()])
    const toggle = async () => {
      for (const { member, enrollment } of [running, completed])
        expect((await member.rest.sequenceToggle!({ id: enrollment.sequenceId })).status).toBe(200)
    }
    await toggle()
    await send(900_000)
    await send()
    for (const { enrollment } of [running, completed]) expect(received(enrollment)).toEqual([])
    await toggle()
    await send()
    expect(received(running.enrollment)).toHaveLength(1)
    await send(900_000)
    expect(received(completed.enrollment)).toHaveLength(1)
    for (const one of [running, completed]) expect(await stateOf(one)).toMatchObject({ result: 'SENT', mail: 'SENT' })
  })

  it('waits for the next send window, unless a user has executed the step', async () => {
    platform.now = new Date('2027-03-01T09:30:00.000Z')
    const settings = { timezone: 'UTC', sendDays: ['MON', 'WED'], sendStart: '09:00', sendEnd: '10:00' }
    const one = await queued(steps, settings)
    platform.now = new Date('2027-03-01T10:00:00.000Z')
    await send()
    expect(received(one.enrollment)).toEqual([])
    expect(await stateOf(one)).toMatchObject({ status: 'ACTIVE', result: 'SENT', mail: 'QUEUED' })
    const [waiting] = await platform.query(
      `select attempts, round(extract(epoch from next_attempt_at - now()) / 3600)::int as hours, last_error as reason
       from outreach.outgoing_email o join outreach.email_message m using (organization_id, id) where m.to_emails = array[$1]`,
      [one.enrollment.email],
    )
    expect(waiting).toEqual({ attempts: 0, hours: 47, reason: 'The send window is over.' })
    const { member, enrollment, body } = one
    const forced = await member.rest.sequenceProcessStep!({ id: enrollment.sequenceId, body })
    expect(forced.status, JSON.stringify(forced.body)).toBe(200)
    await send()
    expect(received(enrollment)).toHaveLength(1)
    platform.now = new Date('2027-03-03T09:00:00.000Z')
    await send(47 * 3_600_000)
    expect(received(enrollment)).toHaveLength(2)
  })
})

describe('the variants of a step', () => {
  it('are no longer chosen, whatever their weights, when the replies to one of them show that it is the best one', async () => {
    const member = await platform.member()
    const variants = [
      { weight: 1000, subject: 'Usual', bodyHtml: '<p>Hello</p>' },
      { weight: 1, subject: 'Better', bodyHtml: '<p>Hello</p>' },
    ]
    const { id, stepIds } = await aSequence(member, [{ type: 'EMAIL', variants }])
    const { body } = await member.rest.sequence!({ id })
    const [usual, better] = (body.steps[0].variants as { id: string }[]).map((variant) => variant.id)
    const history = (variantId: string | undefined, sent: number, replied: number) =>
      platform.query(
        `insert into outreach.sequence_attempt (organization_id, id, enrollment_id, sequence_id, step_id, visit, step_type, step_position,
           variant_id, result, executed_at, replied_at)
         select $1, gen_random_uuid(), gen_random_uuid(), $2, $3, 1, 'EMAIL', 1, $4, 'SENT', $5, case when n <= $6 then $5::timestamptz end
         from generate_series(1, $7) n`,
        [member.organizationId, id, stepIds[0], variantId, platform.now.toISOString(), replied, sent],
      )
    await history(usual, 13, 1)
    await history(better, 30, 12)
    const enrolled = await each([1, 2, 3, 4, 5], () => enroll(member, id))
    await run(platform)
    const mails = await each(enrolled, (one) => mailsOf(member, one))
    expect(mails.map(([mail]) => mail!['subject'])).toEqual(Array(5).fill('Better'))
  })
})
