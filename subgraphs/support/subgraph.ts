import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { caseResource } from './case/case.resolver.ts'
import { accountEdgeResource } from './account-edge/account-edge.resolver.ts'

export const support: SubgraphDefinition = {
  name: 'support',
  ports: ['languageModel'],
  resources: [caseResource, accountEdgeResource],
}
