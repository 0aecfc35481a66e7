import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { AccountEdgeResolver } from './account-edge/account-edge.resolver.ts'
import { supportCase } from './case/case.ts'
import { CaseResolver } from './case/case.resolver.ts'

export const support: SubgraphDefinition = {
  name: 'support',
  resolvers: [CaseResolver, AccountEdgeResolver],
  entities: { Case: supportCase },
}
