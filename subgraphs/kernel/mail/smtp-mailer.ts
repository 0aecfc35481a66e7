import type { Mailer, OutgoingMail, RefusedRecipient, UserMail } from './outgoing-mail.ts'
import { messageOf } from './message.ts'
import { pooledTransport, sendOver } from './smtp-transport.ts'

/** Connections of a process to the mail server of the platform. `?maxConnections=` of its URL changes their number. */
const connectionsMax = 10

/** Sends over connections that stay open for a while, because a new one costs several round trips and the delay of the greeting. */
export class SmtpMailer implements Mailer {
  readonly #transport
  readonly from: string

  constructor(url: string, from: string) {
    this.#transport = pooledTransport({ url, maxConnections: connectionsMax })
    this.from = from
  }

  async send(mail: OutgoingMail): Promise<void> {
    await sendOver(await this.#transport, messageOf(mail, this.from))
  }

  async sendForUser({ message }: UserMail): Promise<RefusedRecipient[]> {
    return sendOver(await this.#transport, message)
  }

  close(): void {
    void this.#transport.then((transport) => transport.close())
  }
}
