import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LaneWorker } from '../../subgraphs/kernel/queue/lane-worker.ts'
import type { Lane } from '../../subgraphs/kernel/queue/queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { organizationContext } from '../../subgraphs/outreach/email/organization-context.ts'
import { imapClient, verifySmtp } from '../../subgraphs/outreach/mailbox/connect.ts'
import { mailboxPollQueue } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { mailbox } from '../../subgraphs/outreach/mailbox/mailbox.record.ts'
import type { Mailbox } from '../../subgraphs/outreach/mailbox/mailbox.ts'
import { pollMailbox } from '../../subgraphs/outreach/mailbox/poll-mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const sockets = new Set<Socket>()
let member: Member

/** Greets with one line, and sends a line again and again, but never an answer. */
const dripping = (greeting: string, line: string): Server =>
  createServer((socket) => {
    sockets.add(socket)
    const timer = setInterval(() => socket.write(line), 20)
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(timer)
        sockets.delete(socket)
      })
    socket.write(greeting)
  })
const [imap, smtp] = [
  dripping('* OK Hello\r\n', '* OK still here\r\n'),
  dripping('220-Hello\r\n', '220-still here\r\n'),
]
const portOf = (server: Server): number => (server.address() as AddressInfo).port

beforeAll(async () => {
  await Promise.all([imap, smtp, slow, good].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  member = await platform.member()
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of [imap, smtp, slow, good]) server.close()
})

/** An IMAP server without mails; with `drips`, it only sends lines once somebody has signed in. */
function imapServer(drips: boolean): Server {
  return createServer((socket) => {
    sockets.add(socket)
    const timers: NodeJS.Timeout[] = []
    const replies: Readonly<Record<string, string>> = {
      CAPABILITY: '* CAPABILITY IMAP4rev1\r\n',
      EXAMINE: '* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 1] ok\r\n',
      LIST: '* LIST (\\HasNoChildren) "/" INBOX\r\n',
    }
    const answer = (line: string): void => {
      const [tag, command = ''] = line.split(' ')
      if (drips && command.toUpperCase() === 'EXAMINE')
        timers.push(setInterval(() => socket.write('* OK still here\r\n'), 20))
      else socket.write(`${replies[command.toUpperCase()] ?? ''}${tag} OK done\r\n`)
    }
    socket
      .on('data', (data) => data.toString().split('\r\n').filter(Boolean).forEach(answer))
      .on('error', () => undefined)
      .on('close', () => {
        timers.forEach(clearInterval)
        sockets.delete(socket)
      })
    socket.write('* OK Hello\r\n')
  })
}
const [slow, good] = [imapServer(true), imapServer(false)]

const aMailbox = async (by: Member, name: string, server: Server): Promise<Mailbox> => {
  const { status, body } = await by.rest.mailboxCreate!({
    body: {
      name,
      email: `${name.toLowerCase()}@fjordline.example`,
      smtpHost: '127.0.0.1',
      smtpPort: portOf(smtp),
      smtpSecurity: 'NONE',
      imapHost: '127.0.0.1',
      imapPort: portOf(server),
      imapSecurity: 'NONE',
      imapUser: 'ann',
      imapPassword: 'secret',
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return recordsOf(mailbox).require(organizationContext(platform.services, by.organizationId), body.id as string)
}

it('a poll ends at its deadline, although the server goes on sending lines after the sign-in', async () => {
  const box = await aMailbox(member, 'Slow', slow)
  const poll = pollMailbox(platform.services, box, 300)
  await expect(poll).rejects.toThrow('The mail server did not finish within 0.3 seconds.')
  await expect.poll(() => sockets.size).toBe(0)
})

const pollsOf = (box: Mailbox) =>
  platform.query(
    `select p.state, p.attempts, s.failures from outreach.mailbox_poll p left join outreach.mailbox_state s using (organization_id)
     where p.organization_id = $1 and p.mailbox_id = $2 and s.id = p.mailbox_id order by p.created_at`,
    [box.organizationId, box.id],
  )

it('servers of three organizations that only send lines do not stop the polls of another', async () => {
  const ends: (() => unknown)[] = []
  try {
    for (const name of ['First', 'Second', 'Third']) {
      const attacker = await platform.member({ organizationId: await platform.organization(name) })
      for (let at = 0; at < 4; at++) await aMailbox(attacker, `${name}${at}`, slow)
      expect((await attacker.rest.emailImapPoll!({})).body.queued).toBe(4)
    }
    const fresh = new LaneWorker(mailboxPollQueue, platform.services, 'fresh')
    const running = fresh.run()
    ends.push(async () => {
      fresh.stop()
      // A lease that had begun may still start polls.
      const closing = setInterval(() => sockets.forEach((socket) => socket.destroy()), 20)
      await running
      clearInterval(closing)
    })
    // Each of them holds the two slots that it may have.
    await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(6)
    const watched = await platform.member({ organizationId: await platform.organization('Watched') })
    const box = await aMailbox(watched, 'Watched', good)
    expect((await watched.rest.emailImapPoll!({})).body.queued).toBe(1)
    fresh.wake()
    await expect.poll(() => pollsOf(box), { timeout: 30_000 }).toEqual([{ state: 'DONE', attempts: 1, failures: 0 }])
    expect(sockets.size).toBe(6)
  } finally {
    for (const end of ends.toReversed()) await end()
    // The attackers' other polls must not wait for the tests that follow.
    await platform.query('delete from outreach.mailbox_poll')
  }
})

it('a mailbox whose last poll failed is polled in the lane of retries until one succeeds', async () => {
  const by = await platform.member({ organizationId: await platform.organization('Failing') })
  const box = await aMailbox(by, 'Failing', imap)
  const poll = async (lanes: readonly Lane[]) => {
    expect((await by.rest.emailImapPoll!({})).body.queued).toBe(1)
    await drain(mailboxPollQueue, platform.services, lanes)
    return (await pollsOf(box)).at(-1)
  }
  await platform.query(`update outreach.mailbox set imap_port = 1 where id = $1`, [box.id])
  expect(await poll(['fresh'])).toEqual({ state: 'FAILED', attempts: 1, failures: 1 })
  await platform.query(`update outreach.mailbox set imap_port = $2 where id = $1`, [box.id, portOf(good)])
  expect(await poll(['fresh'])).toEqual({ state: 'QUEUED', attempts: 1, failures: 1 })
  await drain(mailboxPollQueue, platform.services, ['retry'])
  expect((await pollsOf(box)).at(-1)).toEqual({ state: 'DONE', attempts: 2, failures: 0 })
  expect(await poll(['fresh'])).toEqual({ state: 'DONE', attempts: 1, failures: 0 })
})

it.each(['IMAP', 'SMTP'])(
  'an %s server that only sends lines is given up, and its connection is closed',
  async (name) => {
    const box = await aMailbox(member, name, imap)
    const work = name === 'IMAP' ? imapClient(platform.services, box, {}, 300) : verifySmtp(platform.services, box, 300)
    await expect(work).rejects.toThrow('The mail server did not finish within 0.3 seconds.')
    await expect.poll(() => sockets.size).toBe(0)
  },
)
