import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Case } from './case.ts'

export const caseEvents: RecordEvents<Case> = {
  types: {
    'case.created': { operation: 'CREATE', description: 'A case was opened.' },
    'case.updated': {
      operation: 'UPDATE',
      description:
        'A case was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { type: 'QUESTION', tags: [] },
    },
    'case.deleted': { operation: 'DELETE', description: 'A case was deleted; it can be restored.' },
    'case.restored': { operation: 'RESTORE', description: 'A deleted case was restored.' },
    'case.status_changed': {
      operation: 'UPDATE',
      description: 'The status of a case changed.',
      adds: { previousStatus: 'previous.status', status: 'record.status' },
      before: { status: 'OPEN', priority: 'MEDIUM', escalatedAt: null, escalationLevel: 0 },
    },
    'case.assigned': {
      operation: 'UPDATE',
      description: 'The assignee of a case changed or was removed.',
      adds: { previousAssignedToId: 'previous.assignedToId', assignedToId: 'record.assignedToId' },
      before: { assignedToId: null },
    },
    'case.escalated': {
      operation: 'UPDATE',
      description: 'A case was escalated; escalationLevel is the number of times that it was.',
      adds: { escalationLevel: 'record.escalationLevel' },
      before: { status: 'OPEN', priority: 'MEDIUM', escalatedAt: null, escalationLevel: 0 },
    },
    'case.sla_breached': {
      operation: 'UPDATE',
      description:
        'A case passed its slaDueAt without being resolved. Emitted once per slaDueAt: again only if slaDueAt is set to a future time and passes too.',
      adds: { slaDueAt: 'record.slaDueAt' },
    },
  },
  sample: { status: 'ESCALATED', escalatedAt: '2026-11-02T10:40:00.000Z', escalationLevel: 1, tags: ['printing'] },
}
