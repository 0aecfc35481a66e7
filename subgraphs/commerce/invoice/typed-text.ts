import type { FieldProblem } from '../../kernel/errors.ts'
import { invalid } from '../../kernel/errors.ts'
import { isStorable } from '../../kernel/record/scalars.ts'

/** Why an argument of a verb cannot be stored; empty if it can. */
export function textProblems(path: string, text: string | null | undefined, max: number): FieldProblem[] {
  if (text == null || (isStorable(text) && Array.from(text).length <= max)) return []
  const message = `${path} must have at most ${max} characters, without NUL and unpaired surrogates.`
  return [{ path, code: isStorable(text) ? 'TOO_LONG' : 'NOT_TEXT', message }]
}

export function requireText(path: string, text: string | null | undefined, max: number): void {
  const problems = textProblems(path, text, max)
  if (problems.length > 0) throw invalid(...problems)
}
