import type { TrackedObject } from '../kernel/record/event-types.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { notificationResource } from './notification/notification.resolver.ts'
import { pushResource } from './notification/push/push.resolver.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'
import { streamedRecords } from './record-change/record-change.ts'
import { webhookPorts } from './webhook/webhook.context.ts'
import { webhookResource } from './webhook/webhook.resolver.ts'

const eventSources = (subgraphs: readonly SubgraphDefinition[]): TrackedObject[] =>
  subgraphs.flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
  )

/**
 * The subgraph of events: the changes of records, the webhooks that receive them, and the notifications of users about them. All are
 * derived from the other subgraphs.
 */
export function eventsSubgraph(others: readonly SubgraphDefinition[]): SubgraphDefinition {
  const records = streamedRecords(others)
  return {
    name: 'events',
    ports: ['events', ...webhookPorts],
    resources: [
      recordChangeResource(records),
      webhookResource(eventSources(others)),
      notificationResource(records),
      pushResource,
    ],
  }
}
