import pg from 'pg'
import type { Logger } from 'pino'
import { closeSocket } from '../package-internals/pg-connection.ts'

const reconnectMs = 500
const endWithinMs = 1000

/** Receives messages of other processes by LISTEN. Reconnects automatically; messages sent while the connection is lost are missed. */
export class Listener {
  /** The connection that listens or is being opened. */
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
    /** Called when LISTEN starts, at first and after each reconnect: messages that were sent before were missed. */
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

  /** A client reports its end by several events; only the first one has an effect. */
  #lost(client: pg.Client, error: Error): void {
    if (this.#client !== client) return
    this.#client = null
    this.#isListening = false
    closeSocket(client)
    if (this.#closed) return
    this.log.warn({ reason: error.message, channel: this.channel }, 'the LISTEN connection was lost; reconnecting')
    this.#timer = setTimeout(() => (this.#connecting = this.#connect()), reconnectMs)
  }

  /** Closes the connection, also one that is being opened. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = null
    if (client && this.#isListening) await endGracefully(client)
    else if (client) closeSocket(client)
    await this.#connecting
  }
}

/** Does not wait longer than a second for a server that does not answer. */
async function endGracefully(client: pg.Client): Promise<void> {
  const late = setTimeout(() => closeSocket(client), endWithinMs)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}
