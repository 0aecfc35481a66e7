import type { Grant } from '../../kernel/credentials/public.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditRecord } from '../audit/audit.ts'
import type { ConnectedApp } from './connected-app.ts'

/** Consents have no events, only entries in the audit log. */
export const grantChanges: TrackedObject<Grant> = {
  object: 'oauth_grant',
  eventTypes: { DELETE: 'oauth_grant.ended' },
  audit: auditRecord('oauth_grant', ({ appId, userId, scopes }) => ({ appId, userId, scopes })),
}

/** Connected apps have no events, only entries in the audit log. */
export const connectedAppChanges: TrackedObject<ConnectedApp> = {
  object: 'connected_app',
  eventTypes: { DELETE: 'connected_app.revoked' },
  audit: auditRecord('connected_app', (app) => app),
}
