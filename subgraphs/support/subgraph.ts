import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { caseResource } from './case/case.resolver.ts'
import { accountEdges } from './edges/account-edges.ts'
import { emailThreadEdges } from './edges/email-thread-edges.ts'
import { contactEdges } from './edges/contact-edges.ts'
import { opportunityEdges } from './edges/opportunity-edges.ts'
import { externalIds } from './external-ids.migrations.ts'

export const support: SubgraphDefinition = {
  name: 'support',
  ports: ['languageModel', 'work'],
  migrations: [externalIds],
  resources: [caseResource, ...accountEdges, ...contactEdges, ...opportunityEdges, ...emailThreadEdges],
}
