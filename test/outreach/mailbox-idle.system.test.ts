import { describe, expect, it, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { each } from '../builders.ts'
import { usePlatform } from '../platform.ts'
import { patience, useWatchedMailboxes } from './mailbox-idle.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const { sockets, proxyPort, aMailbox, arrive, pollAll, aWatcher, waiting, stored, aMember } =
  useWatchedMailboxes(platform)

describe.skipIf(!hasDovecot)('waiting for mails', () => {
  it('queues a poll when a mail arrives, in one process, and again after the connection was lost', async () => {
    const member = await aMember('Idle')
    const box = await aMailbox(member, proxyPort())
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
})
