import { connectionOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { triageCase } from './triage-case.record.ts'
import { TriageCase } from './triage-case.ts'

export const TriageCaseFilter = filterOf('TriageCaseFilter', TriageCase, triageCase.relations)
const TriageCaseOrder = orderOf('TriageCaseOrder', TriageCase)
export const TriageCasePage = pageOf('TriageCasePage', TriageCase, 'HEALTH_TRIAGE')
export const TriageCaseConnection = connectionOf('TriageCase', TriageCase, 'HEALTH_TRIAGE')
export const TriageCasePageArgs = pageArgs(TriageCaseFilter, TriageCaseOrder)
export const TriageCaseConnectionArgs = connectionArgs(TriageCaseFilter, TriageCaseOrder)
