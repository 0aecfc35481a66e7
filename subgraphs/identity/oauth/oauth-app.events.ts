import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { OAuthApp } from './oauth-app.ts'

export const oauthAppEvents: RecordEvents<OAuthApp> = {
  types: {
    'oauth_app.created': { operation: 'CREATE', description: 'An OAuth app was registered.' },
    'oauth_app.updated': {
      operation: 'UPDATE',
      description: 'An OAuth app was changed.',
      before: { name: 'Calendar link (old)' },
    },
    'oauth_app.secret_rotated': {
      operation: 'UPDATE',
      description: 'An OAuth app got a new client secret; the former one stopped working.',
    },
    'oauth_app.deleted': {
      operation: 'DELETE',
      description: 'An OAuth app was deleted; its tokens stopped working everywhere.',
    },
  },
  sample: {
    name: 'Calendar link',
    description: 'Shows deals beside meetings.',
    homepageUrl: 'https://calendar.example.com',
    appVersion: '1.2.0',
    type: 'CONFIDENTIAL',
    redirectUris: ['https://calendar.example.com/callback'],
    scopes: ['READ_ACCOUNTS'],
    rateLimit: { limit: 5000, window: 'HOUR' },
    secretPrefix: 'cs_a1b2c3d4',
  },
}
