import { operationTypes } from '../../../subgraphs/kernel/record/standard-resolver.ts'
import { task } from './task.record.ts'

export const taskTypes = operationTypes(task, 'TASKS')
