import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { compileStoredConditions, conditionProblems, type Conditions } from '../../kernel/condition/conditions.ts'
import { fieldNotReadable } from '../../kernel/record/field-security.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { SequenceEntityType } from '../enrollment/enrollment.enumerations.ts'
import type { SequenceEnrollment } from '../enrollment/enrollment.ts'
import type { SequenceCondition } from './step-parts.ts'

const path = 'condition.conditions'

/** The times of the enrollment that conditions can name, with the prefix `enrollment.`. */
const enrollmentTimes = ['contactedAt', 'openedAt', 'clickedAt', 'repliedAt', 'meetingAt'] as const
const prefix = 'enrollment.'

/** Without a previous version of the record, these would never be met. */
const aboutChanges: ReadonlySet<unknown> = new Set(['CHANGED', 'CHANGED_FROM', 'CHANGED_TO', 'INCREASED', 'DECREASED'])

const objectOf: Readonly<Record<string, 'lead' | 'contact'>> = { LEAD: 'lead', CONTACT: 'contact' }

function fieldsOf(ctx: RequestContext, entityType: string, caller: RequestContext['caller'] | null): ConditionFields {
  const shape = shapeFor(ctx, recordType(objectOf[entityType]!)())
  const fields = fieldsOfShape(shape, caller)
  return {
    of: `${shape.object}, or enrollment.${enrollmentTimes.join(`, ${prefix}`)}`,
    field: (name) =>
      name.startsWith(prefix)
        ? enrollmentTimes.some((time) => name === prefix + time)
          ? { name, kind: 'timestamp' }
          : null
        : fields.field(name),
  }
}

/** Conditions about changes, with their paths. The parser has refused what is nested too deeply. */
function changeProblems(conditions: unknown, at: string, depth = 0): FieldProblem[] {
  if (!Array.isArray(conditions) || depth > 5) return []
  return conditions.flatMap((condition: unknown, index): FieldProblem[] => {
    if (!isJsonObject(condition)) return []
    const own = `${at}.${index}`
    if (!aboutChanges.has(condition['operator']))
      return changeProblems(condition['conditions'], `${own}.conditions`, depth + 1)
    const message = `${own}.operator must not be about a change, because a sequence looks at the record as it is.`
    return [{ path: `${own}.operator`, code: 'NOT_ALLOWED', message }]
  })
}

/** Refuses conditions that do not fit each of the entity types, and fields that the caller's profile hides. */
export function refuseConditions(
  ctx: RequestContext,
  { conditions, logic }: SequenceCondition,
  entityTypes: readonly string[],
): void {
  if (!Array.isArray(conditions) || conditions.length === 0)
    throw invalid({ path, code: 'REQUIRED', message: `${path} must be a list of at least one condition.` })
  for (const entityType of entityTypes) {
    const problems = conditionProblems({ conditions, logic }, fieldsOf(ctx, entityType, ctx.caller), path)
    const hidden = problems.filter(({ code }) => code === 'FIELD_NOT_READABLE')
    if (hidden.length > 0) throw fieldNotReadable(hidden.map((problem) => problem.path))
    if (problems.length > 0) throw invalid(...problems)
  }
  const problems = changeProblems(conditions, path)
  if (problems.length > 0) throw invalid(...problems)
}

/** Whether stored conditions fit a further entity type of their sequence. */
export const fitsEntityType = (
  ctx: RequestContext,
  { conditions, logic }: SequenceCondition,
  entityType: string,
): boolean => conditionProblems({ conditions, logic }, fieldsOf(ctx, entityType, null)).length === 0

/** Compiles a stored condition for leads or for contacts. It must be called with the record of `conditionValues`. */
export const compileCondition = (
  ctx: RequestContext,
  { conditions, logic }: SequenceCondition,
  entityType: SequenceEntityType,
): Conditions => compileStoredConditions({ conditions, logic }, fieldsOf(ctx, entityType, null))

/** What a condition reads: the lead or contact, and the times of the enrollment. */
export const conditionValues = (
  record: Readonly<Record<string, unknown>>,
  enrollment: SequenceEnrollment,
): Readonly<Record<string, unknown>> => ({
  ...record,
  ...Object.fromEntries(enrollmentTimes.map((time) => [prefix + time, enrollment[time]])),
})
