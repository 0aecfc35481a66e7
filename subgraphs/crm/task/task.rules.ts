import type { FieldProblem } from '../../kernel/errors.ts'
import { problemOfRule } from './recurrence.ts'
import type { Task } from './task.ts'

type Recurring = Pick<Task, 'recurrenceRule' | 'dueDate'>

export function ruleIsValid({ recurrenceRule, dueDate }: Recurring, previous: Recurring | null): FieldProblem[] {
  const isUnchanged = recurrenceRule === previous?.recurrenceRule && dueDate === previous.dueDate
  if (recurrenceRule === null || isUnchanged) return []
  if (dueDate === null)
    return [{ path: 'dueDate', code: 'REQUIRED', message: 'dueDate is required with recurrenceRule.' }]
  const problem = problemOfRule(recurrenceRule, dueDate)
  return problem ? [{ path: 'recurrenceRule', code: 'NOT_A_RULE', message: `recurrenceRule ${problem}.` }] : []
}
