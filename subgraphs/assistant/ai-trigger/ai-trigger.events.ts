import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { AiTrigger } from './ai-trigger.ts'

export const aiTriggerEvents: RecordEvents<AiTrigger> = {
  types: {
    'ai_trigger.created': { operation: 'CREATE', description: 'An AI workflow was created.' },
    'ai_trigger.updated': {
      operation: 'UPDATE',
      description: 'The settings or the secret of an AI workflow were changed; secrets are not included.',
      before: { status: 'PAUSED' },
    },
    'ai_trigger.deleted': { operation: 'DELETE', description: 'An AI workflow was deleted.' },
  },
}
