import { invalid, type FieldProblem } from '../errors.ts'
import { fieldNotReadable } from '../record/field-security.ts'
import { matcherOf } from './compile-conditions.ts'
import type { ConditionFields } from './condition-fields.ts'
import { ConditionParser, type GivenConditions } from './parse-conditions.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a record meets the conditions. `previous` is its previous version, null without one; `now` is the time of the event in
 * milliseconds, so that a repeated evaluation has the same result. A member that is absent from the record counts as empty, so a record
 * without the fields that a profile hides does not disclose them.
 */
export type Conditions = (record: Fields, previous: Fields | null, now: number) => boolean

const always: Conditions = () => true
const never: Conditions = () => false

/** The problems of given conditions, with their paths below `path`; empty when they are valid. For the checks of a record type. */
export function conditionProblems(
  given: GivenConditions,
  fields: ConditionFields,
  path = 'conditions',
): FieldProblem[] {
  const parser = new ConditionParser(fields)
  parser.parse(given, path)
  return parser.problems
}

/** Compiles the conditions of a request. Throws `VALIDATION_FAILED`, or `FIELD_NOT_READABLE` for a field that the caller must not read. */
export function compileConditions(given: GivenConditions, fields: ConditionFields, path = 'conditions'): Conditions {
  const parser = new ConditionParser(fields)
  const group = parser.parse(given, path)
  const hidden = parser.problems.filter(({ code }) => code === 'FIELD_NOT_READABLE')
  if (hidden.length > 0) throw fieldNotReadable(hidden.map((problem) => problem.path))
  if (parser.problems.length > 0) throw invalid(...parser.problems)
  return group ? matcherOf(group) : always
}

/** Compiles conditions that were checked when they were stored. If a field has been removed or hidden since, no record meets them. */
export function compileStoredConditions(given: GivenConditions, fields: ConditionFields): Conditions {
  const parser = new ConditionParser(fields)
  const group = parser.parse(given, 'conditions')
  if (parser.problems.length > 0) return never
  return group ? matcherOf(group) : always
}
