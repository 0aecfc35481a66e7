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
    'activity.corrected': {
      operation: 'UPDATE',
      description: 'The wording of an activity was corrected. Instead of `activity.updated`.',
      sample: { correctedAt: '2026-11-02T09:02:00.000Z' },
      before: { body: 'They want 14 more seats from January.', correctedAt: null },
    },
    'activity.deleted': { operation: 'DELETE', description: 'An activity was deleted; it can be restored.' },
    'activity.restored': { operation: 'RESTORE', description: 'A deleted activity was restored.' },
  },
}
