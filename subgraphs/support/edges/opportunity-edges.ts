import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { caseTypes } from '../case/case.inputs.ts'
import { supportCase } from '../case/case.record.ts'

const Opportunity = extendedEntity('Opportunity')

/** Edges of opportunities. They are nullable, so that opportunities can be read while this subgraph is unavailable. */
export const opportunityEdges: readonly Resource[] = [
  edgeToMany(Opportunity, 'cases', {
    records: supportCase,
    types: caseTypes,
    by: 'opportunityId',
    nullable: true,
    description: 'Live cases of the opportunity that the caller sees; null while they cannot be read.',
  }),
]
