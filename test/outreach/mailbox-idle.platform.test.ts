import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue, queueDuePolls } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { MailboxWatcher } from '../../subgraphs/outreach/mailbox/mailbox-watcher.ts'
import { each } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const imap = new DovecotServer()
const patience = { timeout: 20_000, interval: 20 }
const everyMs = 50
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

describe.skipIf(!hasDovecot)('waiting for mails', () => {
  it('queues a poll when a mail arrives, in one process, and again after the connection was lost', async () => {
    const member = await aMember('Idle')
    const box = await aMailbox(member, proxyPort)
    await pollAll()
    const watchers = [aWatcher(), aWatcher()]
    const watched = () => watchers.reduce((sum, one) => sum + one.watched, 0)
    await vi.waitFor(() => expect(watched()).toBe(1), patience)
    // The poll for what arrived before.
    await vi.waitFor(async () => expect(await waiting()).toEqual([box.id]), patience)
    await drain(mailboxPollQueue, platform.services)

    const [first, second] = [newId(), newId()]
    await arrive(box.email, first)
    await vi.waitFor(async () => expect(await waiting()).toEqual([box.id]), patience)
    await drain(mailboxPollQueue, platform.services)
    expect(await stored(first)).toHaveLength(1)

    for (const socket of sockets) socket.destroy()
    await vi.waitFor(() => expect(watched()).toBe(0), patience)
    // The lease ends after the connection.
    const leaseSeconds = () =>
      platform.query<{ seconds: number }>(
        `select extract(epoch from watched_until - clock_timestamp())::float as seconds from outreach.mailbox_state where id = $1`,
        [box.id],
      )
    await vi.waitFor(async () => expect((await leaseSeconds())[0]!.seconds).toBeLessThanOrEqual(5), patience)
    await arrive(box.email, second)
    await vi.waitFor(() => expect(watched()).toBe(1), patience)
    await vi.waitFor(async () => expect(await waiting()).toEqual([box.id]), patience)
    await drain(mailboxPollQueue, platform.services)
    expect(await stored(second)).toHaveLength(1)

    expect((await member.rest.mailboxUpdate!({ id: box.id, body: { isEnabled: false } })).status).toBe(200)
    await vi.waitFor(() => expect(watched()).toBe(0), patience)
    const leases = 'select id from outreach.mailbox_state where id = $1 and watch_token is not null'
    await vi.waitFor(async () => expect(await platform.query(leases, [box.id])).toEqual([]), patience)
  }, 90_000)

  it('has no more connections than a process may have; another process opens the others', async () => {
    const members = await each(['One', 'Two', 'Three'], aMember)
    for (const member of members) await aMailbox(member)
    await pollAll()
    const one = aWatcher(2)
    await vi.waitFor(() => expect(one.watched).toBe(2), patience)
    const other = aWatcher(2)
    await vi.waitFor(() => expect(other.watched).toBeGreaterThanOrEqual(1), patience)
    expect([one.watched, other.watched <= 2]).toEqual([2, true])
  }, 90_000)

  it('has at most ten connections for an organization, and ends them with the process', async () => {
    const member = await aMember('Many mailboxes')
    const boxes = await each(
      Array.from({ length: 11 }, (_, index) => index),
      () => aMailbox(member),
    )
    await pollAll()
    // Mailboxes of other tests may be watched, too.
    const leased = () =>
      platform.query(
        'select count(*)::int as n from outreach.mailbox_state where id = any($1) and watch_token is not null',
        [boxes.map(({ id }) => id)],
      )
    const [one, other] = [aWatcher(), aWatcher()]
    await vi.waitFor(async () => expect(await leased()).toEqual([{ n: 10 }]), patience)
    await vi.waitFor(() => expect(one.watched + other.watched).toBeGreaterThanOrEqual(10), patience)
    expect(await leased()).toEqual([{ n: 10 }])
    await Promise.all([one.close(), other.close()])
    expect(await leased()).toEqual([{ n: 0 }])
    aWatcher()
    await vi.waitFor(async () => expect(await leased()).toEqual([{ n: 10 }]), patience)
  }, 60_000)

  it('queues one poll for what a server announces within a second, however often', async () => {
    const member = await aMember('Flood')
    const box = await aMailbox(member, proxyPort)
    await pollAll()
    sockets.clear()
    const watcher = aWatcher()
    await vi.waitFor(() => expect(watcher.watched).toBeGreaterThan(0), patience)
    await vi.waitFor(async () => expect(await waiting()).toContain(box.id), patience)

    const statements = await statementsOf(
      platform,
      async () => {
        for (let n = 1; n <= 5_000; n++) for (const socket of sockets) socket.write(`* ${n} EXISTS\r\n`)
        await platform.query('delete from outreach.mailbox_poll')
        await vi.waitFor(async () => expect(await waiting()).toContain(box.id), patience)
      },
      /insert into outreach\.mailbox_poll/,
    )
    // The other mailboxes of this file are polled once each.
    expect(statements.length).toBeLessThan(20)
  }, 60_000)
})
