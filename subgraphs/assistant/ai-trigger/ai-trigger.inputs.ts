import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { aiTrigger } from './ai-trigger.record.ts'

export const aiTriggerTypes = operationTypes(aiTrigger, 'AI_WORKFLOWS')
