import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import type { Caller } from '../../kernel/context.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'

/** The fields that conditions on the events of an object can name: those of its records, or the properties of its payload. */
export function fieldsOfEvents(
  source: TrackedObject,
  organization: { readonly shapes: OrganizationShapes | null },
  caller: Pick<Caller, 'fields'>,
): ConditionFields {
  if (isRecordShape(source)) return fieldsOfShape(shapeFor(organization, source), caller)
  const properties = source.events?.payload?.properties ?? {}
  return {
    of: source.object,
    field: (name) => (Object.hasOwn(properties, name) ? { name, kind: 'any' } : null),
  }
}
