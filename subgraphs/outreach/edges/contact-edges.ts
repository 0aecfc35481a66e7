import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { smartEmailTypes } from '../smart-email/smart-email.inputs.ts'
import { smartEmailDraft } from '../smart-email/smart-email.record.ts'
import { Contact } from './extended-records.ts'

/** Edges of contacts. They are nullable, so that contacts can be read while this subgraph is unavailable. */
export const contactEdges: readonly Resource[] = [
  edgeToMany(Contact, 'smartEmailDrafts', {
    records: smartEmailDraft,
    types: smartEmailTypes,
    by: 'contactId',
    nullable: true,
    description: 'Drafts of mails for the contact that the caller sees; null while they cannot be read.',
  }),
]
