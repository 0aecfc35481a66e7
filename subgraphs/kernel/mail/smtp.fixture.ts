import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly to: string[]
  readonly text: string
}

/** An SMTP server on this machine that stores the mails it receives. */
export class SmtpReceiver {
  readonly received: ReceivedMail[] = []
  /** Reply code for recipients that are refused, by address. */
  readonly refusals = new Map<string, number>()
  readonly #server: SMTPServer

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      // Connections that a mailer keeps open do not delay the end of a test.
      closeTimeout: 1,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = this.refusals.get(address)
        done(responseCode ? Object.assign(new Error('not here'), { responseCode }) : undefined)
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address)
          this.received.push({ to, text: Buffer.concat(chunks).toString() })
          done()
        })
      },
    })
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
