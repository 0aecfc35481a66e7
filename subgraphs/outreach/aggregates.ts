import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { EmailThreadFilter } from './email/email.inputs.ts'
import { emailThread } from './email/email.record.ts'
import { EnrollmentFilter } from './enrollment/enrollment.inputs.ts'
import { sequenceEnrollment } from './enrollment/enrollment.record.ts'
import { ReplyDraftFilter } from './reply-draft/reply-draft.inputs.ts'
import { replyDraft } from './reply-draft/reply-draft.record.ts'
import { sequenceTypes } from './sequence/sequence.inputs.ts'
import { sequence } from './sequence/sequence.record.ts'

/** The aggregates of the record types whose operations are not all standard ones. */
export const outreachAggregates: readonly Resource[] = [
  aggregateResource(emailThread, 'READ_EMAILS', { filter: EmailThreadFilter }),
  aggregateResource(replyDraft, 'READ_EMAILS', { filter: ReplyDraftFilter }),
  aggregateResource(sequence, 'READ_SEQUENCES', { args: sequenceTypes.AggregateArgs }),
  aggregateResource(sequenceEnrollment, 'READ_SEQUENCES', { filter: EnrollmentFilter }),
]
