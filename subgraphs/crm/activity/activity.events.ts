import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Activity } from './activity.ts'

export const activityEvents: RecordEvents<Activity> = {
  types: {
    'activity.created': { operation: 'CREATE', description: 'An activity was logged.' },
    'activity.updated': {
      operation: 'UPDATE',
      description:
        'An activity was filed under another record, or its owner, labels or custom fields changed. What happened never changes.',
      before: { tags: [] },
    },
    'activity.deleted': { operation: 'DELETE', description: 'An activity was deleted; it can be restored.' },
    'activity.restored': { operation: 'RESTORE', description: 'A deleted activity was restored.' },
  },
}
