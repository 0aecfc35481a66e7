// The record types must be registered.
import '../all.ts'
import { webhookConsumer } from '../events/delivery/webhook-consumer.ts'
import { secretPlace } from '../events/webhook/webhook-secret.ts'
import { newSigningSecret } from '../kernel/secrets/signing-secret.ts'
import { webhook } from '../events/webhook/webhook.record.ts'
import type { Webhook } from '../events/webhook/webhook.ts'
import { insertRecords, type GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Services } from '../kernel/request.ts'
import { Vault } from '../kernel/secrets/vault.ts'
import { dayMs, iso } from './calendar.ts'
import { eventsBetween } from './notifications.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { logAttempts } from './webhook-attempts.ts'

const endpoints = [
  {
    name: 'Orders to the ERP',
    url: 'https://erp.example/hooks/orders',
    events: ['opportunity.won', 'order.confirmed', 'order.created', 'order.fulfilled', 'quote.accepted'],
  },
  {
    name: 'Cases to the on-call team',
    url: 'https://oncall.example/crm/cases',
    events: ['case.created', 'case.escalated', 'case.sla_breached'],
  },
]

const createdDays = 90
/** The log is shown for 30 days. */
const loggedDays = 28

/**
 * The webhooks of an organization with the log of their deliveries, which are queued as the fan-out does. The receivers do not exist, so the
 * webhooks are turned off: nothing is sent. When a user turns one on, it receives the events from then on.
 */
export async function loadWebhooks(services: Services, input: GeneratorInput): Promise<void> {
  const { database: sql } = services
  const { organizationId, midnightMs } = input
  const secrets = await insertWebhooks(services, input)
  const ids = [...secrets.keys()]
  await sql.query('update events.webhook set is_enabled = true where id = any($1::uuid[])', [ids])
  await sql.query(`update events.webhook_start set position = 0, earlier_event_ids = '{}' where webhook_id = any($1)`, [
    ids,
  ])
  const types = endpoints.flatMap(({ events }) => events)
  const events = await eventsBetween(services, organizationId, types, midnightMs - loggedDays * dayMs, midnightMs)
  if (events.length > 0) await webhookConsumer.consume(services, sql, { organizationId, events })
  await logAttempts(sql, input, secrets)
  await sql.query('update events.webhook set is_enabled = false where id = any($1::uuid[])', [ids])
  for (const table of ['events.webhook_start', 'events.webhook_subscriber'])
    await sql.query(`delete from ${table} where organization_id = $1`, [organizationId])
  await sql.query('delete from kernel.event_consumer where organization_id = $1 and name = $2', [
    organizationId,
    webhookConsumer.name,
  ])
}

/** The secret of each webhook. */
async function insertWebhooks(
  { database: sql, keys }: Services,
  input: GeneratorInput,
): Promise<ReadonlyMap<string, string>> {
  const { organizationId, profile, users, midnightMs } = input
  const random = new Random(`webhooks ${profile.code}`)
  const owner = users.find(({ role }) => role === 'ADMIN' || role === 'OWNER')!
  // The organization is created in this transaction, which no other connection sees.
  const vault = new Vault(sql, keys.encryption)
  await vault.load(organizationId)
  const secrets = new Map<string, string>()
  const generated = endpoints.map((endpoint, index): GeneratedRecord<Webhook> => {
    const createdMs = midnightMs - (createdDays - index) * dayMs
    const common = commonFields(input, random, createdMs, owner.id)
    const secret = newSigningSecret()
    secrets.set(common.id, secret)
    const values = {
      ...common,
      ...endpoint,
      ownerId: owner.id,
      isEnabled: false,
      disabledAt: iso(midnightMs),
      disabledReason: 'REQUESTED',
      payloadVersion: 2,
      retryAttempts: 3,
      retryDelaySeconds: 60,
      headers: {},
      fields: [],
      conditions: [],
      logic: 'AND',
      debounceSeconds: 0,
      skipOwn: false,
      consecutiveFailures: 0,
      isPaused: false,
      sealedSecret: vault.seal(organizationId, secretPlace(organizationId, common.id), secret),
    } satisfies Partial<Webhook>
    return { values, actorId: owner.id, eventId: random.id(createdMs) }
  })
  await insertRecords(sql, webhook, generated)
  return secrets
}
