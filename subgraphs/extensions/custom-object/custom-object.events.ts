import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CustomObject } from './custom-object.ts'

export const customObjectEvents: RecordEvents<CustomObject> = {
  types: {
    'custom_object.created': { operation: 'CREATE', description: 'A custom object was created.' },
    'custom_object.updated': {
      operation: 'UPDATE',
      description:
        'A custom object was changed; previous holds the object before the change and changedFields lists the changed fields.',
      before: { label: 'Visit' },
    },
    'custom_object.deleted': {
      operation: 'DELETE',
      description: 'A custom object was deleted; its records are kept out of sight, and it can be restored.',
    },
    'custom_object.restored': {
      operation: 'RESTORE',
      description: 'A deleted custom object was restored, with its records.',
    },
  },
}
