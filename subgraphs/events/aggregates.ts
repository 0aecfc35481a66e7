import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import { countedBy } from '../kernel/record/aggregate/counted-shape.ts'
import { createdAfter } from '../kernel/record/rest-area.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { CustomEventTypeFilter } from './custom-event-type/custom-event-type.inputs.ts'
import { customEventType } from './custom-event-type/custom-event-type.record.ts'
import { delivery } from './delivery/delivery.record.ts'
import { notification, ownOnly } from './notification/notification.record.ts'
import { notificationScope } from './notification/notification.ts'
import { webhookTypes } from './webhook/webhook.inputs.ts'
import { webhook } from './webhook/webhook.record.ts'

// Not by what was sent and answered, which not every administrator sees.
const attempt = countedBy(delivery, [
  'id',
  'webhookId',
  'eventType',
  'eventVersion',
  'attempt',
  'status',
  'responseStatus',
  'latencyMs',
  'isReplay',
  'isTest',
  'createdAt',
  'nextAttemptAt',
])

const notice = countedBy(notification, [
  'id',
  'userId',
  'inApp',
  'eventKey',
  'category',
  'priority',
  'entityType',
  'actorId',
  'count',
  'isRead',
  'readAt',
  'createdAt',
])

/** The aggregates of the record types whose operations are not all standard ones. */
export const eventsAggregates: readonly Resource[] = [
  aggregateResource(customEventType, 'READ_CUSTOM_EVENT_TYPES', { filter: CustomEventTypeFilter }),
  aggregateResource(notice, notificationScope, {
    rule: 'Of the notifications of the caller only.',
    within: ownOnly,
    condition: { inApp: { eq: 'SENT' } },
    path: 'notifications',
    filters: ['eventKey', 'category', 'priority', 'entityType', 'isRead', createdAfter],
  }),
  aggregateResource(webhook, 'READ_WEBHOOKS', { args: webhookTypes.AggregateArgs, isForAdministrators: true }),
  aggregateResource(attempt, 'READ_WEBHOOKS', {
    isForAdministrators: true,
    path: 'webhooks/deliveries',
    many: 'attempts',
    folder: 'webhook-deliveries',
    filters: ['webhookId', 'eventType', 'status', 'isReplay', 'isTest', createdAfter],
  }),
]
