import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { bulkResource } from '../kernel/record/bulk-resource.ts'
import { activityTypes } from './activity/activity.inputs.ts'
import { activity } from './activity/activity.record.ts'
import { activityResource } from './activity/activity.resolver.ts'
import { accountResource } from './account/account.resolver.ts'
import { caseExtensionResource } from './case-extension/case-extension.resolver.ts'
import { accountContactsResource } from './contact/account-contacts.resolver.ts'
import { contact } from './contact/contact.record.ts'
import { contactResource } from './contact/contact.resolver.ts'
import { convertedLeadsResources } from './lead/converted-leads.resolver.ts'
import { lead } from './lead/lead.record.ts'
import { leadResource } from './lead/lead.resolver.ts'
import { leadConversionResource } from './lead-conversion/lead-conversion.resolver.ts'
import { opportunityEdges } from './opportunity/opportunity-edges.resolver.ts'
import { opportunity } from './opportunity/opportunity.record.ts'
import { opportunityResource } from './opportunity/opportunity.resolver.ts'
import { pipelineResource } from './pipeline/pipeline.resolver.ts'
import { linkEdges } from './related-record/link-edges.ts'
import { taskTypes } from './task/task.inputs.ts'
import { task } from './task/task.record.ts'
import { taskResource } from './task/task.resolver.ts'
import { orderExtensionResource } from './order-extension/order-extension.resolver.ts'
import { invoiceExtensionResource } from './invoice-extension/invoice-extension.resolver.ts'
import { timelineEntryResource } from './timeline/timeline-entry.resolver.ts'
import { timelineResources } from './timeline/timeline.resolver.ts'
import { quoteExtensionResource } from './quote-extension/quote-extension.resolver.ts'
import { smartEmailExtensionResource } from './smart-email-extension/smart-email-extension.resolver.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  ports: ['vault'],
  resources: [
    accountResource,
    contactResource,
    bulkResource(contact, 'CONTACTS'),
    accountContactsResource,
    leadResource,
    bulkResource(lead, 'LEADS'),
    ...convertedLeadsResources,
    leadConversionResource,
    caseExtensionResource,
    quoteExtensionResource,
    orderExtensionResource,
    invoiceExtensionResource,
    smartEmailExtensionResource,
    pipelineResource,
    opportunityResource,
    bulkResource(opportunity, 'OPPORTUNITIES'),
    ...opportunityEdges,
    taskResource,
    bulkResource(task, 'TASKS'),
    ...linkEdges(task, taskTypes),
    activityResource,
    bulkResource(activity, 'ACTIVITIES'),
    ...linkEdges(activity, activityTypes),
    timelineEntryResource,
    ...timelineResources(),
  ],
}
