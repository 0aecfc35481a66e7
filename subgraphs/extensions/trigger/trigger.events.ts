import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { AfterSaveTrigger } from './trigger.ts'

export const triggerEvents: RecordEvents<AfterSaveTrigger> = {
  types: {
    'after_save_trigger.created': { operation: 'CREATE', description: 'An after-save trigger was created.' },
    'after_save_trigger.updated': {
      operation: 'UPDATE',
      description:
        'An after-save trigger was changed; previous holds the trigger before the change and changedFields lists the changed fields.',
      before: { timeoutMs: 1_000 },
    },
    'after_save_trigger.deleted': {
      operation: 'DELETE',
      description: 'An after-save trigger was deleted: it reacts to no change any longer.',
    },
  },
}
