import { visibleAccounts } from '../../../subgraphs/crm/public.ts'
import { activeUsers } from '../../../subgraphs/identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../../subgraphs/kernel/record/definition.ts'
import { taskEvents } from './task.events.ts'
import { Task } from './task.ts'

export const task: RecordDefinition<Task> = defineRecord(Task, {
  object: 'task',
  table: 'crm.task',
  visibleBy: ['ownerId'],
  searchable: ['title'],
  references: { ownerId: activeUsers, accountId: visibleAccounts },
  events: taskEvents,
})
