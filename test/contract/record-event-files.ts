import { enumerationOf, initialValue, type Column } from '../../subgraphs/kernel/record/column.ts'
import { columnOf, isRecordShape, type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import type { EventPayload, TrackedObject, EventType, PropertyKind } from '../../subgraphs/kernel/record/event-types.ts'
import { bookkeeping, eventsOf } from '../../subgraphs/kernel/record/record-events.ts'
import { dataSchema, mergedIdsSample, mergedIdsSchema } from '../../subgraphs/kernel/outbox/event-data-schema.ts'
import type { EventFile, Json } from './event-file.ts'

const jsonTypeOf: Readonly<Record<Exclude<Column['kind'], 'json'>, Json>> = {
  id: { type: 'string' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  money: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  enum: { type: 'string' },
  textList: { type: 'array', items: { type: 'string' } },
}

/** The guarantee for receivers. It has no bounds of columns, because they apply to writers and may widen without a new version. */
function schemaOf(column: Column): Json {
  const description = column.description && { description: column.description }
  if (column.structure) {
    const { parts, isList } = column.structure
    const item = {
      type: column.nullable ? ['object', 'null'] : 'object',
      required: parts.map(({ name }) => name),
      additionalProperties: true,
      properties: Object.fromEntries(parts.map((part) => [part.name, schemaOf(part)])),
    }
    return isList ? { type: 'array', items: item, ...description } : { ...item, ...description }
  }
  if (column.kind === 'json') {
    return column.nullable ? { ...description } : { type: 'object', additionalProperties: true, ...description }
  }
  const { type, ...rest } = jsonTypeOf[column.kind]
  const members = Object.keys(enumerationOf(column) ?? {})
  const closed = members.length > 0 && !column.readAsString
  if (column.kind === 'textList' && members.length > 0) {
    const items = { type: 'string', ...(closed ? { enum: members } : { examples: members }) }
    return { type: column.nullable ? [type, 'null'] : type, items, ...description }
  }
  return {
    type: column.nullable ? [type, 'null'] : type,
    ...rest,
    ...(closed && { enum: column.nullable ? [...members, null] : members }),
    ...(column.readAsString && { examples: members }),
    ...description,
  }
}

/** A column as it is in the events of this record type. */
function schemaInEventsOf({ events }: RecordShape, column: Column): Json {
  const description = events?.neverNull?.[column.name]
  return schemaOf(description === undefined ? column : { ...column, nullable: false, description })
}

/** A member that shows the record before the change is empty for recipients who could not see it then; a text is an empty text. */
function formerSchemaOf(column: Column): Json {
  const isText = column.kind === 'text'
  const { description = '', ...schema } = schemaOf(isText ? column : { ...column, nullable: true })
  const note = `Value before the change; ${isText && !column.nullable ? 'an empty text' : 'null'} if the recipient could not see the record then.`
  return { ...schema, description: `${note} ${String(description)}`.trim() }
}

/** `record.status` refers to the column `status`. */
const splitPath = (path: string): [record: string, column: string] => path.split('.', 2) as [string, string]

const sampleOrganization = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const sampleUser = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const sampleRecord = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const created = '2026-11-02T08:15:00.000Z'
const changed = '2026-11-02T10:40:00.000Z'

/** The examples of these columns, by name. */
export const exampleOf = (columns: readonly Column[]): Json =>
  Object.fromEntries(columns.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])))

function sampleOf(record: RecordShape, type: string, eventType: EventType): Json {
  const { operation, before = {} } = eventType
  const isCreate = operation === 'CREATE'
  const stamps: Json = {
    id: sampleRecord,
    organizationId: sampleOrganization,
    ownerId: sampleUser,
    createdById: sampleUser,
    updatedById: sampleUser,
    createdAt: created,
    updatedAt: isCreate ? created : changed,
    deletedAt: operation === 'DELETE' ? changed : null,
    version: isCreate ? 1 : 2,
  }
  const { stored: columns } = record.columns
  const given: Json = { ...exampleOf(columns), ...stamps, ...record.events!.sample, ...eventType.sample }
  const next = Object.fromEntries(
    columns.map((column) => [column.name, column.name in given ? given[column.name] : initialValue(column)]),
  )
  const previous = { ...next, version: 1, updatedAt: created, ...before }
  const changedFields = columns
    .filter(({ name, internal }) => name in before && !internal && !bookkeeping.has(name))
    .map(({ name }) => name)
  const change = { operation, previous, next, changedFields, events: [type], mergedIds: mergedIdsSample }
  const events = eventsOf(record, change, sampleUser)
  return events.find((event) => event.type === type)!.data
}

function propertySchemaOf(kind: string): Json {
  const { type, ...rest } = jsonTypeOf[kind.replace('?', '') as PropertyKind]
  return { type: kind.endsWith('?') ? [type, 'null'] : type, ...rest }
}

function payloadSampleOf({ object, events }: TrackedObject, { sample, before }: EventType): Json {
  const record: Json = { ...events!.sample, ...sample }
  return {
    object,
    id: record['id'],
    record,
    previous: before ? { ...record, ...before } : null,
    changedFields: before ? Object.keys(before).filter((name) => !bookkeeping.has(name)) : null,
    actorId: sampleUser,
  }
}

/** The event types of an object whose event payload is declared instead of built from columns. */
function payloadEventFiles(source: TrackedObject, { properties: kinds }: EventPayload): EventFile[] {
  const properties = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, propertySchemaOf(kind)]))
  return Object.entries(source.events!.types).map(([type, eventType]) => ({
    type,
    version: eventType.version ?? 1,
    schema: dataSchema({ object: source.object, type, description: eventType.description, properties }),
    sample: payloadSampleOf(source, eventType),
  }))
}

/** The event types of an object, with their schemas and samples. */
export const eventFilesOf = (source: TrackedObject | RecordShape): EventFile[] =>
  source.events?.payload
    ? payloadEventFiles(source, source.events.payload)
    : isRecordShape(source)
      ? recordEventFiles(source)
      : []

/** The event types of a record, built from its columns and its declared events. */
function recordEventFiles(record: RecordShape): EventFile[] {
  const properties = Object.fromEntries(
    record.columns.shown.map((column) => [column.name, schemaInEventsOf(record, column)]),
  )
  return Object.entries(record.events?.types ?? {}).map(([type, eventType]) => {
    const added = Object.fromEntries(
      Object.entries(eventType.adds ?? {}).map(([name, path]) => {
        const [source, columnName] = splitPath(path)
        if (source === 'change') return [name, mergedIdsSchema]
        const column = columnOf(record, columnName)
        return [name, source === 'previous' ? formerSchemaOf(column) : schemaInEventsOf(record, column)]
      }),
    )
    const { description } = eventType
    return {
      type,
      version: eventType.version ?? 1,
      schema: dataSchema({ object: record.object, type, description, properties, added }),
      sample: sampleOf(record, type, eventType),
    }
  })
}
