import type { ImapFlow } from 'imapflow'
import { newId } from '../../kernel/ids.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { Services } from '../../kernel/request.ts'
import { organizationContext } from '../email/organization-context.ts'
import { imapClient } from './connect.ts'
import { queuePolls } from './mailbox-poll.queue.ts'
import { mailbox } from './mailbox.record.ts'
import { endWatch, leaseWatches, renewWatches, type Watched } from './watch-lease.ts'

interface WatcherOptions {
  readonly everyMs: number
  /** Connections of the process that wait for mails. */
  readonly connectionsMax: number
}

const defaults: WatcherOptions = { everyMs: 5_000, connectionsMax: 100 }
/** New connections of one round. */
const openedMax = 20
/** After this time without a word the server is asked whether it is there; IDLE is repeated before servers end it (RFC 2177). */
const [quietMs, idleMs] = [120_000, 600_000]
/** Announcements within this time are one poll, so a server that announces mails without end costs a statement per second. */
const gatherMs = 1_000
/** Seconds before the next attempt, after a connection was lost, could not be opened, or cannot wait for mails. */
const afterSeconds = { LOST: 5, FAILED: 120, NO_IDLE: 3600 } as const
type End = keyof typeof afterSeconds

interface Watch extends Watched {
  client: ImapFlow | null
}

/**
 * Waits for mails of mailboxes with IMAP IDLE, and queues a poll as soon as one arrives. It reads nothing itself, so a watch that is lost or
 * made twice does no harm: mailboxes without one are polled every minute.
 */
export class MailboxWatcher {
  readonly #token = newId()
  readonly #watches = new Map<string, Watch>()
  readonly #timer: NodeJS.Timeout
  readonly #connectionsMax: number
  #round: Promise<void> = Promise.resolve()
  #isBusy = false
  #isClosed = false

  constructor(
    private readonly services: Services,
    options: Partial<WatcherOptions> = {},
  ) {
    const { everyMs, connectionsMax } = { ...defaults, ...options }
    this.#connectionsMax = connectionsMax
    this.#timer = setInterval(() => this.#next(), everyMs)
  }

  /** Number of mailboxes that this process watches. */
  get watched(): number {
    return [...this.#watches.values()].filter(({ client }) => client !== null).length
  }

  /** Ends the connections and the leases, so that another process can watch the mailboxes at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#round
    await Promise.all([...this.#watches.values()].map((watch) => this.#end(watch, 0)))
  }

  #next(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    this.#round = this.#lease()
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'mailboxes could not be leased'))
      .finally(() => {
        this.#isBusy = false
      })
  }

  async #lease(): Promise<void> {
    const { database } = this.services
    const held = new Map((await renewWatches(database, this.#token)).map((watched) => [watched.id, watched.version]))
    for (const watch of this.#watches.values()) if (held.get(watch.id) !== watch.version) await this.#end(watch, 0)
    const free = Math.min(openedMax, this.#connectionsMax - this.#watches.size)
    if (free <= 0 || this.#isClosed) return
    for (const watched of await leaseWatches(database, this.#token, free)) {
      const watch: Watch = { ...watched, client: null }
      this.#watches.set(watch.id, watch)
      void this.#open(watch).catch(() => this.#lost(watch, 'FAILED'))
    }
  }

  async #open(watch: Watch): Promise<void> {
    const ctx = organizationContext(this.services, watch.organizationId)
    const box = await recordsOf(mailbox).require(ctx, watch.id)
    const client = await imapClient(this.services, box, { socketTimeout: quietMs, maxIdleTime: idleMs })
    const queue = (): void => {
      gathering = null
      if (this.#watches.get(watch.id) !== watch) return
      queuePolls(ctx, [watch.id]).catch((error: unknown) =>
        this.services.log.warn({ err: error }, 'a poll could not be queued; the next one is due within a minute'),
      )
    }
    let gathering: NodeJS.Timeout | null = null
    const poll = (): void => {
      gathering ??= setTimeout(queue, gatherMs).unref()
    }
    client.on('exists', poll)
    client.on('close', () => this.#lost(watch, 'LOST'))
    if (this.#watches.get(watch.id) !== watch) return client.close()
    watch.client = client
    if (!client.capabilities.has('IDLE')) return this.#lost(watch, 'NO_IDLE')
    await client.mailboxOpen('INBOX', { readOnly: true })
    // Mails that arrived since the last poll are not announced.
    poll()
    void client
      .idle()
      .catch(() => false)
      .then(() => client.close())
  }

  #lost(watch: Watch, end: End): void {
    if (this.#watches.get(watch.id) !== watch) return
    void this.#end(watch, afterSeconds[end])
  }

  async #end(watch: Watch, seconds: number): Promise<void> {
    this.#watches.delete(watch.id)
    watch.client?.close()
    // Without this, the lease ends by itself.
    await endWatch(this.services.database, this.#token, watch, seconds).catch(() => undefined)
  }
}
