import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Pipeline } from './pipeline.ts'

export const pipelineEvents: RecordEvents<Pipeline> = {
  types: {
    'pipeline.created': {
      operation: 'CREATE',
      description: 'A pipeline was created. The pipeline that every organization has from the beginning has no event.',
    },
    'pipeline.updated': {
      operation: 'UPDATE',
      description:
        'A pipeline or one of its stages was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { description: 'Contracts that end.' },
    },
  },
}
