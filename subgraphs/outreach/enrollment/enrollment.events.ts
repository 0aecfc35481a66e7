import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { SequenceEnrollment } from './enrollment.ts'

const finishedAt = '2026-11-09T08:00:00.000Z'
const ended = { currentStepId: null, currentStepPosition: null, nextRunAt: null, finishedAt }

export const enrollmentEvents: RecordEvents<SequenceEnrollment> = {
  types: {
    'sequence_enrollment.updated': {
      operation: 'UPDATE',
      description: 'An enrollment was paused or went on, or came to its next step.',
      before: { currentStepPosition: 1 },
    },
    'sequence.enrolled': {
      operation: 'CREATE',
      description: 'A lead or contact was enrolled in a sequence.',
      sample: { currentStepPosition: 1, threadId: null, contactedAt: null, openedAt: null },
    },
    'sequence.completed': {
      operation: 'UPDATE',
      description: 'Every step of a sequence was executed for a lead or contact.',
      sample: { ...ended, status: 'COMPLETED' },
      before: { status: 'ACTIVE' },
    },
    'sequence.replied': {
      operation: 'UPDATE',
      description: 'A lead or contact replied to a mail of a sequence, and the sequence stopped for it.',
      sample: { ...ended, status: 'REPLIED', repliedAt: finishedAt },
      before: { status: 'ACTIVE' },
    },
    'sequence.webhook': {
      operation: 'UPDATE',
      description: 'An enrollment came to a step of the type WEBHOOK and went on.',
      before: { currentStepPosition: 1 },
    },
    'sequence.unenrolled': {
      operation: 'UPDATE',
      description: 'An enrollment ended before its last step: status and exitReason say why.',
      sample: { ...ended, status: 'UNENROLLED', exitReason: 'Taken over by phone' },
      before: { status: 'ACTIVE' },
    },
  },
}
