import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { customEventsResource } from './custom-event-stream/custom-events.resolver.ts'
import { listenResource } from './listen/listen.resolver.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'
import { streamedRecords } from './record-change/record-change.ts'

/** The subgraph of events. The record types of its changes are derived from the entities of the other subgraphs. */
export const eventsSubgraph = (others: readonly SubgraphDefinition[]): SubgraphDefinition => ({
  name: 'events',
  ports: ['events'],
  resources: [recordChangeResource(streamedRecords(others)), customEventsResource, listenResource],
})
