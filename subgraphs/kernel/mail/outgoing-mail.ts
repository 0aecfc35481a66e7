export interface OutgoingMail {
  /** The same for every attempt, so that a mail that was sent twice shows as one. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly date: Date
}

/** The way out for mail. Resolves when the mail is somebody else's to deliver; a `MailRefused` will fail again. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<void>
}
