import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { opportunity } from './opportunity.record.ts'

export const opportunityTypes = operationTypes(opportunity, 'OPPORTUNITIES')
