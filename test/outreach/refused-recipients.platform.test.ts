import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aMail, aSequence, react, run } from './sequence.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = new SmtpReceiver()
let member: Member
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member()
})
afterEach(() => {
  receiver.refusals.clear()
  receiver.refusesSender = receiver.refusesContent = null
})
afterAll(async () => {
  await receiver.stop()
  await expectValidEvents(platform)
})

let people = 0
const anAddress = () => `person${++people}@refused.example`
const deliver = () =>
  drain(outgoingEmailQueue, { ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') })

const messageOf = async ({ threadId }: { threadId: string }) =>
  (await member.rest.emailThread!({ id: threadId })).body.messages[0]

/** A mail after the attempt to send it. */
async function attempted(to: string[], values: object = {}) {
  const { status, body } = await member.rest.emailSend!({
    body: { to, subject: 'Dock slots', bodyText: 'Hello', ...values },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await deliver()
  return messageOf(body)
}

const gone = '550 5.1.1 No such user'
const receivedBy = (address: string) => receiver.received.filter(({ to }) => to.includes(address)).length
const listed = async (...emails: string[]) => {
  const rows = await platform.query<{ email: string; reason: string; messageId: string }>(
    'select email, reason, message_id as "messageId" from outreach.suppressed_address where email = any($1) order by email',
    [emails],
  )
  return rows.map(({ email, reason, messageId }) => [email, reason, messageId])
}

describe('a mail whose only recipient the server refuses', () => {
  it('bounces, and the address gets no further mail', async () => {
    const to = anAddress()
    const { id: contactId } = await contact(member, { email: to })
    receiver.refusals.set(to, gone)
    const mail = await attempted([to])
    expect(mail).toMatchObject({
      status: 'BOUNCED',
      bounceType: 'HARD',
      bounceReason: gone,
      failureReason: null,
      sentAt: platform.now.toISOString(),
    })
    expect(await platform.eventTypesOf(mail.id)).toEqual(['email.created', 'email.bounced'])
    expect(await listed(to)).toEqual([[to, 'BOUNCED', mail.id]])
    expect((await member.rest.contact!({ id: contactId })).body.emailStatus).toBe('BOUNCED')
    const rows = await platform.query('select state, attempts from outreach.outgoing_email where id = $1', [mail.id])
    expect(rows).toEqual([{ state: 'BOUNCED', attempts: 1 }])
  })

  it('bounces through the server of a mailbox as well', async () => {
    const to = anAddress()
    receiver.refusals.set(to, 550)
    const smtp = { smtpHost: '127.0.0.1', smtpPort: Number(new URL(smtpUrl).port), smtpSecurity: 'NONE' }
    const box = await member.rest.mailboxCreate!({ body: { name: 'Ann', email: 'ann@fjordline.example', ...smtp } })
    expect(box.status, JSON.stringify(box.body)).toBe(201)
    const mail = await attempted([to], { mailboxId: box.body.id })
    expect(mail).toMatchObject({ mailboxId: box.body.id, status: 'BOUNCED', bounceReason: '550 not here' })
    expect(await listed(to)).toEqual([[to, 'BOUNCED', mail.id]])
  })

  it.each([
    [true, 'BOUNCED'],
    [false, 'ACTIVE'],
  ])('ends its enrollment if the sequence has stopOnBounce: %s', async (stopOnBounce, status) => {
    const { id } = await aSequence(member, [aMail(), aMail({ delayDays: 5 })], { settings: { stopOnBounce } })
    const person = await contact(member, { email: anAddress() })
    receiver.refusals.set(person.email, gone)
    const body = { entityType: 'CONTACT', entityId: person.id }
    const { id: enrollmentId } = (await member.rest.sequenceEnroll!({ id, body })).body
    await run(platform)
    await deliver()
    await react(platform, member)
    expect((await member.rest.sequenceEnrollment!({ id: enrollmentId })).body).toMatchObject({
      status,
      bouncedAt: expect.any(String),
      attempts: [{ bouncedAt: expect.any(String) }],
    })
  })

  it.each([
    ['of the sender', () => (receiver.refusesSender = '550 5.7.1 Not your address'), '550 5.7.1 Not your address'],
    ['to relay', (to: string) => receiver.refusals.set(to, '550 relay not permitted'), '550 relay not permitted'],
    ['for a full mailbox', (to: string) => receiver.refusals.set(to, '552 5.2.2 Full'), '552 5.2.2 Full'],
  ])('FAILED after a refusal %s, which says nothing about the address', async (_, refuse, said) => {
    const to = anAddress()
    refuse(to)
    const mail = await attempted([to])
    expect(mail).toMatchObject({ status: 'FAILED', bounceType: null, bounceReason: null, sentAt: null })
    expect(mail.failureReason).toContain(said)
    expect([await listed(to), await platform.eventTypesOf(mail.id)]).toEqual([[], ['email.created', 'email.updated']])
  })
})

describe('a mail whose content the server refuses', () => {
  const queueRow = async ({ id }: { id: string }) =>
    (await platform.query('select state, attempts from outreach.outgoing_email where id = $1', [id]))[0]
  const said = (reply: string) => (receiver.refusesContent = reply)

  it.each(['550 5.1.1 No such user', '554 5.1.10 The domain takes no mail', '550 5.2.1 The mailbox is disabled'])(
    'bounces for good, and the address gets no further mail, after %s',
    async (reply) => {
      const to = anAddress()
      said(reply)
      const mail = await attempted([to])
      expect(mail).toMatchObject({ status: 'BOUNCED', bounceType: 'HARD', bounceReason: reply, failureReason: null })
      expect(await platform.eventTypesOf(mail.id)).toEqual(['email.created', 'email.bounced'])
      expect([await listed(to), await queueRow(mail)]).toEqual([
        [[to, 'BOUNCED', mail.id]],
        { state: 'BOUNCED', attempts: 1 },
      ])
    },
  )

  it.each([
    '550 5.7.1 Not by our policy',
    '554 5.6.0 Not this text',
    '552 5.3.4 Too large',
    '550 5.1.8 Bad address of the sender',
    '550 Spam',
    '550 Unknown user',
  ])('is FAILED with a SOFT bounce and not tried again after %s', async (reply) => {
    const to = anAddress()
    said(reply)
    const mail = await attempted([to])
    const expected = { status: 'FAILED', failureReason: reply, bounceType: 'SOFT', bounceReason: reply, sentAt: null }
    expect(mail).toMatchObject(expected)
    receiver.refusesContent = null
    await ageQueueItems(platform.services, 'outreach.outgoing_email', 86_400_000)
    await deliver()
    expect(await messageOf(mail)).toMatchObject(expected)
    expect(await platform.eventTypesOf(mail.id)).toEqual(['email.created', 'email.updated', 'email.bounced'])
    expect([receivedBy(to), await listed(to), await queueRow(mail)]).toEqual([0, [], { state: 'FAILED', attempts: 1 }])
  })

  it('is tried again after a temporary refusal', async () => {
    const to = anAddress()
    said('451 4.7.1 Later')
    const mail = await attempted([to])
    expect([mail.status, mail.bounceType, await queueRow(mail)]).toEqual([
      'QUEUED',
      null,
      { state: 'QUEUED', attempts: 1 },
    ])
    receiver.refusesContent = null
    await ageQueueItems(platform.services, 'outreach.outgoing_email', 3_600_000)
    await deliver()
    expect([(await messageOf(mail)).status, receivedBy(to)]).toEqual(['SENT', 1])
  })

  it('bounces for all its recipients, of which none is suppressed, because nobody knows whose address it was', async () => {
    const [to, other, hidden] = [anAddress(), anAddress(), anAddress()]
    said(`550 5.1.1 <${hidden.toUpperCase()}>: No such user`)
    const mail = await attempted([to, other], { bcc: [hidden] })
    expect(mail).toMatchObject({ status: 'BOUNCED', bounceType: 'HARD', bounceReason: '550 5.1.1' })
    said(`550 5.7.1 Not for ${hidden}`)
    const failed = await attempted([to, other], { bcc: [hidden] })
    expect(failed).toMatchObject({ status: 'FAILED', failureReason: '550 5.7.1', bounceReason: '550 5.7.1' })
    expect([receivedBy(to), await listed(to, other, hidden)]).toEqual([0, []])
    const stored = await platform.query('select last_error from outreach.outgoing_email where id = any($1)', [
      [mail.id, failed.id],
    ])
    expect(JSON.stringify([mail, failed, stored])).not.toContain(hidden)
  })
})

describe('a mail of which the server refuses some recipients', () => {
  it('is sent once to the others, and bounces for those', async () => {
    const [to, unknown, busy, other] = [anAddress(), anAddress(), anAddress(), anAddress()]
    receiver.refusals.set(unknown, gone).set(busy, '450 4.2.0 Later')
    const mail = await attempted([to, unknown], { cc: [busy, other] })
    expect(receiver.received.at(-1)!.to).toEqual([to, other])
    expect(mail).toMatchObject({ status: 'BOUNCED', bounceType: 'HARD', bounceReason: gone })
    const events = await platform.eventsOf(mail.id)
    expect(events.map(({ type }) => type)).toEqual(['email.created', 'email.sent', 'email.bounced', 'email.bounced'])
    expect(await listed(to, unknown, busy, other)).toEqual([[unknown, 'BOUNCED', mail.id]])

    receiver.refusals.clear()
    await platform.query(
      `update outreach.outgoing_email set state = 'QUEUED', is_due = true, attempts = 0, finished_at = null where id = $1`,
      [mail.id],
    )
    await deliver()
    expect([to, unknown, busy, other].map(receivedBy)).toEqual([1, 0, 0, 1])
  })

  it('stays SENT if they are refused for now or because of the mail', async () => {
    const [to, refused] = [anAddress(), anAddress()]
    receiver.refusals.set(refused, '550 5.7.1 Members only')
    const mail = await attempted([to, refused])
    expect(mail).toMatchObject({ status: 'SENT', bounceType: 'SOFT', bounceReason: '550 5.7.1 Members only' })
    expect([await listed(to, refused), receivedBy(to)]).toEqual([[], 1])
  })

  it('tells nobody the address of a hidden copy', async () => {
    const [to, hidden] = [anAddress(), anAddress()]
    receiver.refusals.set(hidden, `550 5.1.1 <${hidden}>: No such user`)
    const mail = await attempted([to], { bcc: [hidden] })
    expect(mail).toMatchObject({ status: 'BOUNCED', bounceReason: '550 5.1.1' })
    const events = await platform.query('select data from kernel.event where record_id = any($1)', [
      [mail.id, mail.threadId],
    ])
    expect(JSON.stringify([mail, events])).not.toContain(hidden)
    expect(await listed(hidden)).toEqual([[hidden, 'BOUNCED', mail.id]])

    const both = [anAddress(), anAddress()] as const
    receiver.refusals.set(both[0], '550 5.7.1 Not this').set(both[1], `550 5.7.1 Not this for ${both[1]}`)
    expect(await attempted([both[0]], { bcc: [both[1]] })).toMatchObject({
      status: 'FAILED',
      failureReason: '550 5.7.1 Not this',
    })
  })

  it('is tried again while a recipient is only refused for now, and then bounces for the other one', async () => {
    const [later, unknown] = [anAddress(), anAddress()]
    receiver.refusals.set(later, '451 4.3.0 Later').set(unknown, gone)
    const mail = await attempted([unknown, later])
    expect([mail.status, await listed(unknown)]).toEqual(['QUEUED', []])
    receiver.refusals.delete(later)
    await ageQueueItems(platform.services, 'outreach.outgoing_email', 3_600_000)
    await deliver()
    expect(await messageOf(mail)).toMatchObject({ status: 'BOUNCED', bounceReason: gone })
    expect([receivedBy(later), await listed(later, unknown)]).toEqual([1, [[unknown, 'BOUNCED', mail.id]]])
  })
})
