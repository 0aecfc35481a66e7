import { enumeration } from '../../../subgraphs/kernel/record/column.ts'

export const TaskStatus = enumeration('TaskStatus', 'Whether a task is done.', {
  OPEN: 'Not yet.',
  DONE: 'It is done.',
})
export type TaskStatus = keyof typeof TaskStatus
