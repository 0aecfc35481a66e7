import type { Mailer, OutgoingMail, UserMail } from './outgoing-mail.ts'

/** A mailer that stores mails in memory, and throws the next of `failures` if there is one. */
export class RecordingMailer implements Mailer {
  readonly from = 'CRM <crm@example.com>'
  readonly sent: OutgoingMail[] = []
  readonly sentForUsers: UserMail[] = []
  /** Errors for the next attempts, one for each attempt. */
  readonly failures: Error[] = []
  isClosed = false

  async send(mail: OutgoingMail): Promise<void> {
    await Promise.resolve()
    const failure = this.failures.shift()
    if (failure) throw failure
    this.sent.push(mail)
  }

  async sendForUser(mail: UserMail): Promise<[]> {
    await Promise.resolve()
    const failure = this.failures.shift()
    if (failure) throw failure
    this.sentForUsers.push(mail)
    return []
  }

  close(): void {
    this.isClosed = true
  }
}
