import type { FieldProblem } from '../kernel/errors.ts'
import { enumeration } from '../kernel/record/column.ts'

export const SaveOperation = enumeration('SaveOperation', 'A change of a record.', {
  CREATE: 'A new record.',
  UPDATE: 'A change of an existing record, or its restoring.',
  DELETE: 'The deletion of a record.',
})
export type SaveOperation = keyof typeof SaveOperation

/** What is wrong with the operations of a hook or a trigger. */
export function operationsProblems(operations: readonly SaveOperation[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (operations.length === 0)
    problems.push({ path: 'operations', code: 'EMPTY', message: 'operations must have at least one operation.' })
  if (new Set(operations).size < operations.length)
    problems.push({ path: 'operations', code: 'NOT_UNIQUE', message: 'operations must not repeat an operation.' })
  return problems
}
