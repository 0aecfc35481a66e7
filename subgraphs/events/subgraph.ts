import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { recordChangeResource } from './record-change/record-change.resolver.ts'

export const events: SubgraphDefinition = {
  name: 'events',
  ports: ['events'],
  resources: [recordChangeResource],
}
