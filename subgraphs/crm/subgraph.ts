import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { bulkResource } from '../kernel/record/bulk-resource.ts'
import { accountResource } from './account/account.resolver.ts'
import { caseExtensionResource } from './case-extension/case-extension.resolver.ts'
import { accountContactsResource } from './contact/account-contacts.resolver.ts'
import { contact } from './contact/contact.record.ts'
import { contactResource } from './contact/contact.resolver.ts'
import { accountOpportunitiesResource } from './opportunity/account-opportunities.resolver.ts'
import { opportunity } from './opportunity/opportunity.record.ts'
import { opportunityResource } from './opportunity/opportunity.resolver.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  resources: [
    accountResource,
    contactResource,
    bulkResource(contact, 'CONTACTS'),
    accountContactsResource,
    caseExtensionResource,
    opportunityResource,
    bulkResource(opportunity, 'OPPORTUNITIES'),
    accountOpportunitiesResource,
  ],
}
