import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { caseTypes } from '../case/case.inputs.ts'
import { supportCase } from '../case/case.record.ts'

const Contact = extendedEntity('Contact')

/** Edges of contacts. They are nullable, so that contacts can be read while this subgraph is unavailable. */
export const contactEdges: readonly Resource[] = [
  edgeToMany(Contact, 'cases', {
    records: supportCase,
    types: caseTypes,
    by: 'contactId',
    nullable: true,
    description: 'Live cases of the contact that the caller sees; null while they cannot be read.',
  }),
]
