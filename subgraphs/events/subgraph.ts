import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'
import { streamedRecords } from './record-change/record-change.ts'

/** The subgraph of the changes of records. Its record types are derived from the entities of the other subgraphs. */
export const eventsSubgraph = (others: readonly SubgraphDefinition[]): SubgraphDefinition => ({
  name: 'events',
  ports: ['events'],
  resources: [recordChangeResource(streamedRecords(others))],
})
