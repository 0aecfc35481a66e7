import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { emptyTables, freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { drain, ageQueueItems } from '../queue/queue.fixture.ts'
import { QueueWorker } from '../queue/queue-worker.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../request.ts'
import { platformId } from '../secrets/vault.ts'
import { attemptsMax, mailLeaseMs, mailQueue, mailTable, retryAfterMs } from './mail-queue.ts'
import { RecordingMailer } from './mail.fixture.ts'
import { mailJobs } from './mail.jobs.ts'
import { openMailer } from './mailer.ts'
import { type Mailer } from './outgoing-mail.ts'
import { MailRefused } from './message.ts'
import type { MailKind } from './mail-limits.ts'
import { queueMail } from './queue-mail.ts'
import { SmtpReceiver } from './smtp.fixture.ts'

const start = '2027-03-01T12:00:00.000Z'
const minute = 60_000
const order = { to: 'ann@example.com', subject: 'Grüße', text: 'Code 1234', html: '<p>Code 1234</p>' }
let fresh: FreshDatabase
let clock: ReturnType<typeof manualClock>
let mailer: RecordingMailer
let services: Services
let ctx: RequestContext<'vault'>

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await emptyTables(fresh.database)
  clock = manualClock(start)
  mailer = new RecordingMailer()
  services = { ...servicesOf(fresh.database, clock), mailer }
  ctx = systemContext(services, '')
  await services.vault.load(platformId)
})

const expiresAt = new Date(Date.parse(start) + 5 * 86_400_000)
const unlimited: MailKind = { name: 'TEST', of: 'ORGANIZATION', guard: null, limits: [] }
const queue = (more: object = {}, inner = ctx) => {
  const { to, kind, withheld, ...draft } = { ...order, kind: unlimited, withheld: false, expiresAt, ...more }
  return queueMail(inner, { to, kind, withheld }, async () => draft)
}
const rows = () =>
  fresh.database.query(
    'select state, attempts, content is null as "isEmpty", last_error as error from kernel.mail order by id',
  )
/** Retries and leases use the clock of the database, everything else uses the clock of the platform. */
const pass = async (ms: number) => {
  clock.set(new Date(clock.now().getTime() + ms).toISOString())
  await ageQueueItems(services, mailTable.table, ms)
}
/** Longer than a test takes. */
const aMoment = 30_000
const suspended = new Set<string>()
/** No mail here is about a record. */
const unused = () => Promise.reject(new Error('not used'))
const userMails = mailQueue({ refusalOf: unused, failed: unused }, (_services, id) =>
  Promise.resolve(suspended.has(id)),
)
const deliverMail = (sending: Services) => drain(userMails, sending)
const [deleteOldMail] = mailJobs

describe('mail', () => {
  it('is sent once, from a row whose content is encrypted and is removed afterwards', async () => {
    await queue()
    const [{ content }] = (await fresh.database.query('select content from kernel.mail')) as [{ content: string }]
    expect(Buffer.from(content, 'base64url').toString()).not.toContain('1234')
    await Promise.all([deliverMail(services), deliverMail(services)])
    await deliverMail(services)
    expect(mailer.sent).toMatchObject([{ ...order, date: new Date(start) }])
    expect(await rows()).toEqual([{ state: 'SENT', attempts: 1, isEmpty: true, error: null }])
  })

  it('of an organization with many does not delay those of another one and of the platform', async () => {
    const [busy, watched] = [newId(), newId()]
    const queueFor = (organizationId: string, to: string) => queue({ to }, systemContext(services, organizationId))
    for (let number = 0; number < 60; number++) await queueFor(busy, `busy${number}@example.com`)
    await queueFor(watched, 'watched@example.com')
    await queueFor('', 'person@example.com')
    await drain(userMails, services, ['fresh'])
    const order = mailer.sent.map(({ to }) => to)
    expect([order.length, new Set(order).size]).toEqual([62, 62])
    // Of the first twelve, six are leased at once, and each of them makes room for one more.
    expect(order.slice(0, 12)).toEqual(expect.arrayContaining(['watched@example.com', 'person@example.com']))
  })

  it('that a process of an earlier version has leased and sent is not sent again', async () => {
    await queue()
    const lease = `update kernel.mail set lease_token = gen_random_uuid(), attempts = 1, next_attempt_at = now() + interval '2 minutes'`
    await fresh.database.query(lease)
    await deliverMail(services)
    await fresh.database.query(`update kernel.mail set lease_token = null, state = 'SENT', next_attempt_at = now()`)
    await deliverMail(services)
    expect(mailer.sent).toEqual([])
  })

  it('is not sent when the transaction that queued it fails', async () => {
    const failing = inTransaction(ctx, async (inner) => {
      await queue({}, inner)
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    await deliverMail(services)
    expect([mailer.sent, await rows()]).toEqual([[], []])
  })

  it('is retried with growing delays, and fails after ten attempts', async () => {
    mailer.failures.push(...Array.from({ length: attemptsMax }, () => new Error('away')))
    await queue()
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      await deliverMail(services)
      expect(await rows()).toEqual([{ state: 'QUEUED', attempts: attempt, isEmpty: false, error: 'away' }])
      await pass(retryAfterMs(attempt) - aMoment)
      await deliverMail(services)
      expect(await rows()).toMatchObject([{ attempts: attempt }])
      await pass(aMoment)
    }
    await deliverMail(services)
    expect(await rows()).toEqual([{ state: 'FAILED', attempts: attemptsMax, isEmpty: true, error: 'away' }])
    expect([1, 2, 3, 4, 5, 6, 9].map((attempt) => retryAfterMs(attempt) / minute)).toEqual([
      1, 4, 16, 64, 256, 360, 360,
    ])
  })

  it('is not retried when the server permanently refuses the address, and not sent after it has expired', async () => {
    mailer.failures.push(new MailRefused('no such user'))
    await queue()
    await deliverMail(services)
    await queue({ expiresAt: new Date(start) })
    await deliverMail(services)
    expect(mailer.sent).toEqual([])
    expect(await rows()).toMatchObject([
      { state: 'FAILED', isEmpty: true },
      { state: 'EXPIRED', isEmpty: true },
    ])
  })

  it('is never sent when it is withheld', async () => {
    await queue({ withheld: true })
    await deliverMail(services)
    await deleteOldMail!.run(services)
    expect([mailer.sent, await rows()]).toEqual([[], [{ state: 'WITHHELD', attempts: 0, isEmpty: true, error: null }]])
    await pass(30 * 86_400_000 + 1)
    await deleteOldMail!.run(services)
    expect(await rows()).toEqual([])
  })

  it('is sent by another process when one died during an attempt, and a late outcome of that attempt is ignored', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const hanging: Mailer = {
      from: 'crm@example.com',
      sendForUser: () => Promise.reject(new Error('not used')),
      close: () => undefined,
      async send() {
        begun.resolve()
        await end.promise
        throw new Error('too late')
      },
    }
    await queue()
    // Without its `retry` lane, which could be late and lease the mail a second time.
    const dying = drain(userMails, { ...services, mailer: hanging }, ['fresh'])
    await begun.promise
    await pass(mailLeaseMs - aMoment)
    await deliverMail(services)
    expect(mailer.sent).toEqual([])
    await pass(aMoment)
    await deliverMail(services)
    end.resolve()
    await dying
    expect(mailer.sent).toHaveLength(1)
    expect(await rows()).toEqual([{ state: 'SENT', attempts: 2, isEmpty: true, error: null }])
  })

  it('is sent as soon as its transaction has committed', async () => {
    const delivery = await QueueWorker.start(services, fresh.url, [userMails])
    onTestFinished(() => delivery.close())
    await inTransaction(ctx, (inner) => queue({}, inner))
    await vi.waitFor(async () => expect(await rows()).toMatchObject([{ state: 'SENT' }]), { timeout: 10_000 })
    expect(mailer.sent).toHaveLength(1)
  })
})

describe('limits', () => {
  const perMailbox = (isSilent: boolean): MailKind => ({
    name: 'TEST',
    of: 'ORGANIZATION',
    guard: null,
    limits: [{ by: ['MAILBOX'], max: 3, windowMs: 10 * minute, isSilent }],
  })
  const variants = ['victim@gmail.com', 'v.ictim@gmail.com', 'victim+1@googlemail.com', 'Vic.tim+2@gmail.com']

  it('refuse with the seconds to wait, for all spellings of one mailbox, and queue nothing', async () => {
    const kind = perMailbox(false)
    for (const to of variants.slice(0, 3)) expect(await queue({ to, kind })).toBe(true)
    await pass(minute)
    await expect(inTransaction(ctx, (inner) => queue({ to: variants[3], kind }, inner))).rejects.toMatchObject({
      code: 'MAIL_RATE_LIMITED',
      extensions: { retryAfter: 540 },
    })
    expect(await rows()).toHaveLength(3)
    expect(await queue({ to: 'other@gmail.com', kind })).toBe(true)
    await pass(9 * minute)
    expect(await queue({ to: variants[3], kind })).toBe(true)
  })

  it('leave out a mail silently if the limit is silent, and make no draft', async () => {
    const kind = perMailbox(true)
    for (const to of variants.slice(0, 3)) await queue({ to, kind, withheld: true })
    const draft = () => Promise.reject(new Error('a draft was made'))
    expect(await queueMail(ctx, { to: variants[3]!, kind }, draft)).toBe(false)
    expect(await rows()).toHaveLength(3)
  })

  it('count all mails of concurrent requests', async () => {
    const kind = perMailbox(true)
    // Creates the data key.
    await queue()
    const asked = await Promise.all(
      Array.from({ length: 12 }, () => inTransaction(ctx, (inner) => queue({ to: variants[0], kind }, inner))),
    )
    expect(asked.filter((isQueued) => isQueued)).toHaveLength(3)
    expect(await rows()).toHaveLength(1 + 3)
  })

  it('are deleted when their window has ended', async () => {
    await queue({ kind: perMailbox(true) })
    const counts = () => fresh.database.query('select mails from kernel.mail_count')
    await deleteOldMail!.run(services)
    expect(await counts()).toEqual([{ mails: 1 }])
    await pass(10 * minute + 1)
    await deleteOldMail!.run(services)
    expect(await counts()).toEqual([])
  })
})

describe('mailers', () => {
  it('SMTP: sends with sender, Message-ID of the row, text and HTML; a refused address is final', async () => {
    const receiver = new SmtpReceiver()
    const smtpUrl = await receiver.start()
    onTestFinished(() => receiver.stop())
    const config = { smtpUrl, mailFrom: 'Fjordline CRM <crm@fjordline.example>', dataDir: '' }
    const bySmtp = { ...services, mailer: openMailer(config, services.log) }
    receiver.refusals.set('gone@example.com', 550).set('busy@example.com', 451)
    await queue()
    await queue({ to: 'gone@example.com' })
    await queue({ to: 'busy@example.com' })
    await deliverMail(bySmtp)

    const [{ id }] = (await fresh.database.query('select id from kernel.mail order by id')) as [{ id: string }]
    expect(receiver.received.map(({ to }) => to)).toEqual([['ann@example.com']])
    const { text } = receiver.received[0]!
    expect(text).toContain('From: Fjordline CRM <crm@fjordline.example>\r\n')
    expect(text).toContain(`Message-ID: <${id}@fjordline.example>\r\n`)
    expect(text).toContain('Auto-Submitted: auto-generated\r\n')
    expect(text).toContain('Content-Type: text/plain; charset=utf-8\r\n')
    expect(text).toContain('Content-Type: text/html; charset=utf-8\r\n')
    expect(await rows()).toMatchObject([{ state: 'SENT' }, { state: 'FAILED' }, { state: 'QUEUED', attempts: 1 }])

    receiver.refusals.clear()
    await pass(minute)
    await deliverMail(bySmtp)
    expect(receiver.received.map(({ to }) => to)).toEqual([['ann@example.com'], ['busy@example.com']])
  })

  it.each([
    'victim@corp.example(1.x',
    'victim@corp.example, eve@example.com',
    'Eve <victim@corp.example>',
    'victim@corp.example>\r\nRCPT TO:<eve@example.com',
    'victim\u0001@corp.example',
    'Victim@corp.example',
  ])('SMTP: sends nothing to %j, even if it is in the row', async (to) => {
    const receiver = new SmtpReceiver()
    const smtpUrl = await receiver.start()
    onTestFinished(() => receiver.stop())
    const bySmtp = openMailer({ smtpUrl, mailFrom: 'crm@example.com', dataDir: '' }, services.log)
    await queue({ to, subject: 'Hello\r\nBcc: eve@example.com' })
    await queue({ subject: 'Hello\r\nBcc: eve@example.com' })
    await deliverMail({ ...services, mailer: bySmtp })
    expect(await rows()).toMatchObject([{ state: 'FAILED', attempts: 1, isEmpty: true }, { state: 'SENT' }])
    expect(receiver.received.map(({ to: reached }) => reached)).toEqual([['ann@example.com']])
    expect(receiver.received[0]!.text).not.toMatch(/^Bcc:/m)
  })

  it('SMTP: retries when the server is down', async () => {
    const receiver = new SmtpReceiver()
    const smtpUrl = await receiver.start()
    await receiver.stop()
    const away = openMailer({ smtpUrl, mailFrom: 'crm@example.com', dataDir: '' }, services.log)
    await queue()
    await deliverMail({ ...services, mailer: away })
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 1, isEmpty: false }])
  })

  it('files: have attachments with exactly their bytes', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'crm-mail-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    const log = pino({ level: 'silent' })
    const writing = {
      ...services,
      mailer: openMailer({ smtpUrl: null, mailFrom: 'CRM <no-reply@example.com>', dataDir }, log),
    }
    const content = Buffer.from([0, 13, 10, 255, 37, 80, 68, 70])
    await queue({ attachments: [{ filename: 'Angebot ä.pdf', contentType: 'application/pdf', content }] })
    await deliverMail(writing)
    const [file] = await readdir(join(dataDir, 'mail'))
    const message = await readFile(join(dataDir, 'mail', file!), 'utf8')
    expect(message).toContain('Content-Type: application/pdf')
    expect(message).toContain(content.toString('base64'))
    expect(message).toContain("filename*0*=utf-8''Angebot%20%C3%A4.pdf")
  })

  it('files: one for each mail, also after several attempts, and named in the log', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'mail-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const files = openMailer({ smtpUrl: null, mailFrom: 'crm@example.com', dataDir }, log)
    const mail = { ...order, id: 'a1', date: new Date(start) }
    await files.send(mail)
    await files.send(mail)
    expect(await readdir(join(dataDir, 'mail'))).toEqual(['2027-03-01T120000.000Z-a1.eml'])
    const text = await readFile(join(dataDir, 'mail', '2027-03-01T120000.000Z-a1.eml'), 'utf8')
    expect(text).toContain('To: ann@example.com\r\n')
    expect(text).toContain('Code 1234')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('SMTP_URL is not set: the mail was written to a file')
  })
})
