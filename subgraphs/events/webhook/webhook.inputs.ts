import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { webhook } from './webhook.record.ts'

export const webhookTypes = operationTypes(webhook, 'WEBHOOKS')
