import type { TrackedObject } from '../kernel/record/event-types.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { customEventsResource } from './custom-event-stream/custom-events.resolver.ts'
import { listenResource } from './listen/listen.resolver.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'
import { streamedRecords } from './record-change/record-change.ts'
import { webhookPorts } from './webhook/webhook.context.ts'
import { webhookResource } from './webhook/webhook.resolver.ts'

const eventSources = (subgraphs: readonly SubgraphDefinition[]): TrackedObject[] =>
  subgraphs.flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
  )

/** The subgraph of events: the changes of records, the webhooks and the live readers that receive them. The types are derived from the other subgraphs. */
export const eventsSubgraph = (others: readonly SubgraphDefinition[]): SubgraphDefinition => ({
  name: 'events',
  ports: ['events', ...webhookPorts],
  resources: [
    recordChangeResource(streamedRecords(others)),
    customEventsResource,
    listenResource,
    webhookResource(eventSources(others)),
  ],
})
