import { connectionOf, filterOf, inputFrom, orderOf, pageOf } from '../../kernel/record/inputs.ts'
import { CaseCommentFilter } from '../case-comment/case-comment.ts'
import { Case } from './case.ts'

const changeable = [
  'ownerId',
  'externalId',
  'tags',
  'metadata',
  'customFields',
  'description',
  'status',
  'priority',
  'type',
  'origin',
  'accountId',
  'contactId',
  'opportunityId',
  'assignedToId',
  'slaDueAt',
] as const

export const CaseCreateInput = inputFrom('CaseCreateInput', Case, {
  required: ['subject'],
  optional: ['id', ...changeable],
})
export type CaseCreateInput = InstanceType<typeof CaseCreateInput>

export const CaseUpdateInput = inputFrom('CaseUpdateInput', Case, { optional: ['subject', ...changeable] })
export type CaseUpdateInput = InstanceType<typeof CaseUpdateInput>

export const CaseFilter = filterOf('CaseFilter', Case, {
  comments: { many: () => CaseCommentFilter, name: 'CaseCommentListFilter' },
})
export const CaseOrder = orderOf('CaseOrder', Case)
export const CasePage = pageOf('CasePage', Case, 'CASES')
export const CaseConnection = connectionOf('Case', Case, 'CASES')
