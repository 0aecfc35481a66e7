import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { smartEmailTypes } from '../smart-email/smart-email.inputs.ts'
import { smartEmailDraft } from '../smart-email/smart-email.record.ts'
import { Opportunity } from './extended-records.ts'

/** Edges of opportunities. They are nullable, so that opportunities can be read while this subgraph is unavailable. */
export const opportunityEdges: readonly Resource[] = [
  edgeToMany(Opportunity, 'smartEmailDrafts', {
    records: smartEmailDraft,
    types: smartEmailTypes,
    by: 'opportunityId',
    nullable: true,
    description: 'Drafts of mails for the opportunity that the caller sees; null while they cannot be read.',
  }),
]
