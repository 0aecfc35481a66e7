import { eventTypeNamed, customEventObject } from '../../events/public.ts'
import { requireRightToActAs } from '../../identity/public.ts'
import { requireActingScopes, scopesOfEventTypes, writeScopeOfObject } from '../../kernel/acting-scopes.ts'
import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customObjectOfEvents, eventSourceIn } from '../../kernel/record/custom-object.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { Caller } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { objectOfType } from '../ai-execution/changed-objects.ts'
import { actionProblems } from './action-rules.ts'
import type { AiActionType } from './ai-trigger.enumerations.ts'
import { propertiesOf, schemaProblems } from './output-schema.ts'
import { actionsMax, type AiTrigger } from './ai-trigger.ts'

/** Values that a client sends. Null stands for the value of an empty field. */
export type TriggerInput = { [Name in keyof AiTrigger]?: AiTrigger[Name] | null }

/** The fields of a payload have any type; one that the payload does not have is empty. */
const payloadFields = (of: string): ConditionFields => ({ of, field: (name) => ({ name, kind: 'any' }) })

/** The fields that conditions may name: those of the record of the event, or of a payload. */
export function conditionFieldsOf(
  eventType: string | null,
  shapes: OrganizationShapes | null,
  caller: Pick<Caller, 'fields'>,
): ConditionFields {
  if (eventType === null || eventType.startsWith('custom.')) return payloadFields(customEventObject)
  const prefix = eventType.slice(0, eventType.lastIndexOf('.'))
  const source = eventSourceIn({ shapes }, customObjectOfEvents(prefix) ?? prefix)
  if (!source || !isRecordShape(source)) return payloadFields(source?.object ?? 'event')
  return fieldsOfShape(shapeFor({ shapes }, source), caller)
}

async function eventTypeProblems(ctx: RequestContext, eventType: string): Promise<FieldProblem[]> {
  const found = eventType.includes('@') ? null : await eventTypeNamed(ctx, eventType)
  if (found) return []
  const message = 'eventType must be a type of the event catalog, or an existing custom.<apiName>.'
  return [{ path: 'eventType', code: 'UNKNOWN_EVENT', message }]
}

/** Values that exceed the bounds of their columns are not looked at: `save` refuses them. */
const isWithinBounds = ({ eventType, actions, conditions }: TriggerInput): boolean =>
  (eventType?.length ?? 0) <= 100 && (actions?.length ?? 0) <= actionsMax && (conditions?.length ?? 0) <= conditionsMax

/** Checks the given values that a column alone does not decide, together with those that they depend on. */
export async function refuseProblems(
  ctx: RequestContext,
  given: TriggerInput,
  previous: AiTrigger | null,
): Promise<void> {
  if (!isWithinBounds(given)) return
  const eventType = given.eventType === undefined ? (previous?.eventType ?? null) : given.eventType
  const problems: FieldProblem[] = []
  if (given.eventType) problems.push(...(await eventTypeProblems(ctx, given.eventType)))
  const isTypeChanged = given.eventType !== undefined && given.eventType !== previous?.eventType
  if (given.conditions || given.logic || isTypeChanged) {
    const conditions = given.conditions ?? previous?.conditions ?? []
    const stated = { conditions, logic: given.logic ?? previous?.logic ?? 'AND' }
    problems.push(...conditionProblems(stated, conditionFieldsOf(eventType, ctx.shapes, ctx.caller)))
  }
  if (given.outputSchema) problems.push(...schemaProblems(given.outputSchema))
  const areActionsChecked = given.actions !== undefined || given.outputSchema !== undefined || isTypeChanged
  if (areActionsChecked && problems.length === 0) {
    const schema = given.outputSchema ?? (given.outputSchema === null ? null : previous?.outputSchema) ?? defaultSchema
    const actions = given.actions ?? previous?.actions ?? []
    problems.push(...actionProblems({ eventType, actions }, propertiesOf(schema)))
  }
  if (problems.length > 0) throw invalid(...problems)
}

export const defaultSchema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }

const scopesOfAction: Readonly<Record<AiActionType, (object: string | null) => readonly string[]>> = {
  UPDATE_RECORD: (object) => (object === null ? [] : [writeScopeOfObject(object.toLowerCase())]),
  CREATE_TASK: () => ['WRITE_TASKS'],
  SEND_NOTIFICATION: () => [],
  DRAFT_EMAIL: () => ['WRITE_EMAILS'],
  PUBLISH_EVENT: () => ['PUBLISH_EVENTS'],
  CUSTOM_ACTION: () => ['INVOKE_FUNCTIONS'],
  FUNCTION: () => ['INVOKE_FUNCTIONS'],
}

/** The scopes of what a trigger receives and does. */
function scopesOf({ eventType, actions }: Partial<AiTrigger>): string[] {
  const ofActions = (actions ?? []).flatMap(({ type, config }) => {
    const named = isJsonObject(config) ? config['object'] : undefined
    return scopesOfAction[type](typeof named === 'string' ? named : objectOfType(eventType ?? null))
  })
  return [...scopesOfEventTypes(eventType ? [eventType] : []), ...ofActions]
}

/**
 * A trigger acts as its owner, so whoever changes it gets the rights of its owner; and it does nothing for which the credential that changes it
 * lacks the scope. Admins may pause and delete a trigger of an owner; and
 * they may not make another owner the owner of a trigger.
 */
export async function requireRightToChange(
  ctx: RequestContext,
  given: TriggerInput,
  previous: AiTrigger | null,
): Promise<void> {
  const isPaused = given.status === 'PAUSED' && Object.keys(given).length === 1
  if (!isPaused) {
    const next = { ...previous, ...given } as Partial<AiTrigger>
    requireActingScopes(ctx.caller, [...scopesOf(previous ?? {}), ...scopesOf(next)])
  }
  if (previous && !isPaused) await requireRightToActAs(ctx, previous.ownerId)
  if (given.ownerId) await requireRightToActAs(ctx, given.ownerId)
}
