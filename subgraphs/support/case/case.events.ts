import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Case } from './case.ts'

const accountId = '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'
const agentId = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'

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
  sample: {
    caseNumber: 1042,
    subject: 'Labels print without the delivery barcode',
    description:
      'Since this morning every label from dock 3 lacks the barcode below the address. Docks 1 and 2 are fine.',
    status: 'ESCALATED',
    priority: 'HIGH',
    type: 'INCIDENT',
    origin: 'EMAIL',
    accountId,
    assignedToId: agentId,
    slaDueAt: '2026-11-05T08:15:00.000Z',
    firstResponseDueAt: '2026-11-02T16:15:00.000Z',
    firstResponseAt: '2026-11-02T09:02:00.000Z',
    escalatedAt: '2026-11-02T10:40:00.000Z',
    escalationLevel: 1,
    reopenCount: 0,
    tags: ['printing'],
  },
}
