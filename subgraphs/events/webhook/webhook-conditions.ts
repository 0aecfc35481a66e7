import type { Caller } from '../../kernel/context.ts'
import type { ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { customEventObject } from '../envelope/envelope.ts'
import { fieldsOfEvents } from './event-fields.ts'
import { isCustomEvent, type EventNames } from './event-names.ts'
import type { Webhook } from './webhook.ts'

interface Context {
  readonly caller: Pick<Caller, 'fields'>
  readonly shapes: OrganizationShapes | null
}

/** The fields of a custom event are those of its payload; a field that a payload does not have is empty. */
const payloadFields: ConditionFields = { of: customEventObject, field: (name) => ({ name, kind: 'any' }) }

type GivenConditions = Pick<Webhook, 'conditions' | 'logic'>

/** The problems of conditions with the events of these objects: those with the object that they fit best. */
function problemsWith(given: GivenConditions, sources: ReadonlySet<TrackedObject>, ctx: Context): FieldProblem[] {
  const problems = Array.from(sources, (source) =>
    conditionProblems(given, fieldsOfEvents(source, ctx, ctx.caller)),
  ).toSorted((one, other) => one.length - other.length)
  return problems[0] ?? []
}

/** The problems of conditions: they must fit each of the webhook's events, because they are compared with each event. */
export function webhookConditionProblems(
  ctx: Context,
  names: EventNames,
  events: readonly string[],
  given: GivenConditions,
): FieldProblem[] {
  for (const name of events) {
    const problems = isCustomEvent(name)
      ? conditionProblems(given, payloadFields)
      : problemsWith(given, names.sourcesOf([name], ctx), ctx)
    if (problems.length > 0) return problems
  }
  return []
}
