import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { outreachAggregates } from './aggregates.ts'
import { contactEdges } from './edges/contact-edges.ts'
import { emailThreadEdges } from './edges/email-thread-edges.ts'
import { enrollmentEdges } from './edges/enrollment-edges.ts'
import { emailResource } from './email/email.resolver.ts'
import { inboundResource } from './email/inbound.resolver.ts'
import { suppressionResource } from './email/suppression.resolver.ts'
import { emailTemplateResource } from './email-template/email-template.resolver.ts'
import { enrollmentResource } from './enrollment/enrollment.resolver.ts'
import { sequenceEnrollments } from './enrollment/sequence-enrollments.ts'
import { imapResource } from './mailbox/imap.resolver.ts'
import { mailboxResource } from './mailbox/mailbox.resolver.ts'
import { opportunityEdges } from './edges/opportunity-edges.ts'
import { replyDraftResource } from './reply-draft/reply-draft.resolver.ts'
import { sequenceResource } from './sequence/sequence.resolver.ts'
import { sequenceStepResource } from './sequence/sequence-step.resolver.ts'
import { smartEmailResource } from './smart-email/smart-email.resolver.ts'
import { externalIds } from './external-ids.migrations.ts'

export const outreach: SubgraphDefinition = {
  name: 'outreach',
  ports: ['work', 'keys', 'languageModel', 'vault', 'outbound', 'counters'],
  migrations: [externalIds],
  resources: [
    emailTemplateResource,
    emailResource,
    inboundResource,
    suppressionResource,
    mailboxResource,
    imapResource,
    replyDraftResource,
    smartEmailResource,
    ...contactEdges,
    ...opportunityEdges,
    ...emailThreadEdges,
    sequenceResource,
    sequenceStepResource,
    enrollmentResource,
    sequenceEnrollments,
    ...enrollmentEdges,
    ...outreachAggregates,
  ],
}
