import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { workflow } from './workflow.record.ts'

export const workflowTypes = operationTypes(workflow, 'WORKFLOWS')
