import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { caseResource } from './case/case.resolver.ts'
import { accountExtensionResource } from './account-extension/account-extension.resolver.ts'
import { contactExtensionResource } from './contact-extension/contact-extension.resolver.ts'
import { opportunityExtensionResource } from './opportunity-extension/opportunity-extension.resolver.ts'

export const support: SubgraphDefinition = {
  name: 'support',
  ports: ['languageModel'],
  resources: [caseResource, accountExtensionResource, contactExtensionResource, opportunityExtensionResource],
}
