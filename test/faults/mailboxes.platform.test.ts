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
const mails = 60
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
  it('stores every mail once, whenever it dies', async () => {
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
        await platform.query<{ lastUid: number; triedUid: number | null; received: number }>(
          `select last_uid::int as "lastUid", tried_uid::int as "triedUid", received_count::int as received
           from outreach.mailbox_state where id = $1`,
          [box.id],
        )
      )[0]
    // The first poll begins with the next mail.
    expect((await member.rest.emailImapPoll!({})).body.queued).toBe(1)
    await drain(mailboxPollQueue, platform.services)
    expect(await state()).toMatchObject({ received: 0 })
    await arrive()

    for (const part of [0.2, 0.5]) {
      await start()
      // A mail that was tried and is not stored: the worker is between its fetch and its commit.
      await vi.waitFor(async () => {
        const { lastUid, triedUid, received } = (await state())!
        expect(received).toBeGreaterThan(mails * part)
        expect(triedUid).toBeGreaterThan(lastUid)
      }, patience)
      await worker.kill()
      const ids = await stored()
      expect(ids).toHaveLength((await state())!.received)
      expect(ids.length).toBeLessThan(mails)
    }
    await start()
    await vi.waitFor(async () => expect(await stored()).toHaveLength(mails), patience)
    await vi.waitFor(
      async () =>
        expect(await platform.query(`select state from outreach.mailbox_poll where state <> 'DONE'`)).toEqual([]),
      patience,
    )
    await worker.kill()
    expect((await stored()).toSorted()).toEqual(
      Array.from({ length: mails }, (_, n) => `<k${n}@customer.example>`).toSorted(),
    )
    expect((await state())!.received).toBe(mails)
  })
})
