import { describe, expect, it, onTestFinished } from 'vitest'
import { CountingSmtpServer } from './counting-smtp.fixture.ts'
import { MailRefused } from './message.ts'
import { SmtpMailer } from './smtp-mailer.ts'
import { SmtpPools } from './smtp-pools.ts'
import { pooledTransport, sendOver } from './smtp-transport.ts'

async function aServer() {
  const server = new CountingSmtpServer()
  const port = await server.start()
  onTestFinished(() => server.stop())
  return { server, port }
}

async function aMailer() {
  const { server, port } = await aServer()
  const mailer = new SmtpMailer(`smtp://127.0.0.1:${port}`, 'CRM <crm@example.com>')
  onTestFinished(() => mailer.close())
  const send = (id: string, to = 'ann@example.com') =>
    mailer.send({ id, to, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>', date: new Date(0) })
  return { server, mailer, send }
}

const ids = (server: CountingSmtpServer): string[] => server.received.map(({ messageId }) => messageId)
const idOf = (id: string): string => `<${id}@example.com>`
const numbers = (length: number): string[] => Array.from({ length }, (_, index) => `m${index}`)

describe('the mailer of the platform', () => {
  it('sends the mails one after the other over one connection, and 100 of them at most', async () => {
    const { server, send } = await aMailer()
    for (const id of numbers(101)) await send(id)
    expect(ids(server)).toEqual(numbers(101).map(idOf))
    expect([server.connections, server.openMost]).toEqual([2, 1])
  })

  it('has at most ten connections, and none when it is closed', async () => {
    const { server, mailer, send } = await aMailer()
    await Promise.all(numbers(60).map((id) => send(id)))
    expect(ids(server).toSorted()).toEqual(numbers(60).map(idOf).toSorted())
    expect([server.connections, server.openMost]).toEqual([10, 10])
    mailer.close()
    await server.untilClosed()
    await expect(send('late')).rejects.toThrow('Connection pool was closed')
    expect(server.received).toHaveLength(60)
  })

  it('sends a mail once when the server has closed the idle connection', async () => {
    const { server, send } = await aMailer()
    await send('first')
    await server.dropConnections()
    await send('second')
    expect([ids(server), server.connections]).toEqual([[idOf('first'), idOf('second')], 2])
  })

  it('sends a mail once when the connection breaks before the mail is transmitted', async () => {
    const { server, send } = await aMailer()
    await send('first')
    let cuts = 0
    server.cutsAtSender = () => ++cuts === 1
    await send('second')
    expect([ids(server), server.connections, cuts]).toEqual([[idOf('first'), idOf('second')], 2, 2])
  })

  it('repeats nothing itself when the connection breaks after the mail: the queue decides', async () => {
    const { server, send } = await aMailer()
    await send('first')
    server.cutsAfterMail = () => true
    await expect(send('second')).rejects.toThrow('closed')
    server.cutsAfterMail = () => false
    await send('third')
    expect(ids(server)).toEqual([idOf('first'), idOf('second'), idOf('third')])
  })

  it('keeps the connection after a refused address', async () => {
    const { server, port } = await aServer()
    const transport = await pooledTransport({ host: '127.0.0.1', port, maxConnections: 1 })
    onTestFinished(() => transport.close())
    const send = (to: string, id: string) =>
      sendOver(transport, { from: 'a@example.com', to, text: 'x', messageId: idOf(id) })
    await send('ann@example.com', 'first')
    await expect(send('gone@example.com', 'second')).rejects.toThrow(MailRefused)
    await send('ann@example.com', 'third')
    expect([ids(server), server.connections]).toEqual([[idOf('first'), idOf('third')], 1])
  })

  it('gives up a mail that the server does not answer, within the given time', async () => {
    const { server, port } = await aServer()
    const transport = await pooledTransport({ host: '127.0.0.1', port, maxConnections: 1 })
    onTestFinished(() => transport.close())
    server.isSilent = true
    const message = { from: 'a@example.com', to: 'b@example.com', text: 'x', messageId: idOf('silent') }
    await expect(sendOver(transport, message, 200)).rejects.toMatchObject({ code: 'EABORT' })
    await server.untilClosed()
    server.isSilent = false
    await sendOver(transport, { ...message, messageId: idOf('next') })
    expect(ids(server)).toEqual([idOf('next')])
  })
})

describe('the mail servers of tenants', () => {
  async function thePools() {
    const { server, port } = await aServer()
    const pools = new SmtpPools()
    onTestFinished(() => pools.close())
    let opened = 0
    const send = (key: string, user: string, to = 'ann@example.com') =>
      pools.send(
        {
          key,
          settings: user,
          open: () => Promise.resolve({ host: '127.0.0.1', port, auth: { user, pass: `${++opened}` } }),
        },
        { from: 'a@example.com', to, text: 'x', messageId: idOf(user) },
      )
    return { server, pools, send, opened: () => opened }
  }

  it('have connections of their own, two at most, which further mails use', async () => {
    const { server, send, opened } = await thePools()
    await Promise.all(numbers(12).map(() => send('one', 'ann')))
    await send('one', 'ann')
    expect([server.connections, server.openMost, opened()]).toEqual([2, 2, 1])
    await send('two', 'bob')
    expect([server.connections, opened()]).toEqual([3, 2])
    expect(server.received.filter(({ user, messageId }) => messageId !== idOf(user))).toEqual([])
  })

  it('get another connection when the credentials change, and lose no mail that is being sent', async () => {
    const { server, send } = await thePools()
    const running = numbers(6).map(() => send('one', 'ann'))
    await send('one', 'bob')
    await Promise.all(running)
    expect(server.received.map(({ user }) => user).toSorted()).toEqual([...Array<string>(6).fill('ann'), 'bob'])
    await send('one', 'bob')
    expect(server.received.at(-1)!.user).toBe('bob')
    expect(server.open).toBe(1)
  })

  it('are opened anew after a failure, but not after a refused address', async () => {
    const { server, send, opened } = await thePools()
    await send('one', 'ann')
    await expect(send('one', 'ann', 'gone@example.com')).rejects.toThrow(MailRefused)
    expect(opened()).toBe(1)
    server.cutsAfterMail = () => true
    await expect(send('one', 'ann')).rejects.toThrow('closed')
    server.cutsAfterMail = () => false
    await send('one', 'ann')
    expect(opened()).toBe(2)
  })

  it('are kept open for the 100 that were used last', async () => {
    const { server, send, opened } = await thePools()
    for (const id of numbers(101)) await send(id, id)
    expect([opened(), server.open]).toEqual([101, 100])
    await send('m1', 'm1')
    expect(opened()).toBe(101)
    await send('m0', 'm0')
    expect(opened()).toBe(102)
  })
})
