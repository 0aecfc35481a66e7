import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CustomField } from './custom-field.ts'

export const customFieldEvents: RecordEvents<CustomField> = {
  types: {
    'custom_field.created': { operation: 'CREATE', description: 'A custom field was created.' },
    'custom_field.updated': {
      operation: 'UPDATE',
      description:
        'A custom field was changed; previous holds the field before the change and changedFields lists the changed fields.',
      before: { label: 'Service tier' },
    },
    'custom_field.deleted': {
      operation: 'DELETE',
      description: 'A custom field was deleted; records keep its values, and it can be restored.',
    },
    'custom_field.restored': { operation: 'RESTORE', description: 'A deleted custom field was restored.' },
  },
}
