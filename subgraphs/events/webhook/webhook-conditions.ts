import type { Caller } from '../../kernel/context.ts'
import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { compileStoredConditions, conditionProblems, type Conditions } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { eventSource } from '../../kernel/record/record-registry.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { customEventObject } from '../envelope/envelope.ts'
import type { SubscribedWebhook } from './webhook-reader.ts'

type Fields = Readonly<Record<string, unknown>>
type Owner = Pick<Caller, 'fields'>

interface Shapes {
  readonly shapes: OrganizationShapes | null
}

/** The fields of a custom event are those of its payload; a field that a payload does not have is empty. */
const payloadFields: ConditionFields = { of: customEventObject, field: (name) => ({ name, kind: 'any' }) }

function fieldsOf(source: TrackedObject | null, object: string, shapes: Shapes, owner: Owner): ConditionFields {
  if (object === customEventObject) return payloadFields
  return source && isRecordShape(source)
    ? fieldsOfShape(shapeFor(shapes, source), owner)
    : { of: object, field: () => null }
}

type GivenConditions = Pick<SubscribedWebhook, 'conditions' | 'logic'>

/** The problems of conditions: they must fit every object of the webhook's events, because they are compared with each event. */
export function webhookConditionProblems(
  given: GivenConditions,
  sources: Iterable<TrackedObject>,
  hasCustomEvents: boolean,
  shapes: Shapes,
  caller: Owner,
): FieldProblem[] {
  const fields = Array.from(sources, (source) => fieldsOf(source, source.object, shapes, caller))
  if (hasCustomEvents) fields.push(payloadFields)
  for (const each of fields) {
    const problems = conditionProblems(given, each)
    if (problems.length > 0) return problems
  }
  return []
}

interface Compiled {
  readonly shapes: OrganizationShapes | null
  readonly restrictions: Owner['fields']
  readonly conditions: Conditions
}

const compiled = new WeakMap<GivenConditions, Map<string, Compiled>>()

/**
 * Whether an event meets the conditions of a webhook. `data` is what the owner of the webhook sees of it, so that conditions disclose nothing
 * else. A webhook of `WebhookReader` is compiled once for each object.
 */
export function meetsConditions(
  webhook: GivenConditions,
  { object, occurredAt, data }: Pick<LoggedEvent, 'object' | 'occurredAt' | 'data'>,
  { shapes }: Shapes,
  owner: Owner,
): boolean {
  if (webhook.conditions.length === 0) return true
  let byObject = compiled.get(webhook)
  if (!byObject) compiled.set(webhook, (byObject = new Map<string, Compiled>()))
  let found = byObject.get(object)
  if (!found || found.shapes !== shapes || found.restrictions !== owner.fields) {
    const fields = fieldsOf(eventSource(object), object, { shapes }, owner)
    found = { shapes, restrictions: owner.fields, conditions: compileStoredConditions(webhook, fields) }
    byObject.set(object, found)
  }
  const isCustom = object === customEventObject
  const record = (isCustom ? data : data['record']) as Fields
  const previous = isCustom ? null : ((data['previous'] ?? null) as Fields | null)
  return found.conditions(record, previous, Date.parse(occurredAt))
}
