import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { Contact } from '../contact/contact.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { opportunityTypes } from './opportunity.inputs.ts'
import { opportunity } from './opportunity.record.ts'

const edge = (type: new () => { id: string }, by: 'accountId' | 'contactIds' | 'pipelineId', which: string): Resource =>
  edgeToMany(type, 'opportunities', {
    records: opportunity,
    types: opportunityTypes,
    by,
    nullable: true,
    description: `Live opportunities ${which} that the caller sees, newest first by default; null if the caller lacks READ_OPPORTUNITIES.`,
  })

/** The edges from other records to the opportunities that refer to them. */
export const opportunityEdges: readonly Resource[] = [
  edge(Account, 'accountId', 'of the account'),
  edge(Contact, 'contactIds', 'in which the contact has a role'),
  edge(Pipeline, 'pipelineId', 'in the pipeline'),
]
