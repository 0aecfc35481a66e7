import { beforeAll, expect, onTestFinished, vi } from 'vitest'
import { mailTable } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { ageQueueItems } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { quote } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess } from '../processes.ts'
import { patience, useSmtpReceiver } from './killed-worker.ts'

interface Way {
  readonly queue: string
  /** The table whose change records that the mail was sent. */
  readonly record: string
  send(to: string): Promise<unknown>
  /** The state of the mail to this address, and the number of events that say that it was sent. */
  state(to: string): Promise<unknown>
}

/** A platform whose workers are killed while they send mails. */
export function useKilledMails() {
  const platform = usePlatform()
  const smtp = useSmtpReceiver()
  let member: Member

  beforeAll(async () => {
    member = await platform.member({ organizationId: await platform.organization('Killed') })
  })

  const ways: Readonly<Record<string, Way>> = {
    'a mail of the platform': {
      queue: mailTable.table,
      record: 'kernel.mail',
      send: async (to) => {
        const { id } = await quote(member, { lineItems: [{ name: 'Fee', quantity: 1, unitPrice: 100 }] })
        expect((await member.rest.quoteSend!({ id, body: { to } })).status).toBe(200)
      },
      state: async (to) =>
        (await platform.query<{ state: string }>('select state from kernel.mail where recipient = $1', [to]))[0]!.state,
    },
    'a mail of a user': {
      queue: outgoingEmailQueue.table,
      record: 'outreach.email_message',
      send: async (to) => {
        const body = { to: [to], subject: 'Slots', bodyHtml: '<p>Yes</p>' }
        expect((await member.rest.emailSend!({ body })).status).toBeLessThan(300)
      },
      state: async (to) => {
        const [row] = await platform.query<{ status: string; sent: number }>(
          `select m.status, (select count(*)::int from kernel.event e
             where e.organization_id = m.organization_id and e.record_id = m.id and e.type = 'email.sent') as sent
           from outreach.email_message m where $1 = any(m.to_emails)`,
          [to],
        )
        return `${row!.status} ${row!.sent}`
      },
    },
  }

  /** The Message-IDs of the mails to this address that the server has accepted. */
  const messageIdsTo = (to: string): string[] =>
    smtp.receiver.received
      .filter((mail) => mail.to.includes(to))
      .map(({ text }) => /^Message-ID: (<[^>]+>)/im.exec(text)![1]!)

  /** A worker that sends the mail, and the server, which has the mail and accepts it when the test lets it. */
  async function sending(send: () => Promise<unknown>) {
    const environment = {
      DATABASE_URL: platform.services.databaseUrl,
      DATA_DIR: platform.dataDir,
      SMTP_URL: smtp.url(),
      LOG_LEVEL: 'warn',
      DEMO: 'off',
    }
    const worker = await aProcess(['bin/run', 'worker'], environment, '')
    onTestFinished(() => worker.kill())
    const arrived = Promise.withResolvers<void>()
    const mayAccept = Promise.withResolvers<void>()
    smtp.receiver.beforeAccepting = () => {
      arrived.resolve()
      return mayAccept.promise
    }
    await send()
    worker.launch()
    await arrived.promise
    return { worker, accept: mayAccept.resolve }
  }

  /** Kills the worker while statements wait for the locked table. PostgreSQL would still execute what it has received, although nobody waits for its answer. */
  async function killWaiting(worker: { kill(): Promise<void> }, table: string, statement = '%'): Promise<void> {
    const waiting = `select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.relation = '${table}'::regclass and not l.granted and a.query like $1`
    await vi.waitFor(
      async () => expect((await platform.query(waiting, [statement])).length).toBeGreaterThan(0),
      patience,
    )
    await worker.kill()
    await platform.query(`select pg_terminate_backend(pid) from (${waiting}) waiting`, ['%'])
  }

  /** Kills the worker when the mail server has accepted a mail, which another worker then sends once more with the same Message-ID. */
  async function expectSentOnceMore(name: string, before: string, after: string): Promise<void> {
    const { queue, record, send, state } = ways[name]!
    const to = `${record}@customer.example`
    const { worker, accept } = await sending(() => send(to))
    // The server accepts the mail, and the worker cannot record that.
    await platform.services.database.transaction(async (sql) => {
      await sql.query(`lock table ${record} in exclusive mode`)
      accept()
      await killWaiting(worker, record)
    })
    expect([messageIdsTo(to).length, await state(to)]).toEqual([1, before])

    // No other worker sends it before the lease of the killed one ends.
    worker.launch()
    await ageQueueItems(platform.services, queue, 300_000)
    await vi.waitFor(async () => expect(await state(to)).toBe(after), patience)
    await worker.kill()
    const [first, ...others] = messageIdsTo(to)
    expect(others).toEqual([first])
  }

  return { platform, ways, messageIdsTo, sending, killWaiting, expectSentOnceMore }
}
