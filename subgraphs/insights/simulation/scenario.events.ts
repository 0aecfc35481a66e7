import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Scenario } from './scenario.ts'

export const scenarioEvents: RecordEvents<Scenario> = {
  types: {
    'scenario.created': { operation: 'CREATE', description: 'A scenario of the pipeline was created.' },
    'scenario.updated': {
      operation: 'UPDATE',
      description: 'A run of a scenario has begun, was completed, has failed or was cancelled.',
      before: { status: 'RUNNING' },
      sample: { status: 'COMPLETED' },
    },
    'scenario.deleted': { operation: 'DELETE', description: 'A scenario of the pipeline was deleted.' },
  },
}
