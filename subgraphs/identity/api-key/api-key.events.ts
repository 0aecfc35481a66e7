import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { ApiKey } from './api-key.ts'

export const apiKeyEvents: RecordEvents<ApiKey> = {
  types: {
    'api_key.created': { operation: 'CREATE', description: 'An API key was created.' },
    'api_key.updated': {
      operation: 'UPDATE',
      description: 'An API key was changed.',
      before: { name: 'Nightly sync (old)' },
    },
    'api_key.rotated': {
      operation: 'UPDATE',
      description: 'An API key got a new secret; the former one works until the overlap ends.',
    },
    'api_key.expiring': {
      operation: 'UPDATE',
      description: 'An API key expires within 7 days; emitted once for each value of expiresAt.',
    },
    'api_key.revoked': { operation: 'UPDATE', description: 'An API key was revoked permanently.' },
    'api_key.deleted': { operation: 'DELETE', description: 'An API key was deleted and no longer works.' },
  },
  sample: {
    name: 'Nightly sync',
    prefix: 'ck_live_ab12',
    scopes: ['READ_ACCOUNTS', 'WRITE_CASES'],
    rateLimit: { limit: 1000, window: 'HOUR' },
    ipAllowList: ['203.0.113.0/24'],
    expiresAt: '2027-02-19T09:30:00.000Z',
    requestCount: 0,
    rateLimitHits: 0,
    deprecatedCalls: 0,
  },
}
