import { format, resolveConfig } from 'prettier'
import { subgraphs } from '../../subgraphs/all.ts'
import type { Column } from '../../subgraphs/kernel/record/column.ts'
import { columnOf, layoutOf, type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { bookkeeping, eventsOf, type EventType } from '../../subgraphs/kernel/record/record-events.ts'

type Json = Readonly<Record<string, unknown>>

/** Records that announce events, each once. */
export const announcing: readonly RecordShape[] = subgraphs
  .flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, parts = [] }) => [...Object.values(entities), ...parts]),
  )
  .filter(({ events }) => events)

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

/** What a receiver may rely on. The bounds of a column bind who writes; they may widen without a new version. */
function schemaOf(column: Column): Json {
  const description = column.description && { description: column.description }
  if (column.kind === 'json')
    return column.nullable ? { ...description } : { type: 'object', additionalProperties: true, ...description }
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

const propertiesOf = (record: RecordShape): Json =>
  Object.fromEntries(layoutOf(record).shown.map((column) => [column.name, schemaOf(column)]))

const addedColumns = (record: RecordShape, { adds = {} }: EventType): [string, Column][] =>
  Object.entries(adds).map(([name, path]) => [name, columnOf(record, path.split('.')[1]!)])

/** `{object, id, record, previous, changedFields, actorId}` and what the type adds. */
function dataSchema(record: RecordShape, type: string, eventType: EventType): Json {
  const added = addedColumns(record, eventType)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: type,
    description: eventType.description,
    type: 'object',
    required: ['object', 'id', 'record', ...added.map(([name]) => name)],
    additionalProperties: false,
    properties: {
      object: { const: record.object },
      id: { type: 'string' },
      record: { type: 'object', required: ['id'], additionalProperties: true, properties: propertiesOf(record) },
      previous: { type: ['object', 'null'], description: 'The record before the change; updates only.' },
      changedFields: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'Names of the columns that changed; updates only.',
      },
      actorId: { type: ['string', 'null'], description: 'The user who caused the event; null when the system did.' },
      ...Object.fromEntries(added.map(([name, column]) => [name, schemaOf(column)])),
    },
  }
}

const sampleOrganization = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const sampleUser = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const sampleRecord = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const created = '2026-11-02T08:15:00.000Z'
const changed = '2026-11-02T10:40:00.000Z'

function blank(column: Column): unknown {
  if (column.nullable) return null
  if (column.kind === 'textList') return []
  return column.kind === 'json' ? {} : undefined
}

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
  const adds = Object.entries(eventType.adds ?? {}).map(([name, path]) => [
    name,
    values[path.split('.')[0]!]![path.split('.')[1]!],
  ])
  const differing = columns.filter(({ name }) => name in before || bookkeeping.has(name))
  const [event] = eventsOf(record, { operation, previous, next, changed: differing, actorId: sampleUser })
  return { ...event!.data, ...Object.fromEntries(adds) }
}

const printed = async (value: Json): Promise<string> =>
  format(JSON.stringify(value), { ...(await resolveConfig(import.meta.filename)), parser: 'json' })

/** Schema and catalog sample of every event type of every record, by path under `schema/`. */
export async function printedEvents(): Promise<[path: string, text: string][]> {
  const types = announcing.flatMap((record) =>
    Object.entries(record.events!.types).map(([type, eventType]) => ({ record, type, eventType })),
  )
  const files = types.flatMap(({ record, type, eventType }): [string, Json][] => {
    const path = `events/${type.replace('.', '/')}.v1`
    return [
      [`${path}.json`, dataSchema(record, type, eventType)],
      [`${path}.sample.json`, sampleOf(record, eventType)],
    ]
  })
  return Promise.all(files.map(async ([path, value]): Promise<[string, string]> => [path, await printed(value)]))
}
