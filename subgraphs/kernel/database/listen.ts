import pg from 'pg'
import type { Logger } from 'pino'

const reconnectMs = 500

/** Messages of other processes through PostgreSQL. While the connection is lost messages are missed; it comes back by itself. */
export class Listener {
  #client: pg.Client | null = null
  #closed = false
  #timer: NodeJS.Timeout | undefined

  private constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly onMessage: (payload: string) => void,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  static async open(
    url: string,
    channel: string,
    onMessage: (payload: string) => void,
    log: Pick<Logger, 'warn'>,
  ): Promise<Listener> {
    const listener = new Listener(url, channel, onMessage, log)
    await listener.#connect()
    return listener
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, keepAlive: true, connectionTimeoutMillis: 10_000 })
    client.on('error', (error) => this.#lost(error))
    client.on('end', () => this.#lost(new Error('the connection ended')))
    client.on('notification', ({ payload }) => this.onMessage(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(this.channel)}`)
      this.#client = client
    } catch (error) {
      client.removeAllListeners('end')
      await client.end().catch(() => undefined)
      this.#lost(error as Error)
    }
  }

  #lost(error: Error): void {
    if (this.#closed || this.#timer) return
    this.#client = null
    this.log.warn({ err: error, channel: this.channel }, 'no longer listening; trying again')
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#connect()
    }, reconnectMs)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }
}
