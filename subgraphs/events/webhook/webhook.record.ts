import { activeAdministrators, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { webhookEvents } from './webhook.events.ts'
import { Webhook } from './webhook.ts'

/** Every event is compared with every webhook of its organization. */
export const webhooksMax = 100

const fewWebhooks: SerializedRule<Webhook> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from events.webhook where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < webhooksMax) return []
    const message = `An organization must have at most ${webhooksMax} webhooks; delete one first.`
    return [{ path: 'name', code: 'TOO_MANY', message }]
  },
}

/** The settings. The audit log contains neither secrets nor values of headers, and not what deliveries change. */
const audited = (webhook: Webhook) => ({
  ownerId: webhook.ownerId,
  name: webhook.name,
  url: webhook.url,
  events: webhook.events,
  isEnabled: webhook.isEnabled,
  payloadVersion: webhook.payloadVersion,
  retryAttempts: webhook.retryAttempts,
  retryDelaySeconds: webhook.retryDelaySeconds,
  headers: Object.keys(webhook.headers),
  fields: webhook.fields,
  conditions: webhook.conditions,
  logic: webhook.logic,
  debounceSeconds: webhook.debounceSeconds,
  skipOwn: webhook.skipOwn,
  selection: webhook.selection,
  previousSecretExpiresAt: webhook.previousSecretExpiresAt,
  disabledReason: webhook.disabledReason,
})

export const webhook: RecordDefinition<Webhook> = defineRecord(Webhook, {
  object: 'webhook',
  table: 'events.webhook_with_state',
  storedIn: 'events.webhook',
  visibleBy: [],
  searchable: ['name', 'url'],
  references: { ownerId: activeAdministrators },
  events: webhookEvents,
  isAdministrative: true,
  audit: auditRecord('webhook', audited),
  serializedRules: [fewWebhooks],
})
