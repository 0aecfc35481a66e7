import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { endMergedEnrollments } from './end-merged.ts'
import { enrollmentEvents } from './enrollment.events.ts'
import { enrollmentStates } from './enrollment.states.ts'
import { SequenceEnrollment } from './enrollment.ts'

export const sequenceEnrollment: RecordDefinition<SequenceEnrollment> = defineRecord(SequenceEnrollment, {
  object: 'sequence_enrollment',
  eventTypes: { CREATE: 'sequence.enrolled' },
  table: 'outreach.sequence_enrollment',
  visibleBy: ['ownerId'],
  searchable: [],
  references: { ownerId: activeUsers },
  names: {
    entityId: { kind: 'entityType', kindOf: (object) => ({ contact: 'CONTACT', lead: 'LEAD' })[object] ?? null },
  },
  beforeMoved: (ctx, merged) => endMergedEnrollments(ctx, sequenceEnrollment, merged),
  totals: {
    by: ['sequenceId', 'status'],
    measures: {
      contacted: { count: 'contactedAt' },
      opened: { count: 'openedAt' },
      clicked: { count: 'clickedAt' },
      replied: { count: 'repliedAt' },
      bounced: { count: 'bouncedAt' },
      unsubscribed: { count: 'unsubscribedAt' },
      meetings: { count: 'meetingAt' },
    },
  },
  events: enrollmentEvents,
  states: enrollmentStates,
})
