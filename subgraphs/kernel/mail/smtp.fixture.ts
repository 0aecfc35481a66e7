import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly to: string[]
  readonly text: string
}

function refusalOf(reply: number | string | null | undefined): Error | null {
  if (reply == null) return null
  const [code, ...words] = String(reply).split(' ')
  return Object.assign(new Error(words.join(' ') || 'not here'), { responseCode: Number(code) })
}

/** An SMTP server on this machine that stores the mails it receives. */
export class SmtpReceiver {
  readonly received: ReceivedMail[] = []
  /** Reply for recipients that are refused, by address: its code, or its code and text. */
  readonly refusals = new Map<string, number | string>()
  /** Replies like those of `refusals`: to the sender, and to the content. Null: it is accepted. */
  refusesSender: string | null = null
  refusesContent: string | null = null
  /** Called when a mail has arrived, before it is accepted. */
  beforeAccepting: () => Promise<void> = () => Promise.resolve()
  readonly #server: SMTPServer

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      // Connections that a mailer keeps open do not delay the end of a test.
      closeTimeout: 1,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        done(refusalOf(this.refusals.get(address)))
      },
      onMailFrom: (_address, _session, done) => done(refusalOf(this.refusesSender)),
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const refusal = refusalOf(this.refusesContent)
          if (refusal) return done(refusal)
          const to = envelope.rcptTo.map(({ address }) => address)
          this.received.push({ to, text: Buffer.concat(chunks).toString() })
          void this.beforeAccepting().then(() => done())
        })
      },
    })
    // A process that is killed resets its connections.
    this.#server.on('error', () => {})
  }

  async start(): Promise<string> {
    const server = this.#server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  stop(): Promise<void> {
    return new Promise((done) => this.#server.close(done))
  }
}
