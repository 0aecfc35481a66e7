import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess } from '../processes.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const imap = new DovecotServer()
const patience = { timeout: 60_000, interval: 5 }
const mails = 3
/** Transactions that wait to store a mail. */
const waits = `select from pg_locks where relation = 'outreach.email_message'::regclass and not granted`
let member: Member

beforeAll(async () => {
  if (hasDovecot) await imap.start()
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})
afterAll(() => imap.stop())

const email = 'killed@fjordline.example'

async function arrive(): Promise<void> {
  const auth = { user: email, pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port: imap.port, secure: false, logger: false, auth })
  await client.connect()
  for (let index = 0; index < mails; index++)
    await client.append(
      'INBOX',
      `From: ida@customer.example\r\nTo: ${email}\r\nSubject: Slots ${index}\r\nMessage-ID: <k${index}@customer.example>\r\n\r\nYes`,
    )
  await client.logout()
}

const stored = async (): Promise<string[]> =>
  (
    await platform.query<{ id: string }>(
      `select internet_message_id as id from outreach.email_message where organization_id = $1 order by created_at, id`,
      [member.organizationId],
    )
  ).map(({ id }) => id)

describe.skipIf(!hasDovecot)('a worker that is killed while it reads a mailbox', { timeout: 240_000 }, () => {
  it('stores every mail once when it dies between the fetch and the commit', async () => {
    const { body: box } = await member.rest.mailboxCreate!({
      body: {
        name: 'Ann',
        email,
        smtpHost: '127.0.0.1',
        smtpPort: 2525,
        smtpSecurity: 'NONE',
        imapHost: '127.0.0.1',
        imapPort: imap.port,
        imapSecurity: 'NONE',
        imapUser: email,
        imapPassword: 'secret',
      },
    })
    const worker = await aProcess(
      ['bin/run', 'worker'],
      {
        DATABASE_URL: platform.services.databaseUrl,
        DATA_DIR: platform.dataDir,
        OUTBOUND_ALLOW: '127.0.0.1',
        LOG_LEVEL: 'warn',
        DEMO: 'off',
      },
      '',
    )
    onTestFinished(() => worker.kill())
    /** Starts the worker with a poll; the lease of the killed worker has passed. */
    const start = async () => {
      await platform.query(`delete from outreach.mailbox_poll where mailbox_id = $1`, [box.id])
      expect((await member.rest.emailImapPoll!({})).body.queued).toBe(1)
      worker.launch()
    }
    const state = async () =>
      (
        await platform.query<{ received: number }>(
          'select received_count::int as received from outreach.mailbox_state where id = $1',
          [box.id],
        )
      )[0]
    // The first poll begins with the next mail.
    expect((await member.rest.emailImapPoll!({})).body.queued).toBe(1)
    await drain(mailboxPollQueue, platform.services)
    expect(await state()).toMatchObject({ received: 0 })
    await arrive()

    // The worker has fetched the first mail and cannot commit it.
    await platform.services.database.transaction(async (sql) => {
      await sql.query('lock table outreach.email_message in exclusive mode')
      await start()
      await vi.waitFor(async () => expect(await platform.query(waits)).toHaveLength(1), patience)
      await worker.kill()
    })
    expect([await stored(), await state()]).toMatchObject([[], { received: 0 }])
    await start()
    await vi.waitFor(async () => expect(await state()).toMatchObject({ received: mails }), patience)
    await worker.kill()
    expect((await stored()).toSorted()).toEqual(
      Array.from({ length: mails }, (_, n) => `<k${n}@customer.example>`).toSorted(),
    )
  })
})
