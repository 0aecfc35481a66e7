import { LRUCache } from 'lru-cache'
import type Mail from 'nodemailer/lib/mailer/index.js'
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool/index.js'
import { MailRefused } from './message.ts'
import type { RefusedRecipient } from './outgoing-mail.ts'
import { pooledTransport, sendOver, type PooledTransport } from './smtp-transport.ts'

/** Servers whose connections and passwords a process keeps. */
const poolsMax = 100
/** A pool ends after this time, so that another address of its server is used and its password is not kept. */
const poolMs = 600_000
const connectionsMax = 2

/** A mail server of a tenant. */
export interface SmtpServer {
  /** What the server belongs to, such as a mailbox. */
  readonly key: string
  /** The settings that the connections depend on. With other settings, no connection is used again. */
  readonly settings: string
  /** The address, which must have been vetted, and the credentials. Called when the server has no pool. */
  open(): Promise<SMTPPoolOptions>
}

class Pool {
  readonly settings: string
  readonly #transport: Promise<PooledTransport>
  #sending = 0
  #isOver = false

  constructor({ settings, open }: SmtpServer) {
    this.settings = settings
    this.#transport = open().then((options) => pooledTransport({ ...options, maxConnections: connectionsMax }))
    // Whoever sends gets the error.
    this.#transport.catch(() => undefined)
  }

  async send(message: Mail.Options): Promise<RefusedRecipient[]> {
    this.#sending++
    try {
      return await sendOver(await this.#transport, message)
    } finally {
      this.#sending--
      this.#closeIfUnused()
    }
  }

  /** No further mail uses the pool. Its connections are closed when no mail is being sent. */
  end(): void {
    this.#isOver = true
    this.#closeIfUnused()
  }

  #closeIfUnused(): void {
    if (this.#isOver && this.#sending === 0)
      void this.#transport.then(
        (transport) => transport.close(),
        () => undefined,
      )
  }
}

/** Connections to the mail servers of tenants, kept open for further mails: two for each of the 100 servers used last. */
export class SmtpPools {
  readonly #pools = new LRUCache<string, Pool>({
    max: poolsMax,
    ttl: poolMs,
    ttlAutopurge: true,
    dispose: (pool) => pool.end(),
  })

  /** Like `sendOver`. */
  async send(server: SmtpServer, message: Mail.Options): Promise<RefusedRecipient[]> {
    let pool = this.#pools.get(server.key)
    if (pool?.settings !== server.settings) {
      pool = new Pool(server)
      this.#pools.set(server.key, pool)
    }
    try {
      return await pool.send(message)
    } catch (error) {
      // The server may have got another address.
      const isOfPool = !(error instanceof MailRefused) && this.#pools.peek(server.key) === pool
      if (isOfPool) this.#pools.delete(server.key)
      throw error
    }
  }

  close(): void {
    this.#pools.clear()
  }
}
