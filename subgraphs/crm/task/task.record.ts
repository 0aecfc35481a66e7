import { activeUsers, activeWriters } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { readRelated, relatedRecordsExist, relatedToIsWhole } from '../related-record/related-record.rules.ts'
import { linkRelations } from '../related-record/link-relations.ts'
import { namesRelated } from '../related-record/related-types.ts'
import { createNextTask } from './next-task.ts'
import { decideTask } from './task.decision.ts'
import { taskEvents } from './task.events.ts'
import { ruleIsValid } from './task.rules.ts'
import { Task } from './task.ts'

export const task: RecordDefinition<Task> = defineRecord(Task, {
  object: 'task',
  isExtensible: true,
  table: 'crm.task',
  visibleBy: ['ownerId', 'assignedToId'],
  searchable: ['subject', 'description'],
  hasSearchText: true,
  references: { ownerId: activeUsers, assignedToId: activeWriters },
  relations: linkRelations('task'),
  names: { relatedToId: namesRelated },
  totals: {
    by: ['type', 'status', 'priority', 'isOverdue'],
    measures: { unassigned: { where: { assignedToId: { isNull: true } } } },
  },
  events: taskEvents,
  decide: decideTask,
  decidesAlone: true,
  readsTogether: readRelated,
  invariants: (next, previous) => [...relatedToIsWhole(next), ...ruleIsValid(next, previous)],
  checks: relatedRecordsExist,
  serializedRules: [
    {
      concerns: (_ctx, next, previous) => previous !== null && next.nextTaskId !== previous.nextTaskId,
      enforce: (ctx, next) => createNextTask(ctx, task, next),
    },
  ],
})
