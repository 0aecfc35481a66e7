import { enumeration } from '../../kernel/record/column.ts'

export const TaskType = enumeration('TaskType', 'Kind of work of a task.', {
  TODO: 'Any work. The default.',
  CALL: 'A call to make.',
  EMAIL: 'An email to write.',
  MEETING: 'A meeting to hold.',
  FOLLOW_UP: 'To ask again after an earlier contact.',
  APPROVAL: 'To approve or refuse something.',
})
export type TaskType = keyof typeof TaskType

export const TaskStatus = enumeration('TaskStatus', 'How far the work of a task is.', {
  NOT_STARTED: 'Nobody has begun. The default.',
  IN_PROGRESS: 'Somebody works on it.',
  WAITING: 'It waits for somebody else.',
  COMPLETED: 'It is done.',
  CANCELLED: 'It will not be done.',
})
export type TaskStatus = keyof typeof TaskStatus

export const TaskPriority = enumeration('TaskPriority', 'Urgency of a task.', {
  LOW: 'It can wait.',
  MEDIUM: 'As usual. The default.',
  HIGH: 'Before others.',
  URGENT: 'At once.',
})
export type TaskPriority = keyof typeof TaskPriority

export const TaskSource = enumeration('TaskSource', 'What created a task.', {
  MANUAL: 'A user or a client. The default.',
  WORKFLOW: 'A workflow.',
  SEQUENCE: 'A step of a sequence.',
  AI: 'A suggestion of a language model.',
  TRIAGE: 'The triage of account health.',
  IMPORT: 'An import.',
})
export type TaskSource = keyof typeof TaskSource
