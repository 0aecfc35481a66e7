import type Mail from 'nodemailer/lib/mailer/index.js'
import type { OutgoingMail } from './mailer.ts'

/** This address will never take this mail. */
export class MailRefused extends Error {}

/** `example.com` of `Example <no-reply@example.com>`. */
const domainOf = (from: string): string => /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'

/** What nodemailer is given. Automatic mail must not be answered by automata (RFC 3834). */
export const messageOf = ({ id, ...mail }: OutgoingMail, from: string): Mail.Options => ({
  ...mail,
  from,
  messageId: `<${id}@${domainOf(from)}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
})
