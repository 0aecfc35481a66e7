import { describe, expect, it, vi } from 'vitest'
import { ageQueueItems } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { useKilledMails } from './killed-mails.ts'
import { patience } from './killed-worker.ts'

const { platform, ways, messageIdsTo, sending, killWaiting, expectSentOnceMore } = useKilledMails()

describe('a worker that is killed when the mail server has accepted a mail', { timeout: 240_000 }, () => {
  it('sends a mail of a user once more with the same Message-ID, and records it once', () =>
    expectSentOnceMore('a mail of a user', 'QUEUED 0', 'SENT 1'))
})

describe('a worker that is killed when it has recorded that the mail of a user was sent', { timeout: 240_000 }, () => {
  it('does not have it sent again by the attempt that ends its lease', async () => {
    const { queue, send, state } = ways['a mail of a user']!
    const to = 'recorded@customer.example'
    const item = async () =>
      (
        await platform.query(
          `select state, lease_token is not null as "isLeased" from ${queue} where id in
             (select id from outreach.email_message where $1 = any(to_emails))`,
          [to],
        )
      )[0]
    const { worker, accept } = await sending(() => send(to))
    // The message says that it was sent, and the worker cannot end the item of the queue.
    await platform.services.database.transaction(async (sql) => {
      await sql.query(`lock table ${queue} in exclusive mode`)
      accept()
      await vi.waitFor(async () => expect(await state(to)).toBe('SENT 1'), patience)
      await killWaiting(worker, queue, `update ${queue} set lease_token = null%`)
    })
    expect([messageIdsTo(to).length, await item()]).toEqual([1, { state: 'QUEUED', isLeased: true }])

    worker.launch()
    await ageQueueItems(platform.services, queue, 300_000)
    await vi.waitFor(async () => expect(await item()).toEqual({ state: 'SENT', isLeased: false }), patience)
    await worker.kill()
    expect([messageIdsTo(to).length, await state(to)]).toEqual([1, 'SENT 1'])
  })
})
