import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { supportCase } from '../case/case.record.ts'

const EmailThread = extendedEntity('EmailThread', { caseId: 'Id of the case to which it belongs; null if none.' })

export const emailThreadEdges: readonly Resource[] = [
  edgeToReferenced(EmailThread, 'case', {
    record: supportCase,
    by: 'caseId',
    description: 'The case to which it belongs; null if there is none or the caller does not see it.',
  }),
]
