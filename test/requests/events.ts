import { newId } from '../../subgraphs/kernel/ids.ts'
import { customEventType } from '../../subgraphs/events/custom-event-type/custom-event-type.record.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import type { Member, Platform } from '../platform.ts'
import type { Sender } from './sender.ts'

/** A delivery of the webhook that has failed. */
async function aDelivery(
  { platform, member: { organizationId } }: Sender,
  id: string,
  { deliveryId }: Readonly<Record<string, string>>,
): Promise<void> {
  await platform.query(
    `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
       request_headers, request_body, latency_ms, error, is_replay, is_test)
     values ($1, $2, $3, $2, $2, 'account.created', 1, 1, 'FAILED', '{}', '{}', 5, 'The connection was refused.', false, false)`,
    [organizationId, deliveryId, id],
  )
}

/** Gives the member a notification with this id, because no operation creates one. */
async function aNotification({ platform, member }: Sender, id: string): Promise<void> {
  await platform.query(
    `insert into events.notification (organization_id, id, user_id, event_key, category, title, body, priority, group_key, event_id,
       in_app, email, push, created_at)
     values ($1, $2, $3, 'task.assigned', 'ASSIGNMENTS', 'A task was assigned to you', '', 'NORMAL', 'task.assigned', $2,
       'SENT', 'SUPPRESSED', 'SUPPRESSED', now())`,
    [member.organizationId, id, member.userId],
  )
}

export const eventPreparations = {
  webhookDelivery: aDelivery,
  webhookDeliveryList: async (requests: Sender, id: string) => {
    for (let row = 0; row < 2; row++) await aDelivery(requests, id, { deliveryId: newId() })
  },
  webhookDeliveryReplay: aDelivery,
  notificationList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aNotification(requests, newId())
  },
  notificationRead: aNotification,
  notificationDelete: aNotification,
}

/** The name of the custom event type whose events are published. */
export const customEventName = 'machine_stopped'

/** The custom event type with this name, whose payload has the property `minutes`. */
async function customEventTypeNamed(
  { services }: Platform,
  { organizationId }: Member,
  apiName: string,
): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const [known] = await ctx.db.query(
    'select from events.custom_event_type where organization_id = $1 and api_name = $2 and deleted_at is null',
    [organizationId, apiName],
  )
  if (known) return
  await recordsOf(customEventType).create(ctx, {
    apiName,
    label: 'Machine stopped',
    publishAccess: 'MEMBERS',
    schema: { type: 'object', properties: { minutes: { type: 'integer' } } },
  })
}

export const eventBodies = {
  async customEventPublish({ platform, member }: Sender) {
    await customEventTypeNamed(platform, member, customEventName)
    return { data: { minutes: 12 } }
  },
  notificationPreferencesUpdate: async (_requests: Sender, whole: boolean) =>
    whole
      ? {
          events: { 'task.assigned': { inApp: true, email: false, push: false } },
          quietHours: { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Oslo', followProfile: false },
          digest: { enabled: true, time: '08:00', timezone: 'Europe/Oslo', followProfile: false },
          emailCategories: { TASKS: false },
        }
      : {},
  webhookTest: async () => ({ type: 'account.created' }),
  webhookListenTrigger: async () => ({ type: 'account.created' }),
  webhookRecover: async () => ({ since: '2027-01-01T00:00:00.000Z' }),
}
