import pg from 'pg'
import type { Logger } from 'pino'

const reconnectMs = 500
const endWithinMs = 1000

/** Messages of other processes through PostgreSQL. While the connection is lost messages are missed; it comes back by itself. */
export class Listener {
  /** The connection that listens, or that is being made. */
  #client: pg.Client | null = null
  #isListening = false
  #connecting: Promise<void> = Promise.resolve()
  #closed = false
  #timer: NodeJS.Timeout | undefined

  private constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly onMessage: (payload: string) => void,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly onListening: () => void,
  ) {}

  static async open(
    url: string,
    channel: string,
    onMessage: (payload: string) => void,
    log: Pick<Logger, 'warn'>,
    /** Called when it listens, at first and after each loss: what was sent before was missed. */
    onListening: () => void = () => undefined,
  ): Promise<Listener> {
    const listener = new Listener(url, channel, onMessage, log, onListening)
    await listener.#connect()
    return listener
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, keepAlive: true, connectionTimeoutMillis: 10_000 })
    this.#client = client
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection ended')))
    client.on('notification', ({ payload }) => this.onMessage(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(this.channel)}`)
      this.#isListening = true
      this.onListening()
    } catch (error) {
      this.#lost(client, error as Error)
    }
  }

  /** A client tells of its end in several ways; the first counts. */
  #lost(client: pg.Client, error: Error): void {
    if (this.#client !== client) return
    this.#client = null
    this.#isListening = false
    drop(client)
    if (this.#closed) return
    this.log.warn({ reason: error.message, channel: this.channel }, 'no longer listening; trying again')
    this.#timer = setTimeout(() => (this.#connecting = this.#connect()), reconnectMs)
  }

  /** Leaves no connection behind, also when one is just being made. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = null
    if (client && this.#isListening) await ended(client)
    else if (client) drop(client)
    await this.#connecting
  }
}

/** A server that does not answer is not waited for. */
async function ended(client: pg.Client): Promise<void> {
  const late = setTimeout(() => drop(client), endWithinMs)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}

/** `end` of a client that is connecting would leave `connect` without an answer. */
function drop(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
