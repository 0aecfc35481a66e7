import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { auditChange } from '../audit/audit.ts'
import { oauthAppEvents } from './oauth-app.events.ts'
import { oauthAppProblems } from './oauth-app.rules.ts'
import { OAuthApp } from './oauth-app.ts'

export const oauthApp: RecordDefinition<OAuthApp> = defineRecord(OAuthApp, {
  object: 'oauth_app',
  table: 'identity.oauth_app',
  visibleBy: ['ownerId'],
  searchable: ['name'],
  totals: { by: [] },
  events: oauthAppEvents,
  audit: auditChange('oauth_app', ({ previous, next }) => ({ before: previous, after: next })),
  invariants: oauthAppProblems,
})
