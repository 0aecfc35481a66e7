import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CustomEventType } from './custom-event-type.ts'

export const customEventTypeEvents: RecordEvents<CustomEventType> = {
  types: {
    'custom_event_type.created': { operation: 'CREATE', description: 'A custom event type was created.' },
    'custom_event_type.updated': {
      operation: 'UPDATE',
      description:
        'A custom event type was changed; previous holds the type before the change and changedFields lists the changed fields.',
      before: { label: 'Machine stood still' },
    },
    'custom_event_type.deleted': {
      operation: 'DELETE',
      description: 'A custom event type was deleted: its events can no longer be published.',
    },
  },
}
