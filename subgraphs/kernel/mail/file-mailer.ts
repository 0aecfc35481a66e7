import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type Mail from 'nodemailer/lib/mailer/index.js'
import type { Mailer, OutgoingMail, UserMail } from './outgoing-mail.ts'
import { messageOf } from './message.ts'

/** Writes mails to files when there is no mail server. The file name contains time and id, so a second attempt replaces the first file. */
export class FileMailer implements Mailer {
  readonly #folder: string
  readonly from: string
  readonly #log: Logger

  constructor({ dataDir, mailFrom }: Pick<Config, 'dataDir' | 'mailFrom'>, log: Logger) {
    this.#folder = join(dataDir, 'mail')
    this.from = mailFrom
    this.#log = log
  }

  send(mail: OutgoingMail): Promise<void> {
    return this.#write(mail, messageOf(mail, this.from))
  }

  async sendForUser(mail: UserMail): Promise<[]> {
    await this.#write(mail, { ...mail.message, disableFileAccess: true, disableUrlAccess: true })
    return []
  }

  close(): void {}

  async #write({ id, date }: Pick<UserMail, 'id' | 'date'>, options: Mail.Options): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    const { message } = await transport.sendMail(options)
    const path = join(this.#folder, `${date.toISOString().replaceAll(':', '')}-${id}.eml`)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 })
    await rename(`${path}.part`, path)
    this.#log.info({ file: path }, 'SMTP_URL is not set: the mail was written to a file')
  }
}
