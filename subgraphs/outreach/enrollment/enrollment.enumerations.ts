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
  SKIPPED: 'Nothing was done; detail says why.',
  FAILED: 'It failed; detail says why.',
})
export type SequenceAttemptResult = keyof typeof SequenceAttemptResult
