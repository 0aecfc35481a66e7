import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { bulkResource } from '../kernel/record/bulk-resource.ts'
import { activityTypes } from './activity/activity.inputs.ts'
import { mergeResource } from '../kernel/record/merge/merge-resource.ts'
import { lookupResources, referencedByResource } from '../kernel/record/lookup/lookup-resource.ts'
import { account } from './account/account.record.ts'
import { activity } from './activity/activity.record.ts'
import { activityResource } from './activity/activity.resolver.ts'
import { activityRevisionResource } from './activity-revision/activity-revision.resolver.ts'
import { accountResource } from './account/account.resolver.ts'
import { caseEdges } from './edges/case-edges.ts'
import { accountContacts } from './contact/account-contacts.ts'
import { contact } from './contact/contact.record.ts'
import { contactResource } from './contact/contact.resolver.ts'
import { convertedLeads } from './lead/converted-leads.ts'
import { lead } from './lead/lead.record.ts'
import { leadResource } from './lead/lead.resolver.ts'
import { fileEdges } from './file/file-edges.ts'
import { fileResource } from './file/file.resolver.ts'
import { fileUploadResource } from './file/upload/file-upload.resolver.ts'
import { leadConversionResource } from './lead-conversion/lead-conversion.resolver.ts'
import { opportunityEdges } from './opportunity/opportunity-edges.ts'
import { opportunity } from './opportunity/opportunity.record.ts'
import { opportunityResource } from './opportunity/opportunity.resolver.ts'
import { pipelineResource } from './pipeline/pipeline.resolver.ts'
import { linkEdges } from './related-record/link-edges.ts'
import { taskTypes } from './task/task.inputs.ts'
import { task } from './task/task.record.ts'
import { taskResource } from './task/task.resolver.ts'
import { orderEdges } from './edges/order-edges.ts'
import { creditNoteEdges } from './edges/credit-note-edges.ts'
import { invoiceEdges } from './edges/invoice-edges.ts'
import { paymentEdges } from './edges/payment-edges.ts'
import { timelineEntryResource } from './timeline/timeline-entry.resolver.ts'
import { timelineResources } from './timeline/timeline.resolver.ts'
import { quoteEdges } from './edges/quote-edges.ts'
import { emailThreadEdges } from './edges/email-thread-edges.ts'
import { smartEmailDraftEdges } from './edges/smart-email-draft-edges.ts'
import { externalIds } from './external-ids.migrations.ts'

export const crm: SubgraphDefinition = {
  name: 'crm',
  ports: ['vault', 'keys', 'files'],
  migrations: [externalIds],
  resources: [
    accountResource,
    ...lookupResources(account),
    mergeResource(account, 'ACCOUNTS', 'accounts'),
    contactResource,
    bulkResource(contact, 'CONTACTS'),
    ...lookupResources(contact),
    mergeResource(contact, 'CONTACTS', 'contacts'),
    accountContacts,
    leadResource,
    bulkResource(lead, 'LEADS'),
    ...lookupResources(lead),
    mergeResource(lead, 'LEADS', 'leads'),
    ...convertedLeads,
    leadConversionResource,
    ...caseEdges,
    ...quoteEdges,
    ...orderEdges,
    ...invoiceEdges,
    ...creditNoteEdges,
    paymentEdges,
    ...smartEmailDraftEdges,
    ...emailThreadEdges,
    pipelineResource,
    opportunityResource,
    bulkResource(opportunity, 'OPPORTUNITIES'),
    ...lookupResources(opportunity),
    ...opportunityEdges,
    taskResource,
    bulkResource(task, 'TASKS'),
    referencedByResource(task),
    ...linkEdges(task, taskTypes),
    activityResource,
    activityRevisionResource,
    bulkResource(activity, 'ACTIVITIES'),
    ...linkEdges(activity, activityTypes),
    fileResource,
    fileUploadResource,
    ...fileEdges,
    timelineEntryResource,
    ...timelineResources(),
  ],
}
