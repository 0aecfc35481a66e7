import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { supportCase } from './case.record.ts'
import { Case } from './case.ts'

export const CaseCreateInput = createInputOf('CaseCreateInput', Case)
export const CaseUpdateInput = updateInputOf('CaseUpdateInput', Case)
export const CaseFilter = filterOf('CaseFilter', Case, supportCase.relations)
export const CaseOrder = orderOf('CaseOrder', Case)
export const CasePage = pageOf('CasePage', Case, 'CASES')
export const CasePageArgs = pageArgs(CaseFilter, CaseOrder)
export const CaseConnection = connectionOf('Case', Case, 'CASES')
export const CaseConnectionArgs = connectionArgs(CaseFilter, CaseOrder)
