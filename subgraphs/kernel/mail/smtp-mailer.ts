import { createTransport } from 'nodemailer'
import type Mail from 'nodemailer/lib/mailer/index.js'
import type { Mailer, OutgoingMail, UserMail } from './outgoing-mail.ts'
import { MailRefused, messageOf } from './message.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
}

export class SmtpMailer implements Mailer {
  readonly #transport
  readonly from: string

  constructor(url: string, from: string) {
    this.#transport = createTransport({ url, ...timeouts })
    this.from = from
  }

  send(mail: OutgoingMail): Promise<void> {
    return sendOver(this.#transport, messageOf(mail, this.from))
  }

  sendForUser({ message }: UserMail): Promise<void> {
    return sendOver(this.#transport, { ...message, ...withoutFiles })
  }
}

/** A message must not read files or addresses of the machine. */
export const withoutFiles = { disableFileAccess: true, disableUrlAccess: true } as const

/** Sends a message; a permanent refusal of the mail is `MailRefused`. */
export async function sendOver(
  transport: { sendMail(message: Mail.Options): Promise<unknown> },
  message: Mail.Options,
): Promise<void> {
  try {
    await transport.sendMail(message)
  } catch (error) {
    const { code, responseCode = 0, message: reason } = error as SmtpError
    const isAboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE'
    if (isAboutTheMail && responseCode >= 500) throw new MailRefused(reason, { cause: error })
    throw error
  }
}
