import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import { countedLog } from '../kernel/record/aggregate/counted-shape.ts'
import { createdAfter } from '../kernel/record/rest-area.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { AiExecution } from './ai-execution/ai-execution.types.ts'
import { aiTriggerTypes } from './ai-trigger/ai-trigger.inputs.ts'
import { aiTrigger } from './ai-trigger/ai-trigger.record.ts'

const execution = countedLog(AiExecution, {
  object: 'ai_execution',
  table: 'assistant.ai_execution',
  by: [
    'triggerId',
    'status',
    'isTest',
    'eventType',
    'durationMs',
    'decidedById',
    'createdAt',
    'startedAt',
    'completedAt',
    'expiresAt',
  ],
})

/** The aggregates of the record types whose operations are not all standard ones. */
export const assistantAggregates: readonly Resource[] = [
  aggregateResource(aiTrigger, 'READ_AI_WORKFLOWS', { args: aiTriggerTypes.AggregateArgs, isForAdministrators: true }),
  aggregateResource(execution, 'READ_AI_WORKFLOWS', {
    isForAdministrators: true,
    path: 'webhook-ai-workflows/executions',
    filters: ['triggerId', 'status', 'isTest', 'eventType', createdAfter],
  }),
]
