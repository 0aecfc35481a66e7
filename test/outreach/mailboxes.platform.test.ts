import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import type { Services } from '../../subgraphs/kernel/request.ts'
import { testTasks } from '../../subgraphs/kernel/work/work-pool.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue, queueDuePolls } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { contact } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aMail, aSequence, react, run } from './sequence.fixture.ts'
import { mailboxValues } from './mailbox-values.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const smtp = new SmtpReceiver()
const imap = new DovecotServer()
let member: Member
let smtpPort: number

if (!hasDovecot) console.warn('Dovecot is not installed (package dovecot-imapd): nothing is read from an IMAP server.')

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

let count = 0

async function aMailbox(values: object = {}, owner = member) {
  const email = `box${++count}@fjordline.example`
  const { status, body } = await owner.rest.mailboxCreate!({
    body: { ...mailboxValues(email, smtpPort, imap.port || 1143), ...values },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; email: string; version: number }
}

async function arrive(user: string, ...texts: (string | Buffer)[]) {
  const auth = { user, pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port: imap.port, secure: false, logger: false, auth })
  await client.connect()
  for (const text of texts) await client.append('INBOX', text)
  await client.logout()
}

const poll = async (services: Services = platform.services) => {
  await platform.query(`update outreach.mailbox_state set next_poll_at = null`)
  await queueDuePolls.run(services)
  await drain(mailboxPollQueue, services)
}

async function sendFrom(mailboxId: string, to: string, values: object = {}) {
  const { status, body } = await member.rest.emailSend!({
    body: { to: [to], subject: 'Dock slots', bodyHtml: '<p>Hello</p>', mailboxId, ...values },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await drain(outgoingEmailQueue, platform.services)
  return body
}

const threadOf = async (id: string) => (await member.rest.emailThread!({ id })).body
const lines = (...all: string[]) => all.join('\r\n')

const mailFrom = (from: string, id: string, more: string[], body = 'Yes, Friday works. Shall we meet?') =>
  lines(
    `From: Ida <${from}>`,
    'To: ann@fjordline.example',
    'Subject: Re: Dock slots',
    `Message-ID: <${id}@customer.example>`,
    'Date: Mon, 1 Feb 2027 08:00:00 +0000',
    ...more,
    '',
    body,
  )

const report = (messageId: string, recipient: string, status: string, said: string) =>
  lines(
    'From: Mail Delivery System <mailer-daemon@mx.example>',
    'To: ann@fjordline.example',
    'Subject: Undelivered Mail Returned to Sender',
    `Message-ID: <dsn${++count}@mx.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It was not delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${said}`,
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${messageId}`,
    'Subject: Dock slots',
    '',
    '--b--',
    '',
  )

describe.skipIf(!hasDovecot)('a mailbox on real servers', () => {
  it('sends a mail and receives its reply, its automatic reply, its bounce and its unsubscription', async () => {
    const box = await aMailbox()
    expect((await member.rest.mailboxTest!({ id: box.id })).body).toEqual({
      smtp: { ok: true, error: null },
      imap: { ok: true, error: null },
    })
    await arrive(box.email, mailFrom('old@customer.example', 'old', []))
    await poll()
    const to = `ida${++count}@customer.example`
    await contact(member, { email: to })
    const mail = await sendFrom(box.id, to)
    expect(mail).toMatchObject({ mailboxId: box.id, from: box.email })
    expect(mail.internetMessageId).toMatch(/@fjordline\.example>$/)
    const { text } = smtp.received.findLast((one) => one.to.includes(to))!
    expect(text).toContain(`<${box.email}>`)

    await arrive(
      box.email,
      mailFrom(to, 'auto', [`In-Reply-To: ${mail.internetMessageId}`, 'Auto-Submitted: auto-replied']),
    )
    await poll()
    expect(await threadOf(mail.threadId)).toMatchObject({ status: 'AWAITING_RESPONSE', messageCount: 2 })
    await arrive(box.email, mailFrom(to, 'reply', [`References: <x@y.example> ${mail.internetMessageId}`]))
    await poll()
    await poll()
    const thread = await threadOf(mail.threadId)
    expect(thread).toMatchObject({ status: 'REPLIED', messageCount: 3, unread: true })
    expect(
      thread.messages.map((one: Record<string, unknown>) => [one['kind'], one['status'], one['mailboxId']]),
    ).toEqual([
      ['MAIL', 'REPLIED', box.id],
      ['AUTO_REPLY', 'DELIVERED', box.id],
      ['MAIL', 'DELIVERED', box.id],
    ])
    const { body: drafts } = await member.rest.replyDraftList!({ query: { threadId: mail.threadId } })
    expect(drafts.data).toMatchObject([{ status: 'PENDING', reason: 'The mail is about a meeting.' }])
    const answer = await member.rest.replyDraftSend!({ draftId: drafts.data[0].id })
    expect(answer.body).toMatchObject({ mailboxId: box.id, inReplyTo: '<reply@customer.example>', to: [to] })

    const [full, gone] = [`full${++count}@customer.example`, `gone${++count}@customer.example`]
    const [soft, hard] = [await sendFrom(box.id, full), await sendFrom(box.id, gone)]
    await arrive(
      box.email,
      report(soft.internetMessageId, full, '5.2.2', '552 5.2.2 Mailbox full'),
      report(hard.internetMessageId, gone, '5.1.1', '550 5.1.1 No such user'),
      // Nobody can report the address of somebody who did not get the mail.
      report(soft.internetMessageId, to, '5.1.1', '550 forged'),
    )
    await poll()
    const stateOf = async ({ threadId }: { threadId: string }) => (await threadOf(threadId)).messages[0]
    expect(await stateOf(soft)).toMatchObject({
      status: 'SENT',
      bounceType: 'SOFT',
      bounceReason: '552 5.2.2 Mailbox full',
    })
    expect(await stateOf(hard)).toMatchObject({ status: 'BOUNCED', bounceType: 'HARD' })
    const refused = async (email: string) =>
      (await member.rest.emailSend!({ body: { to: [email], subject: 'x', bodyText: 'x' } })).body.errors?.[0]?.reason
    expect([await refused(gone), await refused(full), await refused(to)]).toEqual(['BOUNCED', undefined, undefined])

    const link = /List-Unsubscribe: <([^>]+)>/.exec(text.replaceAll(/\r\n[ \t]+/g, ' '))![1]!
    const one = await fetch(platform.url + new URL(link).pathname, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
    })
    expect(one.status).toBe(200)
    expect(await refused(to)).toBe('UNSUBSCRIBED')
    const { body: status } = await member.rest.emailImapStatus!({})
    expect(status.mailboxes.find(({ mailboxId }: { mailboxId: string }) => mailboxId === box.id)).toMatchObject({
      state: 'OK',
      receivedCount: 5,
      lastError: null,
    })
  })

  it('neither loses nor doubles a mail when a process ends between fetch and commit', async () => {
    const box = await aMailbox()
    await poll()
    const from = `kill${++count}@customer.example`
    await arrive(box.email, mailFrom(from, 'k1', []), mailFrom(from, 'k2', []))
    const stored = async () =>
      (
        await platform.query<{ id: string }>(
          `select internet_message_id as id from outreach.email_message where from_email = $1 order by internet_message_id`,
          [from],
        )
      ).map(({ id }) => id)
    // The process ends after it has read the first mail, and again after it has stored it.
    let calls = 0
    const dying = (at: number): Services => ({
      ...platform.services,
      work: {
        run: (task, input, organizationId) =>
          ++calls === at
            ? Promise.reject(new Error('killed'))
            : platform.services.work.run(task, input, organizationId),
      },
    })
    await poll(dying(1))
    expect(await stored()).toEqual([])
    calls = 0
    await poll(dying(2))
    expect(await stored()).toEqual(['<k1@customer.example>'])
    await poll()
    // The server numbers its mails anew.
    await platform.query(`update outreach.mailbox_state set uid_validity = 1 where id = $1`, [box.id])
    await poll()
    expect(await stored()).toEqual(['<k1@customer.example>', '<k2@customer.example>'])
  })

  it('survives bombs, and lookalikes and injected headers get nowhere', async () => {
    const box = await aMailbox()
    await poll()
    const to = `ida${++count}@customer.example`
    const mail = await sendFrom(box.id, to, { subject: 'Lookalike' })
    const nested = Array.from(
      { length: 5000 },
      (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`,
    )
    const parts = Array.from({ length: 3000 }, () => '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n')
    const head = (id: string) => `From: ${to}\r\nSubject: Bomb\r\nMessage-ID: <${id}@customer.example>\r\n`
    await arrive(
      box.email,
      head('nested') + nested.join(''),
      `${head('parts')}Content-Type: multipart/mixed; boundary="b"\r\n\r\n${parts.join('')}--b--`,
      `${head('large')}Content-Type: text/plain\r\n\r\n${'word '.repeat(2_000_000)}`,
      `${head('html')}Content-Type: text/html\r\n\r\n${'<div>'.repeat(150_000)}`,
      `${head('names')}${'X-A: b\r\n'.repeat(50_000)}\r\nHello`,
      lines(
        `From: Ida <${to.replace('customer', 'custorner')}>`,
        'To: ann@fjordline.example',
        'Subject: =?utf-8?Q?Re:_Lookalike=0D=0ABcc:_eve@example.com?=',
        'Message-ID: <look@customer.example>',
        'References: <a@b.example>\tBcc: eve@example.com',
        '',
        'Send the money elsewhere.',
      ),
    )
    const begun = performance.now()
    for (let round = 0; round < 4; round++) await poll()
    expect(performance.now() - begun).toBeLessThan(60_000)
    const stored = await platform.query<{ id: string; text: number; threadId: string; subject: string }>(
      `select internet_message_id as id, length(body_text) as text, thread_id as "threadId", subject from outreach.email_message
       where mailbox_id = $1 and direction = 'INBOUND' order by internet_message_id`,
      [box.id],
    )
    expect(stored.map(({ id }) => id)).toEqual(
      ['html', 'large', 'look', 'names', 'nested', 'parts'].map((id) => `<${id}@customer.example>`),
    )
    expect(Math.max(...stored.map(({ text }) => text))).toBeLessThanOrEqual(1_000_000)
    const lookalike = stored.find(({ id }) => id.startsWith('<look'))!
    expect(lookalike.threadId).not.toBe(mail.threadId)
    expect(lookalike.subject).not.toMatch(/[\r\n]/)
    expect((await threadOf(lookalike.threadId)).messages[0].references).toEqual(['<a@b.example>'])
  }, 120_000)
})

describe.skipIf(!hasDovecot)('a delivery report about a mail of a sequence', () => {
  it('keeps a mail that no thread can parse, without a failure or a try, and reads it with the next poll', async () => {
    const box = await aMailbox()
    await poll()
    await arrive(box.email, mailFrom('ida@customer.example', 'busy', []))
    const state = async () =>
      (
        await platform.query(
          `select last_uid::int, tries, failures, received_count::int from outreach.mailbox_state where id = $1`,
          [box.id],
        )
      )[0]
    const before = await state()
    const { work } = platform.services
    const held = Array.from({ length: 5 }, () => work.run(testTasks.sleep, 1000, member.organizationId, 'OUTSIDE'))
    await poll()
    expect(await state()).toEqual(before)
    await Promise.all(held)
    await poll()
    expect(await state()).toEqual({
      ...before,
      last_uid: (before as { last_uid: number }).last_uid + 1,
      received_count: 1,
    })
  })

  it('arrives in the mailbox of its sender and ends the enrollment', async () => {
    const sender = await platform.member()
    const box = await aMailbox({}, sender)
    await arrive(box.email, mailFrom('old@customer.example', 'older', []))
    await poll()
    const { id } = await aSequence(sender, [aMail(), aMail({ delayDays: 5 })])
    const to = `gone${++count}@customer.example`
    const { id: entityId } = await contact(sender, { email: to })
    const { body: enrollment } = await sender.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId } })
    await run(platform)
    await drain(outgoingEmailQueue, platform.services)
    const { text } = smtp.received.findLast((one) => one.to.includes(to))!
    const messageId = /^Message-ID: (\S+)/im.exec(text)![1]!
    await arrive(box.email, report(messageId, to, '5.1.1', '550 5.1.1 No such user'))
    await poll()
    await react(platform, sender)
    const { body } = await sender.rest.sequenceEnrollment!({ id: enrollment.id })
    expect([body.status, body.attempts[0].bouncedAt]).toEqual(['BOUNCED', platform.now.toISOString()])
  })
})

describe('a mailbox', () => {
  it('sends no more than its limits allow, and the other mails wait', async () => {
    const box = await aMailbox({ imapHost: null, perMinuteLimit: 2, dailyLimit: 3 })
    const to = () => `limit${++count}@customer.example`
    const before = smtp.received.length
    for (let mail = 0; mail < 5; mail++) await sendFrom(box.id, to())
    expect(smtp.received.length - before).toBe(2)
    platform.advanceClock(61_000)
    await ageQueueItems(platform.services, 'outreach.outgoing_email', 3_600_000)
    for (let round = 0; round < 4; round++) await drain(outgoingEmailQueue, platform.services)
    expect(smtp.received.length - before).toBe(3)
    const waiting = await platform.query(
      `select attempts, state from outreach.outgoing_email where sender_id = $1 and state = 'QUEUED'`,
      [box.id],
    )
    expect(waiting).toEqual([
      { attempts: 0, state: 'QUEUED' },
      { attempts: 0, state: 'QUEUED' },
    ])
  })

  it('keeps its passwords, which nobody reads and no change of the server takes along', async () => {
    const box = await aMailbox({ smtpUser: 'ann', smtpPassword: 'Correct horse 7!', isShared: true })
    const read = (await member.rest.mailbox!({ id: box.id })).body
    expect([read.smtpPassword, read.imapPassword]).toEqual(['[redacted]', '[redacted]'])
    const rows = await platform.query<{ row: string }>(
      `select row_to_json(m)::text as row from outreach.mailbox m where id = $1
       union all select data::text from kernel.event where record_id = $1`,
      [box.id],
    )
    expect(rows.map(({ row }) => row).join('\n')).not.toMatch(/Correct horse|"secret"/)
    const moved = await member.rest.mailboxUpdate!({
      id: box.id,
      body: { smtpHost: 'evil.example.com', smtpSecurity: 'TLS' },
    })
    expect([moved.status, moved.body.errors[0]]).toMatchObject([400, { path: 'smtpPassword', code: 'REQUIRED' }])
    const masked = await member.rest.mailboxUpdate!({ id: box.id, body: { smtpPassword: '[redacted]', name: 'B' } })
    expect(masked.body).toMatchObject({ name: 'B', smtpPassword: '[redacted]' })
    const colleague = await platform.member({ organizationId: member.organizationId, role: 'MEMBER' })
    expect((await colleague.rest.mailbox!({ id: box.id })).status).toBe(200)
    const foreign = await colleague.rest.mailboxUpdate!({ id: box.id, body: { name: 'C' } })
    expect([foreign.status, foreign.body.code]).toEqual([403, 'PERMISSION_DENIED'])
    const own = await aMailbox()
    expect((await colleague.rest.mailbox!({ id: own.id })).status).toBe(404)
    const used = await colleague.rest.emailSend!({
      body: { to: ['a@b.example'], subject: 'x', bodyText: 'x', mailboxId: own.id },
    })
    expect([used.status, used.body.errors[0]]).toMatchObject([400, { path: 'mailboxId', code: 'UNKNOWN_REFERENCE' }])
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    for (const call of [stranger.rest.mailbox!({ id: box.id }), stranger.rest.mailboxTest!({ id: box.id })])
      expect((await call).status).toBe(404)
  })

  it.each([
    [{ smtpHost: '10.0.0.1' }, 'smtpHost', 'ADDRESS_NOT_PUBLIC'],
    [{ smtpHost: '[::1]' }, 'smtpHost', 'NOT_A_HOST'],
    [{ smtpHost: 'a b' }, 'smtpHost', 'NOT_A_HOST'],
    [{ smtpHost: 'smtp.example.com', smtpSecurity: 'NONE' }, 'smtpSecurity', 'TLS_REQUIRED'],
    [{ smtpPort: 80 }, 'smtpPort', 'PORT_NOT_ALLOWED'],
    [{ smtpUser: 'a\r\nb' }, 'smtpUser', 'NOT_ONE_LINE'],
    [{ email: 'nobody' }, 'email', 'NOT_AN_EMAIL'],
    [{ imapHost: 'imap.example.com' }, 'imapUser', 'REQUIRED'],
  ])('refuses %j', async (values, path, code) => {
    const body = { name: 'x', email: `x${++count}@fjordline.example`, smtpHost: 'smtp.example.com', ...values }
    const before = await platform.fingerprint()
    const answer = await member.rest.mailboxCreate!({ body })
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]])
    expect(await platform.fingerprint()).toBe(before)
  })

  it('says why its server cannot be reached, and is read again later', async () => {
    const box = await aMailbox({ imapHost: 'nosuch.invalid', imapSecurity: 'TLS' })
    await poll()
    const { body } = await member.rest.emailImapStatus!({})
    const status = body.mailboxes.find(({ mailboxId }: { mailboxId: string }) => mailboxId === box.id)
    expect(status).toMatchObject({
      state: 'FAILING',
      consecutiveFailures: 1,
      lastError: 'The name of the host does not exist.',
    })
    expect((await member.rest.emailImapPoll!({})).body.queued).toBeGreaterThan(0)
    await member.rest.mailboxDelete!({ id: box.id })
  })
})
