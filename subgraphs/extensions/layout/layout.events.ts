import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Layout } from './layout.ts'

export const layoutEvents: RecordEvents<Layout> = {
  types: {
    'layout.created': { operation: 'CREATE', description: 'A layout was created.' },
    'layout.updated': {
      operation: 'UPDATE',
      description:
        'A layout was changed; previous holds the layout before the change and changedFields lists the changed fields.',
      before: { name: 'Accounts' },
    },
    'layout.deleted': {
      operation: 'DELETE',
      description: 'A layout was deleted: its users have the default of the organization, or that of the platform.',
    },
  },
}
