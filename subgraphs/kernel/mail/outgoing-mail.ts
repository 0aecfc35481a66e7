export interface MailAttachment {
  readonly filename: string
  /** Media type. */
  readonly contentType: string
  readonly content: Buffer
}

/** An attachment as JSON: its bytes in Base64. */
export type EncodedAttachment = Omit<MailAttachment, 'content'> & { readonly content: string }

export interface OutgoingMail {
  /** The same for every attempt, so that mail programs show a mail that was sent twice as one. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments?: readonly EncodedAttachment[]
  readonly date: Date
}

/** Sends mails. Resolves when the mail server has accepted the mail; a retry after `MailRefused` would fail again. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<void>
}
