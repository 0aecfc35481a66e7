import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { accountResource } from './account/account.resolver.ts'
import { caseEdgeResource } from './case-edge/case-edge.resolver.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  resources: [accountResource, caseEdgeResource],
}
