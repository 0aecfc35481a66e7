import { activeAdministrators, auditRecord } from '../../identity/public.ts'
import { registerFieldUse } from '../../kernel/extension/field-uses.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { liesUnder } from '../../kernel/outbound/named-credentials.ts'
import type { WebhookContext } from './webhook.context.ts'
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

/** A credential authenticates at its own address only. In the transaction of the change, so that it is not deleted meanwhile. */
const coveringCredential: SerializedRule<Webhook> = {
  concerns: (_ctx, next, previous) =>
    next.namedCredentialId !== null &&
    !next.deletedAt &&
    (next.namedCredentialId !== previous?.namedCredentialId || next.url !== previous.url),
  async enforce(ctx, { namedCredentialId, url }) {
    const { credentials, db, caller } = ctx as WebhookContext
    const found = await credentials.find(db, caller.organizationId, namedCredentialId!)
    if (!found) {
      const message = 'namedCredentialId must be the id of a named credential of your organization.'
      return [{ path: 'namedCredentialId', code: 'UNKNOWN_REFERENCE', message }]
    }
    const address = URL.parse(url)
    if (address && liesUnder(address, found.baseUrl)) return []
    const message =
      'url must lie under the base URL of the named credential: same origin, and its path in whole segments.'
    return [{ path: 'url', code: 'NOT_COVERED', message }]
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
  namedCredentialId: webhook.namedCredentialId,
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
  serializedRules: [fewWebhooks, coveringCredential],
})

registerFieldUse({
  user: 'webhook',
  sql: `select w.id, w.name from events.webhook w where w.organization_id = $1 and w.deleted_at is null
      and exists (select from unnest(w.events) e where starts_with(e, $2::text || '.') or e like '*%')
      and concat(array_to_string(w.fields, ' '), ' ', w.conditions) ~ $3 order by w.name, w.id`,
})
