import { LRUCache } from 'lru-cache'
import { activeMembers } from '../../identity/public.ts'
import type { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { Services } from '../../kernel/request.ts'
import { validSecrets } from '../../kernel/secrets/signing-secret.ts'
import { headersPlace, secretPlace } from './webhook-secret.ts'

/** A webhook as the sender needs it, with its secrets. Must not be logged. */
export interface SubscribedWebhook {
  readonly id: string
  readonly organizationId: string
  /** The user as whom it acts. */
  readonly ownerId: string
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly isEnabled: boolean
  readonly payloadVersion: number
  readonly retryAttempts: number
  readonly retryDelaySeconds: number
  /** The custom headers with their values. */
  readonly headers: Readonly<Record<string, string>>
  readonly namedCredentialId: string | null
  readonly fields: readonly string[]
  readonly conditions: readonly Condition[]
  readonly logic: ConditionLogic
  readonly debounceSeconds: number
  readonly skipOwn: boolean
  readonly selection: string | null
  readonly secret: string
  /** The secret before the last rotation; it signs until `previousSecretExpiresAt`. */
  readonly previousSecret: string | null
  readonly previousSecretExpiresAt: string | null
}

export interface ReadWebhook extends SubscribedWebhook {
  /** Its owner is no active owner or admin. */
  readonly isPaused: boolean
}

interface Stored extends Omit<SubscribedWebhook, 'headers' | 'secret' | 'previousSecret'> {
  readonly sealedHeaders: string | null
  readonly sealedSecret: string
  readonly sealedPreviousSecret: string | null
}

interface State extends Row {
  readonly version: number
  /** Ids of webhooks whose owner is no active owner or admin. */
  readonly paused: readonly string[]
}

interface Cached {
  readonly version: number
  readonly webhooks: readonly SubscribedWebhook[]
}

const bytesMax = 32 * 1024 * 1024

export type SigningWebhook = Pick<SubscribedWebhook, 'secret' | 'previousSecret' | 'previousSecretExpiresAt'>

/** The secrets that sign a delivery at this time, the current one first. */
export function signingSecrets(
  { secret, previousSecret, previousSecretExpiresAt }: SigningWebhook,
  now: Date,
): readonly string[] {
  return validSecrets(secret, previousSecret, previousSecretExpiresAt, now)
}

/**
 * The webhooks of organizations with their secrets, for the sender. Each call reads the version of the organization's webhooks; the
 * webhooks themselves are read and decrypted again only when it has changed. Must not be called in a transaction.
 */
export class WebhookReader {
  readonly #cache = new LRUCache<string, Cached>({
    maxSize: bytesMax,
    sizeCalculation: ({ webhooks }) => 200 + JSON.stringify(webhooks).length * 2,
  })

  constructor(private readonly services: Pick<Services, 'tenants' | 'vault'>) {}

  /** Finds a webhook of the organization, also when it is turned off; null if it was deleted. */
  async of(organizationId: string): Promise<(id: string) => ReadWebhook | null> {
    const { paused, webhooks } = await this.#read(organizationId)
    return (id) => {
      const found = webhooks.find((webhook) => webhook.id === id)
      return found ? { ...found, isPaused: paused.includes(id) } : null
    }
  }

  async #read(organizationId: string): Promise<{ paused: readonly string[]; webhooks: readonly SubscribedWebhook[] }> {
    const [state] = await this.services.tenants.of(organizationId).query<State>(
      `select v.version, array(
         select w.id from events.webhook w
         where w.organization_id = $1 and w.deleted_at is null and not exists (
           select from ${activeMembers('u')} where u.organization_id = $1 and u.id = w.owner_id and u.role in ('OWNER', 'ADMIN')
         )
       ) as paused
       from events.webhook_version v where v.organization_id = $1`,
      [organizationId],
    )
    if (!state) return { paused: [], webhooks: [] }
    let cached = this.#cache.get(organizationId)
    if (cached?.version !== state.version) {
      // A change after the version was read is found by the next call, which reads another version.
      cached = { version: state.version, webhooks: await this.#load(organizationId) }
      this.#cache.set(organizationId, cached)
    }
    return { paused: state.paused, webhooks: cached.webhooks }
  }

  async #load(organizationId: string): Promise<readonly SubscribedWebhook[]> {
    const { tenants, vault } = this.services
    const rows = await tenants.of(organizationId).query<Stored & Row>(
      `select id, organization_id as "organizationId", owner_id as "ownerId", name, url, events, is_enabled as "isEnabled",
         payload_version as "payloadVersion", retry_attempts as "retryAttempts", retry_delay_seconds as "retryDelaySeconds", fields,
         conditions, logic, debounce_seconds as "debounceSeconds", skip_own as "skipOwn", selection, named_credential_id as "namedCredentialId",
         previous_secret_expires_at as "previousSecretExpiresAt", sealed_headers as "sealedHeaders",
         sealed_secret as "sealedSecret", sealed_previous_secret as "sealedPreviousSecret"
       from events.webhook where organization_id = $1 and deleted_at is null order by created_at, id`,
      [organizationId],
    )
    for (const { sealedHeaders, sealedSecret, sealedPreviousSecret } of rows)
      for (const sealed of [sealedHeaders, sealedSecret, sealedPreviousSecret])
        if (sealed !== null) await vault.load(organizationId, sealed)
    return rows.map(({ sealedHeaders, sealedSecret, sealedPreviousSecret, ...webhook }) => {
      const place = secretPlace(organizationId, webhook.id)
      const open = (sealed: string | null, at = place) =>
        sealed === null ? null : vault.open(organizationId, at, sealed)
      const headers = open(sealedHeaders, headersPlace(organizationId, webhook.id))
      return {
        ...webhook,
        headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
        secret: open(sealedSecret)!,
        previousSecret: open(sealedPreviousSecret),
      }
    })
  }
}
