import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Contact } from './contact.ts'

export const contactEvents: RecordEvents<Contact> = {
  types: {
    'contact.created': {
      operation: 'CREATE',
      description: 'A contact was created, in the UI, through the API, by an import or by the conversion of a lead.',
    },
    'contact.updated': {
      operation: 'UPDATE',
      description:
        'A contact was edited, or ceased to be primary because another contact of the account became it; previous holds the record before the change and changedFields lists the changed fields.',
      before: { title: 'Fleet Manager', seniority: 'MANAGER' },
    },
    'contact.deleted': { operation: 'DELETE', description: 'A contact was deleted; it can be restored.' },
    'contact.merged': {
      operation: 'UPDATE',
      description:
        'Other contacts were merged into this one, which has their references now; mergedIds are their ids. Each of them has an event contact.deleted.',
      adds: { mergedIds: 'change.mergedIds' },
    },
    'contact.restored': {
      operation: 'RESTORE',
      description: 'A deleted contact was restored. It is not the primary contact of its account.',
    },
  },
}
