import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** An SMTP server on this machine that counts its connections and can break them. */
export class CountingSmtpServer {
  /** Message-ID and user of each accepted mail. */
  readonly received: { readonly messageId: string; readonly user: string }[] = []
  connections = 0
  openMost = 0
  /** Called for each MAIL command; true: the connection is cut without an answer. */
  cutsAtSender: (session: SMTPServerSession) => boolean = () => false
  /** Called for each mail that has arrived; true: the connection is cut before it is accepted. */
  cutsAfterMail: () => boolean = () => false
  /** Whether a mail is never answered. */
  isSilent = false
  readonly #open = new Map<string, Socket>()
  readonly #server: SMTPServer

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
      onConnect: (_session, done) => {
        this.connections++
        done()
      },
      onMailFrom: (_address, session, done) => {
        if (this.cutsAtSender(session)) this.#open.get(keyOf(session))?.destroy()
        else done()
      },
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('gone') ? Object.assign(new Error('not here'), { responseCode: 550 }) : null),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          if (this.isSilent) return
          const messageId = /^Message-ID: (\S+)/m.exec(Buffer.concat(chunks).toString())?.[1] ?? ''
          this.received.push({ messageId, user: String(session.user ?? '') })
          if (this.cutsAfterMail()) this.#open.get(keyOf(session))?.destroy()
          else done()
        })
      },
    })
  }

  get open(): number {
    return this.#open.size
  }

  async start(): Promise<number> {
    const server = this.#server.listen(0, '127.0.0.1')
    server.on('connection', (socket: Socket) => {
      const key = String(socket.remotePort)
      this.#open.set(key, socket)
      this.openMost = Math.max(this.openMost, this.#open.size)
      socket.on('close', () => this.#open.delete(key))
    })
    this.#server.on('error', () => undefined)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Closes the open connections, as servers do with those that are idle. */
  async dropConnections(): Promise<void> {
    for (const socket of this.#open.values()) socket.end()
    await this.untilClosed()
  }

  async untilClosed(): Promise<void> {
    while (this.#open.size > 0) await nextTurn()
  }

  stop(): Promise<void> {
    return new Promise((done) => this.#server.close(done))
  }
}

const keyOf = ({ remotePort }: SMTPServerSession): string => String(remotePort)
