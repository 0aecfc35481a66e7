import { enumeration } from '../../kernel/record/column.ts'

export const SequenceEntityType = enumeration('SequenceEntityType', 'What is enrolled in a sequence.', {
  LEAD: 'A lead.',
  CONTACT: 'A contact.',
})
export type SequenceEntityType = keyof typeof SequenceEntityType

export const SequenceEnrollmentStatus = enumeration(
  'SequenceEnrollmentStatus',
  'Where an enrollment stands. Only ACTIVE and PAUSED ones can still change.',
  {
    ACTIVE: 'Goes from step to step.',
    PAUSED: 'Stopped; the rest of its delay is kept.',
    COMPLETED: 'Every step was executed.',
    REPLIED: 'Ended, because the person replied.',
    BOUNCED: 'Ended, because a mail bounced.',
    UNSUBSCRIBED: 'Ended, because the person unsubscribed or complained.',
    UNENROLLED: 'Ended by a user or by a rule; exitReason says which.',
    MERGED: 'Ended, because the lead or contact was merged into another one, which was in the sequence, too.',
    FAILED: 'Ended, because a step could not be executed.',
  },
)
export type SequenceEnrollmentStatus = keyof typeof SequenceEnrollmentStatus

export const SequenceAttemptResult = enumeration('SequenceAttemptResult', 'What came of the execution of a step.', {
  SENT: 'A mail was queued; the mail says what became of it.',
  TASK_CREATED: 'A task was created.',
  WAITED: 'The step only waited.',
  CONDITION_TRUE: 'The condition was met.',
  CONDITION_FALSE: 'The condition was not met.',
  PENDING: 'A webhook is being called.',
  CALLED: 'The webhook was called.',
  SKIPPED: 'Nothing was done, or the queued mail is not sent any more; detail says why.',
  FAILED: 'It failed; detail says why.',
})
export type SequenceAttemptResult = keyof typeof SequenceAttemptResult

export const SequenceRefusal = enumeration('SequenceRefusal', 'Why a lead or contact was not enrolled.', {
  ALREADY_ACTIVE: 'It has a running enrollment in the sequence, ACTIVE or PAUSED.',
  IN_OTHER_SEQUENCE: 'It has a running enrollment in another sequence, and allowOtherSequences is false.',
  NO_EMAIL: 'It has no email address, and the sequence sends mails.',
  OPTED_OUT:
    'The person does not want mails, or does not agree to be contacted: emailOptOut, an unsubscription, a complaint, the suppression list, or the consent DENIED.',
  BOUNCED: 'Mails to its address bounce.',
  NOT_FOUND: 'There is no such lead or contact that the caller sees.',
  NO_ACCESS:
    'The sender does not see it, the profile of the caller hides its email address, or it is a converted lead.',
})
export type SequenceRefusal = keyof typeof SequenceRefusal

export const SequenceBulkStatus = enumeration(
  'SequenceBulkStatus',
  'What happened to one record of a bulk enrollment.',
  {
    ENROLLED: 'It was enrolled.',
    SKIPPED: 'It is in this or in another sequence already: ALREADY_ACTIVE or IN_OTHER_SEQUENCE.',
    FAILED: 'It cannot be enrolled; reason says why.',
  },
)
export type SequenceBulkStatus = keyof typeof SequenceBulkStatus
