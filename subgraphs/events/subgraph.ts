import type { TrackedObject } from '../kernel/record/event-types.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { eventsAggregates } from './aggregates.ts'
import { catalogResource } from './catalog/catalog.resolver.ts'
import { customEventsResource } from './custom-event-stream/custom-events.resolver.ts'
import { customEventTypeResource } from './custom-event-type/custom-event-type.resolver.ts'
import { customEventType } from './custom-event-type/custom-event-type.record.ts'
import { deliveryResource } from './delivery/delivery.resolver.ts'
import { eventListResource } from './event-list/event-list.resolver.ts'
import { listenResource } from './listen/listen.resolver.ts'
import { nodeResource } from './node/node.resolver.ts'
import { notificationAddedResource } from './notification/live/notification-added.resolver.ts'
import { notificationResource } from './notification/notification.resolver.ts'
import { pushResource } from './notification/push/push.resolver.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'
import { streamedRecords } from './record-change/record-change.ts'
import { webhookPorts } from './webhook/webhook.context.ts'
import { webhookResource } from './webhook/webhook.resolver.ts'
import { externalIds } from './external-ids.migrations.ts'

const eventSources = (subgraphs: readonly SubgraphDefinition[]): TrackedObject[] =>
  subgraphs.flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
  )

/** The subgraph of events: their catalog, and who receives them. What it knows of records is derived from the other subgraphs. */
export function eventsSubgraph(others: readonly SubgraphDefinition[]): SubgraphDefinition {
  const records = streamedRecords(others)
  const [perOrganization = null] = others.flatMap(({ resources }) =>
    resources.flatMap((one) => one.perOrganization ?? []),
  )
  return {
    name: 'events',
    ports: ['events', ...webhookPorts],
    migrations: [externalIds],
    resources: [
      catalogResource,
      customEventTypeResource,
      recordChangeResource(records, perOrganization),
      nodeResource(records, perOrganization),
      customEventsResource,
      eventListResource,
      listenResource,
      webhookResource([...eventSources(others), customEventType]),
      deliveryResource,
      notificationResource(records),
      notificationAddedResource,
      pushResource,
      ...eventsAggregates,
    ],
  }
}
