import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import type { Caller } from '../../kernel/context.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { shapeIn, type WorkflowObject } from './objects.ts'

type Scope = Readonly<Record<string, unknown>>

/** Fields of a body of which only its sender knows the names. */
export const anyFields = (of: string): ConditionFields => ({ of, field: (name) => ({ name, kind: 'any' }) })

/** The fields of the record of a run; of a run without one, those of its input. A custom object that does not exist has none. */
export function fieldsOfRecord(
  object: WorkflowObject | null,
  shapes: OrganizationShapes | null,
  caller: Pick<Caller, 'fields'>,
): ConditionFields {
  if (!object) return anyFields('the input')
  const shape = shapeIn(shapes, object)
  return shape ? fieldsOfShape(shape, caller) : { of: object.object, field: () => null }
}

const ofRun = /^(?:input|item|index|steps)(?:\.[A-Za-z_][\w]{0,63}){0,8}$/

/** What conditions of a step may name: fields of the record, and what the run knows besides. */
export function fieldsOfRun(
  object: WorkflowObject | null,
  shapes: OrganizationShapes | null,
  caller: Pick<Caller, 'fields'>,
): ConditionFields {
  const ofRecord = object ? fieldsOfRecord(object, shapes, caller) : null
  return {
    of: ofRecord ? `${ofRecord.of}, or input, item or steps` : 'input, item or steps',
    field: (name) => ofRecord?.field(name) ?? (ofRun.test(name) ? { name, kind: 'any' } : null),
  }
}

function valueAt(scope: Scope, path: string): unknown {
  let value: unknown = scope
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null
    value = value[name]
  }
  return value ?? null
}

function namesIn(conditions: unknown, names: Set<string>): void {
  if (!Array.isArray(conditions)) return
  for (const condition of conditions as readonly unknown[]) {
    if (!isJsonObject(condition)) continue
    const { field, value, valueType, conditions: inner } = condition
    if (typeof field === 'string') names.add(field)
    if (valueType === 'FIELD' && typeof value === 'string') names.add(value)
    namesIn(inner, names)
  }
}

/** The record, with what conditions name besides by its whole name: `steps.find.output.count`. */
export function flattened(scope: Scope, conditions: unknown): Scope {
  const names = new Set<string>()
  namesIn(conditions, names)
  const others = [...names].filter((name) => ofRun.test(name)).map((name) => [name, valueAt(scope, name)] as const)
  return { ...(isJsonObject(scope['record']) ? scope['record'] : {}), ...Object.fromEntries(others) }
}
