import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { lead } from './lead.record.ts'

export const leadTypes = operationTypes(lead, 'LEADS')
