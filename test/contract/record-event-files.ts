import { blank, type Column } from '../../subgraphs/kernel/record/column.ts'
import { columnOf, layoutOf, type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { bookkeeping, eventsOf, type EventType } from '../../subgraphs/kernel/record/record-events.ts'
import { dataSchema, type EventFile, type Json } from './event-file.ts'

const jsonTypeOf: Readonly<Record<Exclude<Column['kind'], 'json'>, Json>> = {
  id: { type: 'string' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  money: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  enum: { type: 'string' },
  textList: { type: 'array', items: { type: 'string' } },
}

/** The guarantee for receivers. It has no bounds of columns, because they apply to writers and may widen without a new version. */
function schemaOf(column: Column): Json {
  const description = column.description && { description: column.description }
  if (column.kind === 'json') {
    return column.nullable ? { ...description } : { type: 'object', additionalProperties: true, ...description }
  }
  const { type, ...rest } = jsonTypeOf[column.kind]
  const members = column.kind === 'enum' ? Object.keys(column.type) : []
  const closed = members.length > 0 && !column.readAsString
  return {
    type: column.nullable ? [type, 'null'] : type,
    ...rest,
    ...(closed && { enum: column.nullable ? [...members, null] : members }),
    ...(column.readAsString && { examples: members }),
    ...description,
  }
}

/** `record.status` refers to the column `status`. */
const placeOf = (path: string): [record: string, column: string] => path.split('.', 2) as [string, string]

const sampleOrganization = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const sampleUser = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const sampleRecord = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const created = '2026-11-02T08:15:00.000Z'
const changed = '2026-11-02T10:40:00.000Z'

function sampleOf(record: RecordShape, eventType: EventType): Json {
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
  const given: Json = { ...stamps, ...record.events!.sample }
  const { columns } = layoutOf(record)
  const next = Object.fromEntries(columns.map((column) => [column.name, given[column.name] ?? blank(column)]))
  const previous = { ...next, version: 1, updatedAt: created, ...before }
  const values: Readonly<Record<string, Json>> = { record: next, previous }
  const adds = Object.entries(eventType.adds ?? {}).map(([name, path]) => {
    const [place, column] = placeOf(path)
    return [name, values[place]![column]]
  })
  const differing = columns.filter(({ name }) => name in before || bookkeeping.has(name))
  const [event] = eventsOf(record, { operation, previous, next, changed: differing, actorId: sampleUser })
  return { ...event!.data, ...Object.fromEntries(adds) }
}

/** The event types of a record, built from its columns and its declared events. */
export function recordEventFiles(record: RecordShape): EventFile[] {
  const properties = Object.fromEntries(layoutOf(record).shown.map((column) => [column.name, schemaOf(column)]))
  return Object.entries(record.events?.types ?? {}).map(([type, eventType]) => {
    const columns = Object.entries(eventType.adds ?? {}).map(
      ([name, path]) => [name, columnOf(record, placeOf(path)[1])] as const,
    )
    const added = Object.fromEntries(columns.map(([name, column]) => [name, schemaOf(column)]))
    const { description } = eventType
    return {
      type,
      schema: dataSchema({ object: record.object, type, description, properties, added }),
      sample: sampleOf(record, eventType),
    }
  })
}
