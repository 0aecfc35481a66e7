import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Account } from './account.ts'

export const accountEvents: RecordEvents<Account> = {
  types: {
    'account.created': {
      operation: 'CREATE',
      description: 'An account was created, in the UI, through the API, by an import or by an automation.',
    },
    'account.updated': {
      operation: 'UPDATE',
      description:
        'An account was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { accountStatus: 'PENDING', healthScore: 64 },
    },
    'account.deleted': { operation: 'DELETE', description: 'An account was deleted; it can be restored.' },
    'account.merged': {
      operation: 'UPDATE',
      description:
        'Other accounts were merged into this one, which has their references now; mergedIds are their ids. Each of them has an event account.deleted.',
      adds: { mergedIds: 'change.mergedIds' },
    },
    'account.restored': { operation: 'RESTORE', description: 'A deleted account was restored.' },
  },
  sample: { customFields: { renewalMonth: 'March' } },
}
