import type { Caller } from '../../kernel/context.ts'
import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { customEventObject } from '../envelope/envelope.ts'
import type { Webhook } from './webhook.ts'

type Restricted = Pick<Caller, 'fields'>

interface Shapes {
  readonly shapes: OrganizationShapes | null
}

/** The fields of a custom event are those of its payload; a field that a payload does not have is empty. */
const payloadFields: ConditionFields = { of: customEventObject, field: (name) => ({ name, kind: 'any' }) }

const fieldsOf = (source: TrackedObject, shapes: Shapes, caller: Restricted): ConditionFields =>
  isRecordShape(source) ? fieldsOfShape(shapeFor(shapes, source), caller) : { of: source.object, field: () => null }

type GivenConditions = Pick<Webhook, 'conditions' | 'logic'>

/** The problems of conditions: they must fit every object of the webhook's events, because they are compared with each event. */
export function webhookConditionProblems(
  given: GivenConditions,
  sources: Iterable<TrackedObject>,
  hasCustomEvents: boolean,
  shapes: Shapes,
  caller: Restricted,
): FieldProblem[] {
  const fields = Array.from(sources, (source) => fieldsOf(source, shapes, caller))
  if (hasCustomEvents) fields.push(payloadFields)
  for (const each of fields) {
    const problems = conditionProblems(given, each)
    if (problems.length > 0) return problems
  }
  return []
}
