import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceStep } from './sequence-step.ts'

export const sequenceEvents: RecordEvents<Sequence> = {
  types: {
    'sequence.created': { operation: 'CREATE', description: 'A sequence was created or copied.' },
    'sequence.updated': {
      operation: 'UPDATE',
      description:
        'A sequence or one of its steps was changed; previous holds the sequence before the change and changedFields lists the changed fields.',
      before: { stepRevision: 3 },
    },
    'sequence.deleted': { operation: 'DELETE', description: 'A sequence was deleted; it can be restored.' },
    'sequence.restored': { operation: 'RESTORE', description: 'A deleted sequence was restored.' },
    'sequence.activated': {
      operation: 'UPDATE',
      description: 'A sequence was set to ACTIVE, for the first time or after a pause.',
      before: { status: 'DRAFT', activatedAt: null },
    },
    'sequence.paused': {
      operation: 'UPDATE',
      description: 'An ACTIVE sequence was paused: the clocks of its enrollments stand still.',
      sample: { status: 'PAUSED', pausedAt: '2026-11-09T08:00:00.000Z' },
      before: { status: 'ACTIVE' },
    },
    'sequence.archived': {
      operation: 'UPDATE',
      description: 'A sequence was archived: its enrollments end.',
      sample: { status: 'ARCHIVED', pausedAt: '2026-11-09T08:00:00.000Z' },
      before: { status: 'PAUSED' },
    },
  },
}

export const sequenceStepEvents: RecordEvents<SequenceStep> = {
  types: {
    'sequence_step.created': { operation: 'CREATE', description: 'A step was added to a sequence.' },
    'sequence_step.updated': {
      operation: 'UPDATE',
      description: 'A step of a sequence was changed or moved.',
      before: { position: 2 },
    },
    'sequence_step.deleted': { operation: 'DELETE', description: 'A step was removed from a sequence.' },
  },
}
