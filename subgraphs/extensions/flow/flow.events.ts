import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Flow } from './flow.ts'

export const flowEvents: RecordEvents<Flow> = {
  types: {
    'flow.created': { operation: 'CREATE', description: 'A flow was created.' },
    'flow.updated': {
      operation: 'UPDATE',
      description:
        'A flow was changed, activated or deactivated; previous holds the flow before the change and changedFields lists the changed fields.',
      before: { label: 'New accounts' },
    },
    'flow.deleted': { operation: 'DELETE', description: 'A flow was deleted; its open interviews were cancelled.' },
  },
}
