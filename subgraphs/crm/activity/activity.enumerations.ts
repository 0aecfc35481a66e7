import { enumeration } from '../../kernel/record/column.ts'

export const ActivityType = enumeration('ActivityType', 'What happened.', {
  EMAIL: 'An email was sent or received.',
  CALL: 'A call was made or received.',
  MEETING: 'A meeting took place, or is planned.',
  NOTE: 'Somebody wrote a note.',
  SMS: 'A text message was sent or received.',
  CHAT: 'A chat took place.',
  WEB_VISIT: 'Somebody visited a web page.',
  FORM_SUBMISSION: 'Somebody submitted a form.',
  EVENT_ATTENDANCE: 'Somebody attended an event.',
  PRODUCT_USAGE: 'Somebody used the product.',
  DOCUMENT_VIEW: 'Somebody viewed a document.',
  STAGE_CHANGE: 'An opportunity moved to another stage.',
  SYSTEM: 'Any other thing that the platform did or noticed.',
})
export type ActivityType = keyof typeof ActivityType

export const ActivityDirection = enumeration('ActivityDirection', 'Who addressed whom.', {
  INBOUND: 'The customer addressed the organization.',
  OUTBOUND: 'The organization addressed the customer.',
  INTERNAL: 'Between users of the organization.',
})
export type ActivityDirection = keyof typeof ActivityDirection

export const ActivityOutcome = enumeration('ActivityOutcome', 'How a contact ended.', {
  CONNECTED: 'Somebody was reached.',
  VOICEMAIL: 'A message was left.',
  NO_ANSWER: 'Nobody answered.',
  BUSY: 'The line was busy.',
  WRONG_NUMBER: 'It was the number of somebody else.',
  REPLIED: 'Somebody replied.',
  NO_SHOW: 'Somebody did not come.',
  COMPLETED: 'It took place as planned.',
})
export type ActivityOutcome = keyof typeof ActivityOutcome

export const ActivitySentiment = enumeration('ActivitySentiment', 'The mood of a contact.', {
  POSITIVE: 'Content.',
  NEUTRAL: 'Neither content nor discontent.',
  NEGATIVE: 'Discontent.',
})
export type ActivitySentiment = keyof typeof ActivitySentiment
