import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Workflow } from './workflow.ts'

export const workflowEvents: RecordEvents<Workflow> = {
  types: {
    'workflow.created': { operation: 'CREATE', description: 'A workflow was created.' },
    'workflow.updated': {
      operation: 'UPDATE',
      description: 'The settings, the status or the secret of a workflow were changed; secrets are not included.',
      before: { delayMinutes: 5 },
    },
    'workflow.deleted': { operation: 'DELETE', description: 'A workflow was deleted.' },
    'workflow.paused': {
      operation: 'UPDATE',
      description: 'A workflow was paused by the platform, because it was started more than 500 times in a minute.',
      sample: { status: 'PAUSED', pausedReason: 'TOO_MANY_STARTS' },
      before: { status: 'ACTIVE', pausedReason: null },
    },
  },
}
