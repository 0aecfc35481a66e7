import type { RecordEvents } from '../../../subgraphs/kernel/record/event-types.ts'
import type { Task } from './task.ts'

export const taskEvents: RecordEvents<Task> = {
  types: {
    'task.created': { operation: 'CREATE', description: 'A task was created.' },
    'task.updated': { operation: 'UPDATE', description: 'A task was changed.', before: { status: 'OPEN' } },
    'task.deleted': { operation: 'DELETE', description: 'A task was deleted.' },
    'task.restored': { operation: 'RESTORE', description: 'A deleted task was restored.' },
  },
}
