import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { FileMailer } from './file-mailer.ts'
import type { Mailer } from './outgoing-mail.ts'
import { SmtpMailer } from './smtp-mailer.ts'

export function openMailer(config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'>, log: Logger): Mailer {
  return config.smtpUrl ? new SmtpMailer(config.smtpUrl, config.mailFrom) : new FileMailer(config, log)
}
