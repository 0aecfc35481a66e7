import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { ServerlessFunction } from './function.ts'

export const functionEvents: RecordEvents<ServerlessFunction> = {
  types: {
    'serverless_function.created': { operation: 'CREATE', description: 'A serverless function was created.' },
    'serverless_function.updated': {
      operation: 'UPDATE',
      description:
        'The settings of a serverless function were changed, or another version was deployed. Secrets are not included.',
      before: { timeoutMs: 10_000 },
    },
    'serverless_function.deleted': {
      operation: 'DELETE',
      description: 'A serverless function was deleted, with its versions and secrets.',
    },
  },
}
