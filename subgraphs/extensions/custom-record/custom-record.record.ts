import { activeUsers } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { Columns } from '../../kernel/record/columns.ts'
import { customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import { customObject, customObjectEvents } from '../../kernel/record/custom-object.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import type { EventType, RecordEvents } from '../../kernel/record/event-types.ts'
import type { CustomObject } from '../custom-object/custom-object.ts'
import { CustomRecord } from './custom-record.ts'

/** What all custom objects have in common. Their own definitions are derived from it, for each organization. */
export const customRecord: RecordDefinition<CustomRecord> = defineRecord(CustomRecord, {
  object: 'custom_record',
  table: 'extensions.custom_record',
  objectColumn: 'object',
  isExtensible: true,
  isCustomizable: true,
  visibleBy: ['ownerId'],
  searchable: ['name'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  totals: { by: ['object'] },
  merge: {},
  events: { types: {} },
})

/** What reads and writes of its records need to know of a custom object. */
export type StoredObject = Pick<CustomObject, 'name' | 'label' | 'nameField' | 'formerNameFields'> & {
  /** Its records are details of other records. */
  readonly isDetail?: boolean
}

const verbs = { CREATE: 'created', UPDATE: 'updated', DELETE: 'deleted', RESTORE: 'restored' } as const
type Verb = keyof typeof verbs

/** The event types of the records of a custom object, by operation. */
export const eventTypesOf = (name: string): Readonly<Record<Verb, string>> =>
  Object.fromEntries(
    Object.entries(verbs).map(([operation, verb]) => [operation, `${customObjectEvents(name)}.${verb}`]),
  ) as Record<Verb, string>

function eventsOf(name: string, label: string): RecordEvents<CustomRecord> {
  const types = Object.entries(eventTypesOf(name)).map(([operation, type]) => [
    type,
    {
      operation: operation as Verb,
      description: `A record of the custom object ${label} was ${verbs[operation as Verb]}.`,
    },
  ])
  const merged: EventType = {
    operation: 'UPDATE',
    description: `Other records of the custom object ${label} were merged into this one; mergedIds are their ids.`,
    adds: { mergedIds: 'change.mergedIds' },
  }
  const all = { ...Object.fromEntries(types), [`${customObjectEvents(name)}.merged`]: merged }
  return { types: all as RecordEvents<CustomRecord>['types'] }
}

const nameMax = customRecord.columns.byName.get('name')!.max!

/** The name of a record: the value of its name field, of which an index has no more characters. */
function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.length <= nameMax
    ? value
    : Array.from(value.slice(0, 2 * nameMax))
        .slice(0, nameMax)
        .join('')
}

/** A detail has the owner of its master. */
function withoutOwner({ ownerId }: CustomRecord): FieldProblem[] {
  if (ownerId === null) return []
  const message = 'ownerId must be null: the record is a detail, which users see through its master.'
  return [{ path: 'ownerId', code: 'NOT_ALLOWED', message }]
}

/** The record type of a custom object, without its custom fields. */
export function customRecordOf({
  name,
  label,
  nameField,
  formerNameFields,
  isDetail = false,
}: StoredObject): RecordDefinition<CustomRecord> {
  // Whoever may not read a field reads no name that was its value, also of a deleted record, of an event or of a moment ago.
  const sources = new Set([...formerNameFields, ...(nameField === null ? [] : [nameField])])
  const derivedFrom = [customFieldsName, ...Array.from(sources, customFieldName)]
  const columns = customRecord.columns.stored.map((column) =>
    column.name === 'name' ? { ...column, derivedFrom } : column,
  )
  return {
    ...customRecord,
    columns: new Columns(columns),
    object: customObject(name),
    objectKey: name,
    eventTypes: eventTypesOf(name),
    events: eventsOf(name, label),
    calculated: (next, previous) => ({
      name: nameField === null ? null : nameOf(next.customFields[nameField]),
      ...(next.deletedAt === null && next.deletedWithId != null && { deletedWithId: null }),
      // A record that was there before it became a detail.
      ...(isDetail && next.ownerId !== null && next.ownerId === previous?.ownerId && { ownerId: null }),
    }),
    ...(isDetail && { invariants: withoutOwner }),
  }
}
