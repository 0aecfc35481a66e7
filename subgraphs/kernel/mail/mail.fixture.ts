import type { Mailer, OutgoingMail } from './outgoing-mail.ts'

/** A mailer that keeps what it is given, and fails when it is told to. */
export class RememberingMailer implements Mailer {
  readonly sent: OutgoingMail[] = []
  /** Thrown by the next attempts, one each. */
  readonly failures: Error[] = []

  async send(mail: OutgoingMail): Promise<void> {
    await Promise.resolve()
    const failure = this.failures.shift()
    if (failure) throw failure
    this.sent.push(mail)
  }
}
