import { referencedByResource } from '../kernel/record/lookup/lookup-resource.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { supportCase } from './case/case.record.ts'
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
  resources: [
    caseResource,
    referencedByResource(supportCase),
    ...accountEdges,
    ...contactEdges,
    ...opportunityEdges,
    ...emailThreadEdges,
  ],
}
