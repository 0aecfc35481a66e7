import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Page } from './page.ts'

export const pageEvents: RecordEvents<Page> = {
  types: {
    'page.created': { operation: 'CREATE', description: 'A page was created.' },
    'page.updated': {
      operation: 'UPDATE',
      description:
        'A page was changed; previous holds the page before the change and changedFields lists the changed fields.',
      before: { label: 'Accounts' },
    },
    'page.deleted': {
      operation: 'DELETE',
      description: 'A page was deleted: its users have another page that is assigned to them, or their layout.',
    },
  },
}
