import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue, queueDuePolls } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { arrivedMail, mails } from '../../subgraphs/outreach/received-mail/mails.fixture.ts'
import { contact } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aMail, aSequence, react, run } from './sequence.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const smtp = new SmtpReceiver()
const imap = new DovecotServer()
let member: Member
let smtpPort: number
let count = 0

beforeAll(async () => {
  smtpPort = Number(new URL(await smtp.start()).port)
  if (hasDovecot) await imap.start()
  member = await platform.member()
})
afterAll(async () => {
  await smtp.stop()
  imap.stop()
  await expectValidEvents(platform)
})

async function aMailbox(owner = member): Promise<{ id: string; email: string }> {
  const email = `received${++count}@fjordline.example`
  const server = { smtpHost: '127.0.0.1', smtpPort, smtpSecurity: 'NONE', imapHost: '127.0.0.1', imapPort: imap.port }
  const { status, body } = await owner.rest.mailboxCreate!({
    body: {
      name: 'Ann',
      email,
      ...server,
      imapSecurity: 'NONE',
      imapUser: email,
      imapPassword: 'secret',
      perMinuteLimit: 600,
      dailyLimit: 1000,
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await poll()
  return body
}

async function arrive(user: string, ...texts: string[]) {
  const auth = { user, pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port: imap.port, secure: false, logger: false, auth })
  await client.connect()
  for (const text of texts) await client.append('INBOX', text)
  await client.logout()
  await poll()
}

async function poll() {
  await platform.query(`update outreach.mailbox_state set next_poll_at = null`)
  await queueDuePolls.run(platform.services)
  await drain(mailboxPollQueue, platform.services)
}

async function sent(mailboxId: string, to: string, values: object = {}) {
  const { status, body } = await member.rest.emailSend!({
    body: { to: [to], subject: 'Offer', bodyText: 'Hello', mailboxId, ...values },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await drain(outgoingEmailQueue, platform.services)
  return body
}

const threadOf = async (id: string) => (await member.rest.emailThread!({ id })).body
const firstOf = async (id: string) => (await threadOf(id)).messages[0]
const anAddress = () => `person${++count}@customer.example`

/** What becomes of the mail, its contact and the enrollment. */
function effectOf([kind, outcome]: (typeof mails)[string]): readonly [string, string, string] {
  if (kind === 'MAIL') return ['REPLIED', 'UNKNOWN', 'REPLIED']
  if (outcome === 'HARD') return ['BOUNCED', 'BOUNCED', 'BOUNCED']
  if (outcome === 'COMPLAINED') return ['COMPLAINED', 'COMPLAINED', 'UNSUBSCRIBED']
  return [outcome === 'DELIVERED' ? 'DELIVERED' : 'SENT', 'UNKNOWN', 'ACTIVE']
}

describe.skipIf(!hasDovecot)('mails of a sequence and what arrives about them in the mailbox', () => {
  it('are REPLIED, bounce, are complained about or go on', async () => {
    const box = await aMailbox()
    const { id } = await aSequence(member, [aMail(), aMail({ delayDays: 5 })])
    const people = await Promise.all(
      Object.keys(mails).map(async (name) => {
        const { id: entityId, email } = await contact(member, { email: anAddress() })
        const { body } = await member.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId } })
        return { name, entityId, email: String(email), enrollmentId: body.id as string }
      }),
    )
    await run(platform)
    await drain(outgoingEmailQueue, platform.services)
    const rows = await platform.query<{ id: string; to: string; messageId: string }>(
      `select id, to_emails[1] as "to", internet_message_id as "messageId" from outreach.email_message
       where mailbox_id = $1 and direction = 'OUTBOUND' and status = 'SENT'`,
      [box.id],
    )
    const mailTo = new Map(rows.map((row) => [row.to, row]))
    expect(mailTo.size).toBe(people.length)
    await arrive(
      box.email,
      ...people.map(({ name, email }, index) =>
        arrivedMail(name, { to: email, messageId: mailTo.get(email)!.messageId, box: box.email, word: `w${index}` }),
      ),
    )
    await react(platform, member)
    const [statuses, received] = await Promise.all([
      platform.query<{ id: string; status: string }>(
        'select id, status from outreach.email_message where id = any($1)',
        [rows.map((row) => row.id)],
      ),
      platform.query<{ kind: string }>(
        `select kind from outreach.email_message where mailbox_id = $1 and direction = 'INBOUND'`,
        [box.id],
      ),
    ])
    const statusOf = new Map(statuses.map((row) => [row.id, row.status]))
    const effects: Record<string, readonly string[]> = {}
    for (const { name, entityId, email, enrollmentId } of people) {
      const enrollment = (await member.rest.sequenceEnrollment!({ id: enrollmentId })).body
      const person = (await member.rest.contact!({ id: entityId })).body
      effects[name] = [statusOf.get(mailTo.get(email)!.id)!, person.emailStatus, enrollment.status]
    }
    expect(effects).toEqual(Object.fromEntries(Object.entries(mails).map(([name, each]) => [name, effectOf(each)])))
    expect(received.map(({ kind }) => kind).toSorted()).toEqual(
      Object.values(mails)
        .map(([kind]) => kind)
        .toSorted(),
    )
  }, 60_000)

  it('of which a report names none count for the mailbox that has sent them', async () => {
    const [box, other] = [await aMailbox(), await aMailbox()]
    const to = anAddress()
    const [first, last] = [await sent(box.id, to), await sent(box.id, to, { subject: 'Another offer' })]
    const report = (into: { email: string }, word: string) =>
      arrive(
        into.email,
        arrivedMail('bounce-ses-other-message-id', { to, messageId: '<x@y.example>', box: into.email, word }),
      )
    await report(other, 'o1')
    expect([(await firstOf(first.threadId)).status, (await firstOf(last.threadId)).status]).toEqual(['SENT', 'SENT'])
    platform.advanceClock(8 * 86_400_000)
    await report(box, 'o2')
    expect((await firstOf(last.threadId)).status).toBe('SENT')
    platform.advanceClock(-2 * 86_400_000)
    await report(box, 'o3')
    expect([(await firstOf(first.threadId)).status, (await firstOf(last.threadId)).status]).toEqual(['SENT', 'BOUNCED'])
  })

  it('that colleagues quote still wait for an answer', async () => {
    const box = await aMailbox()
    const colleague = await platform.member({ organizationId: member.organizationId })
    const rows = await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [
      colleague.userId,
    ])
    const { email } = rows[0]!
    const to = anAddress()
    const mail = await sent(box.id, to, { cc: [email] })
    const quoting = (from: string, id: string) =>
      `From: ${from}\r\nTo: ${to}\r\nCc: ${box.email}\r\nSubject: Re: Offer\r\nMessage-ID: <${id}@x.example>\r\nIn-Reply-To: ${mail.internetMessageId}\r\n\r\nAs Ann says.`
    await arrive(box.email, quoting(email, 'own1'), quoting((await aMailbox()).email, 'own2'))
    const thread = await threadOf(mail.threadId)
    expect(thread).toMatchObject({ status: 'AWAITING_RESPONSE', lastDirection: 'OUTBOUND', unread: true })
    expect(thread.messages.map((each: { kind: string; status: string }) => [each.kind, each.status])).toEqual([
      ['MAIL', 'SENT'],
      ['INTERNAL', 'DELIVERED'],
      ['INTERNAL', 'DELIVERED'],
    ])
    await arrive(box.email, quoting(to, 'own3'))
    expect(await threadOf(mail.threadId)).toMatchObject({
      status: 'REPLIED',
      messages: [{ status: 'REPLIED' }, {}, {}, {}],
    })

    // Who tries a sequence on himself answers like a customer.
    const trial = await sent(box.id, email)
    await arrive(box.email, quoting(email, 'own4').replace(mail.internetMessageId, trial.internetMessageId))
    expect((await firstOf(trial.threadId)).status).toBe('REPLIED')
  })
})
