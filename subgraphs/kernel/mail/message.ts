import type Mail from 'nodemailer/lib/mailer/index.js'
import { isStoredEmail } from '../values/email-address.ts'
import type { OutgoingMail } from './outgoing-mail.ts'

/** The receiver permanently refuses this mail, so it must not be retried. */
export class MailRefused extends Error {}

/** `example.com` of `Example <no-reply@example.com>`. */
const domainOf = (from: string): string => /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'

const unsubscribe = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** A name without characters that could look like another address or end the header. */
export const headerName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>@"\\,;:()[\]]+/gu, ' ')
    .trim()
    .slice(0, 80)

/**
 * The message for nodemailer. Its parser finds recipients in comments and lists, so it gets exactly one validated address, already
 * parsed. `Auto-Submitted` keeps auto-responders from answering (RFC 3834).
 */
export function messageOf(
  { id, to, attachments = [], unsubscribeUrl, replyTo, ...mail }: OutgoingMail,
  from: string,
): Mail.Options {
  if (!isStoredEmail(to)) throw new MailRefused('The recipient must be an email address.')
  return {
    ...mail,
    attachments: attachments.map((attachment) => ({ ...attachment, encoding: 'base64' })),
    to: { name: '', address: to },
    ...(replyTo && isStoredEmail(replyTo.address) && { replyTo: { ...replyTo, name: headerName(replyTo.name) } }),
    from,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl !== undefined && unsubscribe(unsubscribeUrl)) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
