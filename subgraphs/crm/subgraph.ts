import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { account } from './account/account.ts'
import { AccountResolver } from './account/account.resolver.ts'
import { CaseEdgeResolver } from './case-edge/case-edge.resolver.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  resolvers: [AccountResolver, CaseEdgeResolver],
  entities: { Account: account },
}
