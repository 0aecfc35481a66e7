import { dataSchema, mergedIdsSample, mergedIdsSchema } from '../../kernel/outbox/event-data-schema.ts'
import type { Column } from '../../kernel/record/column.ts'
import { customObjectOfEvents } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { EventType } from './event-type.ts'

/** The event types of the custom objects of the caller's organization. */
export const customObjectTypes = ({ shapes }: RequestContext): EventType[] =>
  (shapes?.customObjects ?? []).flatMap((object) => typesOfObject(shapes!.custom(object) as RecordShape))

/** The event types of the records of a custom object. */
export function typesOfObject(shape: RecordShape): EventType[] {
  const { object, events, columns } = shape
  const properties = Object.fromEntries(columns.shown.map((column) => [column.name, schemaOf(column)]))
  const record = Object.fromEntries(columns.shown.map(({ name, example = null }) => [name, example]))
  const own: Readonly<Record<string, unknown>> = { ...record, object: shape.objectKey, customFields: {} }
  return Object.entries(events!.types).map(([type, { description, operation, adds }]) => ({
    name: `${type}@1`,
    type,
    version: 1,
    isCurrent: true,
    object,
    isCustom: true,
    label: description,
    description,
    publishAccess: null,
    schema: dataSchema({
      object,
      type,
      description,
      properties,
      ...(adds && { added: { mergedIds: mergedIdsSchema } }),
    }),
    sample: {
      object,
      id: own['id'],
      record: own,
      previous: operation === 'UPDATE' ? { ...own, externalId: null } : null,
      changedFields: operation === 'UPDATE' ? ['externalId'] : null,
      actorId: own['ownerId'],
      ...(adds && { mergedIds: mergedIdsSample }),
    },
  }))
}

/** The type of a column in events. */
function schemaOf({ kind, nullable, description }: Column): object {
  const described = description === undefined ? {} : { description }
  if (kind === 'json') return nullable ? described : { type: 'object', additionalProperties: true, ...described }
  if (kind === 'textList') return { type: 'array', items: { type: 'string' }, ...described }
  const type = kind === 'integer' ? 'integer' : 'string'
  return { type: nullable ? [type, 'null'] : type, ...(kind === 'timestamp' && { format: 'date-time' }), ...described }
}

/** An event type of a custom object by its name, `custom_object.site_visit.created`, or `custom_object.site_visit.created@1`. */
export function customObjectTypeNamed(ctx: RequestContext, name: string): EventType | null {
  const type = name.replace(/@1$/, '')
  const object = customObjectOfEvents(type.slice(0, type.lastIndexOf('.')))
  const shape = object === null ? null : (ctx.shapes?.custom(object) as RecordShape | null | undefined)
  return (shape && typesOfObject(shape).find((one) => one.type === type)) ?? null
}
