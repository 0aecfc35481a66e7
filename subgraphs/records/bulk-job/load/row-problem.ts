import type { FieldProblem, Refusal } from '../../../kernel/errors.ts'
import type { RowProblem } from '../read-file.ts'

/** What a refusal of a row says. */
export function problemOf({ code, message, extensions }: Refusal): RowProblem {
  const [first] = (extensions.errors as FieldProblem[] | undefined) ?? []
  return {
    code: code === 'VALIDATION_FAILED' && first ? first.code : code,
    field: first?.path ?? null,
    message: first?.message ?? message,
  }
}

/** The beginning of a text as a copy, because a part of a text keeps the whole one in memory. */
const beginOf = (text: string, max: number): string => Buffer.from(text.slice(0, max)).toString()

/** A problem as results have it. */
export const keptProblem = ({ code, field, message }: RowProblem): RowProblem => ({
  code,
  field: field === null ? null : beginOf(field, 200),
  message: beginOf(message, 1_000),
})

/** Whether a refusal says nothing of one row: the platform or the organization cannot go on at the moment. */
export const concernsJob = (refusal: Refusal): boolean => passes(refusal) || refusal.code === 'ENTITLEMENT_REQUIRED'

/** Whether what a refusal tells is expected to pass. */
export const passes = ({ code, status }: Refusal): boolean =>
  status >= 500 || status === 429 || code === 'STORAGE_LIMIT_EXCEEDED'
