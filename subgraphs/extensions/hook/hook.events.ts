import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { BeforeSaveHook } from './hook.ts'

export const hookEvents: RecordEvents<BeforeSaveHook> = {
  types: {
    'before_save_hook.created': { operation: 'CREATE', description: 'A before-save hook was created.' },
    'before_save_hook.updated': {
      operation: 'UPDATE',
      description:
        'A before-save hook was changed; previous holds the hook before the change and changedFields lists the changed fields.',
      before: { timeoutMs: 1_000 },
    },
    'before_save_hook.deleted': {
      operation: 'DELETE',
      description: 'A before-save hook was deleted: it decides on no change any longer.',
    },
  },
}
