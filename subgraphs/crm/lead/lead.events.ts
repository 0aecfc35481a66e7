import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Lead } from './lead.ts'

const converted = {
  status: 'CONVERTED',
  convertedAt: '2026-11-02T10:40:00.000Z',
  convertedById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  convertedAccountId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  convertedContactId: '019a0c5e-7f00-7d33-a1b8-92c4f06d7e15',
  convertedOpportunityId: '019a0c5e-7f00-7e64-8c9f-17d5b3a8e240',
} as const

export const leadEvents: RecordEvents<Lead> = {
  neverNull: {
    ownerId:
      'Id of the user who owns the record, an active user of the organization. Which users can see the record depends on its owner.',
  },
  types: {
    'lead.created': {
      operation: 'CREATE',
      description: 'A lead was created by the UI, API, import, web form or automation.',
    },
    'lead.updated': {
      operation: 'UPDATE',
      description:
        'A lead was edited; previous holds the record before the change and changedFields lists what changed. A conversion has the event lead.converted instead.',
      before: { status: 'NEW', rating: 'WARM', leadScore: 45, firstResponseAt: null },
    },
    'lead.deleted': { operation: 'DELETE', description: 'A lead was deleted; it can be restored.' },
    'lead.merged': {
      operation: 'UPDATE',
      description:
        'Other leads were merged into this one, which has their references now; mergedIds are their ids. Each of them has an event lead.deleted.',
      adds: { mergedIds: 'change.mergedIds' },
    },
    'lead.restored': { operation: 'RESTORE', description: 'A deleted lead was restored.' },
    'lead.assigned': {
      operation: 'UPDATE',
      description: 'A lead got another owner.',
      adds: { previousOwnerId: 'previous.ownerId', ownerId: 'record.ownerId' },
      before: { ownerId: null },
    },
    'lead.converted': {
      operation: 'UPDATE',
      description:
        'A lead was converted to an account, a contact and, unless convertedOpportunityId is null, an opportunity. The events of these records come before it.',
      adds: {
        convertedAccountId: 'record.convertedAccountId',
        convertedContactId: 'record.convertedContactId',
        convertedOpportunityId: 'record.convertedOpportunityId',
      },
      sample: converted,
      before: {
        status: 'QUALIFIED',
        convertedAt: null,
        convertedById: null,
        convertedAccountId: null,
        convertedContactId: null,
        convertedOpportunityId: null,
      },
    },
  },
}
