import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { supportCase } from './case.record.ts'

export const caseTypes = operationTypes(supportCase, 'CASES')
