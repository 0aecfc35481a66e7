import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { auditRecord } from '../audit/audit.ts'
import { apiKeyEvents } from './api-key.events.ts'
import { apiKeyProblems } from './api-key.rules.ts'
import { ApiKey } from './api-key.ts'

/** The audit log contains the rights of a key, and not its usage counters (specification, Authentication, 5). */
const audited = (key: ApiKey) => ({
  ownerId: key.ownerId,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  rateLimit: key.rateLimit,
  ipAllowList: key.ipAllowList,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  previousSecretExpiresAt: key.previousSecretExpiresAt,
})

export const apiKey: RecordDefinition<ApiKey> = defineRecord(ApiKey, {
  object: 'api_key',
  table: 'identity.api_key',
  visibleBy: ['ownerId'],
  searchable: ['name', 'prefix'],
  totals: { by: [] },
  events: apiKeyEvents,
  audit: auditRecord('api_key', audited),
  checks: apiKeyProblems,
})
