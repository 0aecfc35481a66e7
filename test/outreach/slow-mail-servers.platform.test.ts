import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { organizationContext } from '../../subgraphs/outreach/email/organization-context.ts'
import { imapClient, verifySmtp } from '../../subgraphs/outreach/mailbox/connect.ts'
import { mailbox } from '../../subgraphs/outreach/mailbox/mailbox.record.ts'
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
  await Promise.all([imap, smtp].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  member = await platform.member()
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  imap.close()
  smtp.close()
})

it.each(['IMAP', 'SMTP'])(
  'an %s server that only sends lines is given up, and its connection is closed',
  async (name) => {
    const { status, body } = await member.rest.mailboxCreate!({
      body: {
        name,
        email: `${name.toLowerCase()}@fjordline.example`,
        smtpHost: '127.0.0.1',
        smtpPort: portOf(smtp),
        smtpSecurity: 'NONE',
        imapHost: '127.0.0.1',
        imapPort: portOf(imap),
        imapSecurity: 'NONE',
        imapUser: 'ann',
        imapPassword: 'secret',
      },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const box = await recordsOf(mailbox).require(organizationContext(platform.services, member.organizationId), body.id)
    const work = name === 'IMAP' ? imapClient(platform.services, box, {}, 300) : verifySmtp(platform.services, box, 300)
    await expect(work).rejects.toThrow('The mail server did not finish within 0.3 seconds.')
    await expect.poll(() => sockets.size).toBe(0)
  },
)
