import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { caseTypes } from '../case/case.inputs.ts'
import { supportCase } from '../case/case.record.ts'

const Account = extendedEntity('Account')

/** Edges of accounts. They are nullable, so that accounts can be read while this subgraph is unavailable. */
export const accountEdges: readonly Resource[] = [
  edgeToMany(Account, 'cases', {
    records: supportCase,
    types: caseTypes,
    by: 'accountId',
    nullable: true,
    description: 'Live cases of the account that the caller sees; null while they cannot be read.',
  }),
]
