/** How a mail should sound. */
export type MailTone = 'PROFESSIONAL' | 'FRIENDLY' | 'FORMAL' | 'CONCISE' | 'PERSUASIVE'

/** What a mail is to be about: the wishes of its author, and what is known. Every text is data, none is an instruction to a program. */
export interface MailBrief {
  /** One mail is written for each of these tones. */
  readonly tones: readonly MailTone[]
  readonly senderName: string | null
  readonly recipientName: string | null
  readonly companyName: string | null
  readonly purpose: string | null
  readonly intent: string | null
  readonly style: string | null
  /** What the author wants to be in the mail. */
  readonly notes: string | null
  /** The subject that the author wants. */
  readonly subject: string | null
  /** The opportunity that the mail is about. */
  readonly dealName: string | null
  /** What is known about the records, by the name of the fact. For understanding, not to be told to the recipient. */
  readonly facts: readonly { readonly name: string; readonly value: string }[]
  readonly conversationSummary: string | null
  /** The last mails, oldest first. */
  readonly conversation: readonly { readonly isFromRecipient: boolean; readonly text: string }[]
  /** The subject of the conversation that the mail continues. */
  readonly conversationSubject: string | null
  /** 0 for the first text, then 1, 2 …: each is written differently. */
  readonly attempt: number
}

/** A mail without formatting. */
export interface WrittenMail {
  readonly subject: string
  readonly paragraphs: readonly string[]
}
