import type { StateMachine } from '../../kernel/record/transitions.ts'
import type { SequenceEnrollmentStatus } from './enrollment.enumerations.ts'
import type { SequenceEnrollment } from './enrollment.ts'

// What the execution of a step or a reaction of the person leads to; nobody sets it.
const ends = { COMPLETED: [], REPLIED: [], BOUNCED: [], UNSUBSCRIBED: [], MERGED: [], FAILED: [] }

export const enrollmentStates: StateMachine<SequenceEnrollment, SequenceEnrollmentStatus> = {
  name: 'enrollment',
  scope: 'WRITE_SEQUENCES',
  transitions: {
    ACTIVE: { PAUSED: ['sequencePauseEnrollment'], UNENROLLED: ['sequenceUnenroll'], ...ends },
    PAUSED: { ACTIVE: ['sequenceResumeEnrollment'], UNENROLLED: ['sequenceUnenroll'], ...ends },
    COMPLETED: {},
    REPLIED: {},
    BOUNCED: {},
    UNSUBSCRIBED: {},
    UNENROLLED: {},
    MERGED: {},
    FAILED: {},
  },
}
