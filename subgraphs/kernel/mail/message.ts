import type Mail from 'nodemailer/lib/mailer/index.js'
import { isStoredEmail } from '../values/email-address.ts'
import type { OutgoingMail } from './outgoing-mail.ts'

/** This address will never take this mail. */
export class MailRefused extends Error {}

/** `example.com` of `Example <no-reply@example.com>`. */
const domainOf = (from: string): string => /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'

/**
 * What nodemailer is given. Its own parser finds recipients in comments and lists, so only one address passes, already taken
 * apart. Automatic mail must not be answered by automata (RFC 3834).
 */
export function messageOf({ id, to, ...mail }: OutgoingMail, from: string): Mail.Options {
  if (!isStoredEmail(to)) throw new MailRefused('The recipient is not an email address.')
  return {
    ...mail,
    to: { name: '', address: to },
    from,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
