import { describe, expect, it, vi } from 'vitest'
import { hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { usePlatform } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { patience, useWatchedMailboxes } from './mailbox-idle.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const { sockets, proxyPort, aMailbox, pollAll, aWatcher, waiting, aMember } = useWatchedMailboxes(platform)

describe.skipIf(!hasDovecot)('waiting for mails', () => {
  it('queues one poll for what a server announces within a second, however often', async () => {
    const member = await aMember('Flood')
    const box = await aMailbox(member, proxyPort())
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
