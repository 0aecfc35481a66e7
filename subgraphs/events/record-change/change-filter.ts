import { compileConditions, type Conditions } from '../../kernel/condition/conditions.ts'
import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import type { Caller } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { shapeFor, type ShapeSource } from '../../kernel/record/shape-source.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether an event, with the data that the caller may see, meets the filter of a subscriber. Throws a `Refusal` if the filter is not valid for
 * the caller, or no longer.
 */
export type ChangeFilter = (event: LoggedEvent, caller: Caller) => boolean

const always: ChangeFilter = () => true
/** Of a custom object that was deleted, nobody sees an event. */
const never: Conditions = () => false

/** The fields that a filter can name. Records of a custom object have no other custom fields than the defined ones. */
function fieldsFor(shape: RecordShape, caller: Pick<Caller, 'fields'>): ConditionFields {
  const fields = fieldsOfShape(shape, caller)
  if (customObjectName(shape.object) === null) return fields
  return { ...fields, field: (name) => (hasColumn(shape, name) ? fields.field(name) : null) }
}

/**
 * The filter in the arguments of `recordChanged`. It is compiled for the rights of the caller, and again when they change: a field that
 * the profile hides must not decide which events are sent, because that would disclose it.
 */
export function changeFilterOf(
  shapes: ShapeSource,
  caller: Caller,
  object: string,
  { filter, logic }: Fields,
): ChangeFilter {
  if (filter === null || filter === undefined) {
    if (logic === null || logic === undefined) return always
    throw invalid({ path: 'logic', code: 'NOT_ALLOWED', message: 'logic needs a filter.' })
  }
  const compile = (fields: Caller['fields']): Conditions => {
    const own = { shapes: shapes.shapesOf(caller.organizationId) }
    const shape = recordTypeIn(own, object)
    if (!shape) return never
    return compileConditions({ conditions: filter, logic }, fieldsFor(shapeFor(own, shape), { fields }), 'filter')
  }
  let compiledFor = caller.fields
  let conditions = compile(compiledFor)
  return ({ data, occurredAt }, current) => {
    if (current.fields !== compiledFor) {
      conditions = compile(current.fields)
      compiledFor = current.fields
    }
    const { record, previous } = data as { readonly record: Fields; readonly previous?: Fields | null }
    return conditions(record, previous ?? null, Date.parse(occurredAt))
  }
}
