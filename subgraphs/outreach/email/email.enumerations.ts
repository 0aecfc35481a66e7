import { enumeration } from '../../kernel/record/column.ts'

export const EmailThreadStatus = enumeration('EmailThreadStatus', 'Whose turn it is in a thread.', {
  OPEN: 'The last mail came from the customer.',
  AWAITING_RESPONSE: 'The last mail was sent to the customer.',
  REPLIED: 'The customer answered a mail, and the answer is the last mail.',
  CLOSED: 'A user closed the thread. The next mail opens it again.',
})
export type EmailThreadStatus = keyof typeof EmailThreadStatus

export const EmailDirection = enumeration('EmailDirection', 'Whether a mail was sent or received.', {
  INBOUND: 'Received from the customer.',
  OUTBOUND: 'Sent to the customer.',
})
export type EmailDirection = keyof typeof EmailDirection

export const EmailStatus = enumeration(
  'EmailMessageStatus',
  'What is known about a mail. It only moves on in this order. A received mail is DELIVERED.',
  {
    QUEUED: 'Waiting to be sent.',
    SENT: 'Accepted by the mail server of the sender.',
    DELIVERED: 'Accepted by the mail server of the recipient.',
    OPENED: 'Opened by a person.',
    CLICKED: 'A person followed one of its links.',
    REPLIED: 'Answered by a person.',
    FAILED: 'Not sent, for another reason than an address that a server refuses; `failureReason` says why.',
    BOUNCED: 'Refused by a mail server for a recipient, now and in future. Others of its recipients may have got it.',
    COMPLAINED: 'Reported as spam by the recipient.',
  },
)
export type EmailStatus = keyof typeof EmailStatus

export const EmailKind = enumeration('EmailMessageKind', 'What kind of mail it is.', {
  MAIL: 'Written by or for a person.',
  AUTO_REPLY: 'Sent by a program, such as an out-of-office note. It is no reply.',
  BOUNCE: 'A report of a mail server that a mail was not delivered, or not yet.',
  COMPLAINT: 'A report of a mail service that its recipient marked a mail as spam.',
  RECEIPT: 'A notice that a mail was delivered, shown or deleted. It is no reply.',
  INTERNAL: 'Sent by a user or a mailbox of the organization. It is no reply of the customer.',
})
export type EmailKind = keyof typeof EmailKind

export const EmailBounceType = enumeration('EmailBounceType', 'Whether a later attempt can succeed.', {
  HARD: 'The address does not exist or refuses mails.',
  SOFT: 'A temporary problem, such as a full mailbox.',
})
export type EmailBounceType = keyof typeof EmailBounceType
