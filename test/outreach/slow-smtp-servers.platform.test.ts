import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { LaneWorker } from '../../subgraphs/kernel/queue/lane-worker.ts'
import type { Lane } from '../../subgraphs/kernel/queue/queue.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const good = new SmtpReceiver()
let goodPort: number
const sockets = new Set<Socket>()

/** An SMTP server that takes a mail up to its content, and then only sends lines, never an answer. */
const dripping = createServer((socket) => {
  const timers: NodeJS.Timeout[] = []
  const answer = (line: string): void => {
    if (!line.startsWith('DATA')) return void socket.write('250 ok\r\n')
    sockets.add(socket)
    timers.push(setInterval(() => socket.write('354-still here\r\n'), 20))
  }
  socket
    .on('data', (data) => data.toString().split('\r\n').filter(Boolean).forEach(answer))
    .on('error', () => undefined)
    .on('close', () => {
      timers.forEach(clearInterval)
      sockets.delete(socket)
    })
  socket.write('220 Hello\r\n')
})

beforeAll(async () => {
  goodPort = Number(new URL(await good.start()).port)
  await once(dripping.listen(0, '127.0.0.1'), 'listening')
})
// What is left of a test must not hold the slots of the next.
afterEach(() => platform.query('delete from outreach.outgoing_email'))
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  dripping.close()
  await good.stop()
})

let count = 0
const portOf = { dripping: () => (dripping.address() as AddressInfo).port, good: () => goodPort } as const

async function aMailbox(by: Member, server: keyof typeof portOf): Promise<string> {
  const { status, body } = await by.rest.mailboxCreate!({
    body: {
      name: 'Box',
      email: `box${++count}@fjordline.example`,
      smtpHost: '127.0.0.1',
      smtpPort: portOf[server](),
      smtpSecurity: 'NONE',
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

async function queueMail(by: Member, mailboxId: string, to = `person${++count}@customer.example`) {
  const { status, body } = await by.rest.emailSend!({
    body: { to: [to], subject: 'Slots', bodyText: 'Hello', mailboxId },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: body.id as string, to }
}

const aMember = async (name: string) => platform.member({ organizationId: await platform.organization(name) })

const stateOf = async ({ id }: { id: string }) =>
  (await platform.query('select state, attempts from outreach.outgoing_email where id = $1', [id]))[0]

const isReceived = (to: string) => good.received.filter((mail) => mail.to.includes(to)).length

/** The work of one process in a lane, while `work` runs. */
async function whileRunning(lane: Lane, work: (worker: LaneWorker<never>) => Promise<void>): Promise<void> {
  const worker = new LaneWorker(outgoingEmailQueue, platform.services, lane)
  const running = worker.run()
  try {
    await work(worker as unknown as LaneWorker<never>)
  } finally {
    worker.stop()
    // Those of attempts that begin meanwhile, too.
    const ending = setInterval(() => [...sockets].forEach((socket) => socket.destroy()), 20)
    await running
    clearInterval(ending)
  }
}

/** Three organizations with two mailboxes at the dripping server, and more mails than slots. */
async function attack(name: string): Promise<void> {
  for (const number of [1, 2, 3]) {
    const attacker = await aMember(`${name} ${number}`)
    for (const box of [await aMailbox(attacker, 'dripping'), await aMailbox(attacker, 'dripping')])
      for (let mail = 0; mail < 4; mail++) await queueMail(attacker, box)
  }
}

it.each(['fresh', 'retry'] as const)(
  'dripping servers of three organizations do not stop the mails of another in the lane %s',
  async (lane) => {
    const watched = await aMember(`Watched ${lane}`)
    const box = await aMailbox(watched, 'good')
    await attack(lane)
    if (lane === 'retry') await platform.query('update outreach.outgoing_email set attempts = 1')
    await whileRunning(lane, async (worker) => {
      // Of the fresh lane, each of them holds the three slots that it may have.
      const held = lane === 'fresh' ? 9 : 6
      await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(held)
      const mails: Awaited<ReturnType<typeof queueMail>>[] = []
      for (let number = 0; number < 3; number++) mails.push(await queueMail(watched, box))
      if (lane === 'retry')
        await platform.query('update outreach.outgoing_email set attempts = 1 where sender_id = $1', [box])
      worker.wake()
      await expect
        .poll(() => Promise.all(mails.map(stateOf)), { timeout: 30_000 })
        .toEqual(mails.map(() => ({ state: 'SENT', attempts: lane === 'fresh' ? 1 : 2 })))
      expect(mails.map(({ to }) => isReceived(to))).toEqual([1, 1, 1])
      expect(sockets.size).toBe(held)
    })
  },
  90_000,
)

it('mails of a mailbox whose server did not answer are retries until it answers one', async () => {
  const by = await aMember('Failing')
  const box = await aMailbox(by, 'good')
  const other = await aMailbox(by, 'good')
  await platform.query('update outreach.mailbox set smtp_port = 1 where id = $1', [box])
  const first = await queueMail(by, box)
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(first)).toEqual({ state: 'QUEUED', attempts: 1 })
  await platform.query('update outreach.mailbox set smtp_port = $2 where id = $1', [box, goodPort])
  const [second, unconcerned] = [await queueMail(by, box), await queueMail(by, other)]
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await Promise.all([second, unconcerned].map(stateOf))).toEqual([
    { state: 'QUEUED', attempts: 1 },
    { state: 'SENT', attempts: 1 },
  ])
  expect([isReceived(first.to), isReceived(second.to)]).toEqual([0, 0])
  await ageQueueItems(platform.services, 'outreach.outgoing_email', 60_000)
  await drain(outgoingEmailQueue, platform.services, ['retry'])
  expect(await Promise.all([first, second].map(stateOf))).toEqual([
    { state: 'SENT', attempts: 2 },
    { state: 'SENT', attempts: 2 },
  ])
  const third = await queueMail(by, box)
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(third)).toEqual({ state: 'SENT', attempts: 1 })
  expect([first, second, third].map(({ to }) => isReceived(to))).toEqual([1, 1, 1])
})

it('a mailbox that gets another server is not silent any more', async () => {
  const by = await aMember('Moving')
  const box = await aMailbox(by, 'good')
  await platform.query('update outreach.mailbox set smtp_port = 1 where id = $1', [box])
  const first = await queueMail(by, box)
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(first)).toEqual({ state: 'QUEUED', attempts: 1 })
  const { status } = await by.rest.mailboxUpdate!({ id: box, body: { smtpPort: goodPort } })
  expect(status).toBe(200)
  const second = await queueMail(by, box)
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(second)).toEqual({ state: 'SENT', attempts: 1 })
})

it('a server that refuses a recipient for the moment has answered: further mails are sent at once', async () => {
  const by = await aMember('Grey')
  const box = await aMailbox(by, 'good')
  good.refusals.set('grey@customer.example', 451)
  const grey = await queueMail(by, box, 'grey@customer.example')
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(grey)).toEqual({ state: 'QUEUED', attempts: 1 })
  const next = await queueMail(by, box)
  await drain(outgoingEmailQueue, platform.services, ['fresh'])
  expect(await stateOf(next)).toEqual({ state: 'SENT', attempts: 1 })
})
