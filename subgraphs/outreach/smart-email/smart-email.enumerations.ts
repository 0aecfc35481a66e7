import { enumeration } from '../../kernel/record/column.ts'

export const SmartEmailStatus = enumeration('SmartEmailStatus', 'How far a draft is.', {
  DRAFT: 'Being written. The status of a new draft.',
  SCHEDULED: 'It will be sent at `scheduledAt`. It can still be changed, and taken back to DRAFT.',
  SENDING: 'Its mail is queued. It can no longer be changed.',
  SENT: 'Its mail was sent. It can no longer be changed.',
  FAILED: 'Its mail was not sent; `failureReason` says why. A change makes it a DRAFT again.',
  DISCARDED: 'It was deleted. Only the list of deleted drafts has it, until it is restored as a DRAFT.',
})
export type SmartEmailStatus = keyof typeof SmartEmailStatus

export const SmartEmailTone = enumeration('SmartEmailTone', 'How a mail sounds.', {
  PROFESSIONAL: 'Polite and to the point. The default.',
  FRIENDLY: 'Warm and informal.',
  FORMAL: 'As in a letter.',
  CONCISE: 'As short as possible.',
  PERSUASIVE: 'Asks for a decision.',
})
export type SmartEmailTone = keyof typeof SmartEmailTone

export const SmartEmailEntityType = enumeration('SmartEmailEntityType', 'A kind of record that a text is based on.', {
  CONTACT: 'A contact.',
  ACCOUNT: 'An account.',
  OPPORTUNITY: 'An opportunity.',
  EMAIL_THREAD: 'A thread of mails.',
  EMAIL: 'One mail.',
})
export type SmartEmailEntityType = keyof typeof SmartEmailEntityType
