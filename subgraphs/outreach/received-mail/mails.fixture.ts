import { readFileSync } from 'node:fs'
import type { Judgement, ReportedRecipient } from './judgement.ts'

export const mailFolder = new URL('./fixtures/', import.meta.url)

interface Sent {
  readonly to: string
  /** With angle brackets. */
  readonly messageId: string
  readonly box: string
  /** Any word; another one makes another mail. */
  readonly word: string
}

/** A mail of the folder, as it arrives in the mailbox `box` after the sent mail. */
export const arrivedMail = (name: string, { to, messageId, box, word }: Sent): string =>
  readFileSync(new URL(`${name}.eml`, mailFolder), 'utf8')
    .replaceAll('\n', '\r\n')
    .replaceAll('@@TO@@', to)
    .replaceAll('@@IDBARE@@', messageId.slice(1, -1))
    .replaceAll('@@ID@@', messageId)
    .replaceAll('@@BOX@@', box)
    .replaceAll('@@RAND@@', word)

type Expected = readonly [
  kind: Judgement['kind'],
  outcome?: ReportedRecipient['outcome'] | undefined,
  isNamed?: boolean,
]

/** What each mail is, what it says about the recipient, and whether it returns the Message-ID of the sent mail. */
export const mails: Readonly<Record<string, Expected>> = {
  'away-autoresponder': ['AUTO_REPLY'],
  'away-exchange': ['AUTO_REPLY'],
  'away-gmail': ['AUTO_REPLY'],
  'away-notes': ['AUTO_REPLY'],
  'away-outlook-com': ['AUTO_REPLY'],
  'bounce-domino': ['BOUNCE', 'HARD', true],
  'bounce-exchange-2003': ['BOUNCE', 'HARD', true],
  'bounce-exchange-online': ['BOUNCE', 'HARD', true],
  'bounce-exim-dsn': ['BOUNCE', 'HARD', true],
  'bounce-exim-plain': ['BOUNCE', 'HARD', true],
  'bounce-gmail': ['BOUNCE', 'HARD', true],
  'bounce-gmail-full': ['BOUNCE', 'SOFT', true],
  'bounce-outlook-com': ['BOUNCE', 'HARD', true],
  'bounce-policy': ['BOUNCE', 'SOFT', true],
  'bounce-postfix': ['BOUNCE', 'HARD', true],
  'bounce-postfix-full': ['BOUNCE', 'SOFT', true],
  'bounce-postfix-unknown-domain': ['BOUNCE', 'HARD', true],
  'bounce-qmail': ['BOUNCE', 'HARD', true],
  'bounce-qmail-soft': ['BOUNCE', 'SOFT', true],
  'bounce-references-only': ['BOUNCE', 'HARD'],
  'bounce-sendmail-expired': ['BOUNCE', 'SOFT', true],
  'bounce-sendmail-text': ['BOUNCE', 'HARD', true],
  'bounce-ses-other-message-id': ['BOUNCE', 'HARD'],
  'bounce-smtputf8-global-headers': ['BOUNCE', 'HARD', true],
  'bounce-smtputf8-postfix': ['BOUNCE', 'HARD', true],
  'bounce-yahoo-text': ['BOUNCE', 'HARD', true],
  'complaint-abuse': ['COMPLAINT', 'COMPLAINED', true],
  'complaint-outlook-com': ['COMPLAINT', 'COMPLAINED', true],
  'complaint-without-recipient': ['COMPLAINT', 'COMPLAINED', true],
  'delay-exim': ['BOUNCE'],
  'delay-gmail': ['BOUNCE', undefined, true],
  'delivered-exchange': ['RECEIPT', 'DELIVERED', true],
  'not-spam-report': ['AUTO_REPLY', undefined, true],
  'read-receipt': ['RECEIPT', undefined, true],
  'reply-exchange': ['MAIL'],
  'reply-in-reply-to-encoded-word': ['MAIL'],
  'reply-to-away-note': ['MAIL'],
  'reply-with-attached-bounce': ['MAIL'],
}
