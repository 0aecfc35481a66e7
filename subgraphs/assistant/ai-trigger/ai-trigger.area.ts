import { restArea } from '../../kernel/record/rest-area.ts'
import { aiTrigger } from './ai-trigger.record.ts'

export const aiTriggerArea = restArea(aiTrigger, {
  path: 'webhook-ai-workflows/triggers',
  folder: 'webhook-ai-workflows',
  filters: ['status', 'eventType', 'ownerId'],
  derivedFields: ['inboundUrl', 'secret'],
})
