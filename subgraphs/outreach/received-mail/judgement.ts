import type { EmailKind } from '../email/email.enumerations.ts'

/** A part of a mail with a content that is not shown. */
export interface MailPart {
  readonly contentType: string
  readonly content: Uint8Array
}

/** What is known about a received mail. */
export interface Evidence {
  /** Names in lower case; a name can occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly subject: string
  /** Canonical address. */
  readonly from: string
  readonly text: string
  readonly parts: readonly MailPart[]
}

/** What a report says about a recipient of a sent mail. */
export interface ReportedRecipient {
  /** The addresses that the report gives for the recipient, the best first; some services hide them. */
  readonly emails: readonly string[]
  readonly outcome: 'DELIVERED' | 'HARD' | 'SOFT' | 'COMPLAINED' | 'UNSUBSCRIBED'
  readonly reason: string
}

export interface Judgement {
  readonly kind: Exclude<EmailKind, 'INTERNAL'>
  /** The sent mails that a report names. */
  readonly messageIds: readonly string[]
  readonly recipients: readonly ReportedRecipient[]
}
