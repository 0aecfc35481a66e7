import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Webhook } from './webhook.ts'

export const webhookEvents: RecordEvents<Webhook> = {
  types: {
    'webhook.created': { operation: 'CREATE', description: 'A webhook was created.' },
    'webhook.updated': {
      operation: 'UPDATE',
      description:
        'The settings or the secret of a webhook were changed; neither secrets nor values of headers are included.',
      before: { url: 'https://erp.example.com/hooks' },
    },
    'webhook.deleted': { operation: 'DELETE', description: 'A webhook was deleted.' },
    'webhook.disabled': {
      operation: 'UPDATE',
      description: 'A webhook was turned off, by a user or because ten events in a row failed every attempt.',
      adds: { reason: 'record.disabledReason' },
      before: { isEnabled: true, disabledAt: null, disabledReason: null },
      sample: {
        isEnabled: false,
        disabledAt: '2026-11-02T08:15:00.000Z',
        disabledReason: 'FAILURES',
        consecutiveFailures: 10,
      },
    },
  },
}
