import { createTransport } from 'nodemailer'
import type { Mailer, OutgoingMail } from './outgoing-mail.ts'
import { MailRefused, messageOf } from './message.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
}

export class SmtpMailer implements Mailer {
  readonly #transport
  readonly #from: string

  constructor(url: string, from: string) {
    this.#transport = createTransport({ url, ...timeouts })
    this.#from = from
  }

  async send(mail: OutgoingMail): Promise<void> {
    try {
      await this.#transport.sendMail(messageOf(mail, this.#from))
    } catch (error) {
      const { code, responseCode = 0, message } = error as SmtpError
      const isAboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE'
      if (isAboutTheMail && responseCode >= 500) throw new MailRefused(message, { cause: error })
      throw error
    }
  }
}
