import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Quota } from './quota.ts'

export const quotaEvents: RecordEvents<Quota> = {
  types: {
    'quota.created': { operation: 'CREATE', description: 'The quota of a user or a team for a period was set.' },
    'quota.updated': {
      operation: 'UPDATE',
      description: 'The target, the currency or the days of a quota were changed; previous holds the former values.',
      before: { target: 200000 },
    },
    'quota.attained': {
      operation: 'UPDATE',
      description: 'What was won reached the target of a quota, for the first time. The record is as it was.',
    },
    'quota.deleted': { operation: 'DELETE', description: 'A quota was deleted.' },
  },
}
