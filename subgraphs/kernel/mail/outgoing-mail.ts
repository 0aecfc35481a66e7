import type Mail from 'nodemailer/lib/mailer/index.js'

export interface MailAttachment {
  readonly filename: string
  /** Media type. */
  readonly contentType: string
  readonly content: Buffer
}

/** An attachment as JSON: its bytes in Base64. */
export type EncodedAttachment = Omit<MailAttachment, 'content'> & { readonly content: string }

export interface MailPerson {
  readonly name: string
  /** In its canonical form. */
  readonly address: string
}

export interface OutgoingMail {
  /** The same for every attempt, so that mail programs show a mail that was sent twice as one. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments?: readonly EncodedAttachment[]
  /** A POST to it without a credential ends mails like this one (RFC 8058). */
  readonly unsubscribeUrl?: string
  /** Who gets the answers to the mail; the sender without it. */
  readonly replyTo?: MailPerson
  readonly date: Date
}

/** A mail of a user to a customer, complete with its headers. */
export interface UserMail {
  /** The same for every attempt: name of the file without a mail server. */
  readonly id: string
  readonly date: Date
  /** The message for nodemailer. Its addresses are validated. */
  readonly message: Mail.Options
}

/** A recipient that the mail server refused. */
export interface RefusedRecipient {
  readonly address: string
  /** What the server said, such as `550 5.1.1 No such user`. */
  readonly reply: string
}

/** Sends mails. Resolves when the mail server has accepted the mail; a retry after `MailRefused` would fail again. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<void>
  /**
   * Sends a mail of a user through the mail server of the platform, whose address is the sender. Returns the recipients that the server has
   * refused, while it has accepted the mail for others.
   */
  sendForUser(mail: UserMail): Promise<readonly RefusedRecipient[]>
  /** The address from which the platform sends. */
  readonly from: string
  /** Closes the connections to the mail server. */
  close(): void
}
