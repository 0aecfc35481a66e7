import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue, queueDuePolls } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { MailboxWatcher } from '../../subgraphs/outreach/mailbox/mailbox-watcher.ts'
import type { Member, Platform } from '../platform.ts'

export const patience = { timeout: 20_000, interval: 20 }
const everyMs = 50

/** Mailboxes on a Dovecot server, and the watchers that wait for their mails. */
export function useWatchedMailboxes(platform: Platform) {
  const imap = new DovecotServer()
  /** Passes connections on to Dovecot, and can cut them. */
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(imap.port, '127.0.0.1')
    sockets.add(client)
    client.on('error', () => undefined).on('close', () => server.destroy())
    server.on('error', () => undefined).on('close', () => client.destroy())
    client.pipe(server).pipe(client)
  })
  let proxyPort: number

  beforeAll(async () => {
    if (!hasDovecot) return
    await imap.start()
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    proxyPort = (proxy.address() as AddressInfo).port
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    imap.stop()
  })

  let count = 0

  async function aMailbox(owner: Member, imapPort = imap.port) {
    const email = `idle${++count}@fjordline.example`
    const { status, body } = await owner.rest.mailboxCreate!({
      body: {
        name: 'Ann',
        email,
        smtpHost: '127.0.0.1',
        smtpPort: 2525,
        smtpSecurity: 'NONE',
        imapHost: '127.0.0.1',
        imapPort,
        imapSecurity: 'NONE',
        imapUser: email,
        imapPassword: 'secret',
      },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body as { id: string; email: string }
  }

  async function arrive(user: string, id: string) {
    const auth = { user, pass: 'secret' }
    const client = new ImapFlow({ host: '127.0.0.1', port: imap.port, secure: false, logger: false, auth })
    await client.connect()
    const head = `From: ida@customer.example\r\nTo: ${user}\r\nSubject: Slots\r\nMessage-ID: <${id}@customer.example>\r\n`
    await client.append('INBOX', `${head}\r\nYes`)
    await client.logout()
  }

  /** Only a mailbox that was read without an error is watched. */
  async function pollAll() {
    await queueDuePolls.run(platform.services)
    await drain(mailboxPollQueue, platform.services)
  }

  function aWatcher(connectionsMax = 100) {
    const watcher = new MailboxWatcher(platform.services, { everyMs, connectionsMax })
    onTestFinished(() => watcher.close())
    return watcher
  }

  const waiting = async () =>
    (
      await platform.query<{ id: string }>(`select mailbox_id as id from outreach.mailbox_poll where state = 'QUEUED'`)
    ).map(({ id }) => id)
  const stored = async (id: string) =>
    platform.query('select subject from outreach.email_message where internet_message_id = $1', [
      `<${id}@customer.example>`,
    ])
  const aMember = async (name: string) => platform.member({ organizationId: await platform.organization(name) })
  return { sockets, proxyPort: () => proxyPort, aMailbox, arrive, pollAll, aWatcher, waiting, stored, aMember }
}
