import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CustomAction } from './custom-action.ts'

export const customActionEvents: RecordEvents<CustomAction> = {
  types: {
    'custom_action.created': { operation: 'CREATE', description: 'A custom action was created.' },
    'custom_action.updated': {
      operation: 'UPDATE',
      description:
        'A custom action was changed; previous holds the action before the change and changedFields lists the changed fields.',
      before: { timeoutMs: 10_000 },
    },
    'custom_action.deleted': { operation: 'DELETE', description: 'A custom action was deleted.' },
  },
}
