import type { EventDraft } from '../outbox/event.ts'
import type { Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'
import { changedCustomFields } from './custom-fields.ts'
import type { RecordShape } from './definition.ts'
import type { Change, TrackedObject, Operation } from './event-types.ts'
import { isSameValue } from './same-value.ts'

type Fields = Readonly<Record<string, unknown>>

const pastTense = { CREATE: 'created', UPDATE: 'updated', DELETE: 'deleted', RESTORE: 'restored' } as const

/** Columns that every change sets. */
export const bookkeeping: ReadonlySet<string> = new Set(['version', 'updatedAt', 'updatedById'])

/** The type of the event of the operation itself. */
export const eventTypeOf = ({ eventTypes, object }: TrackedObject, operation: Operation): string =>
  eventTypes?.[operation] ?? `${object}.${pastTense[operation]}`

/** The record in the form of its event payload. */
function payloadOf(source: TrackedObject, record: object): Fields {
  const { payload } = source.events ?? {}
  if (payload) return payload.of(record) as Fields
  return (source as RecordShape).columns.shownOf(record)
}

const differing = (one: Fields, other: Fields): string[] =>
  Object.keys(one).filter((name) => !bookkeeping.has(name) && !isSameValue(one[name], other[name]))

/** The names of the properties that differ between the two event payloads. */
export const changedFieldsOf = (source: TrackedObject, previous: object, next: object): string[] =>
  differing(payloadOf(source, next), payloadOf(source, previous))

/**
 * The names of the changed columns that are part of events, with changed custom fields after `customFields`. Undefined when the
 * record has its own event payload.
 */
export function changedFieldsIn(
  { columns, events }: RecordShape,
  changed: readonly Column[],
  previous: Fields,
  next: Fields,
): readonly string[] | undefined {
  if (events?.payload) return undefined
  return changed
    .filter(({ name, internal }) => !internal && !bookkeeping.has(name))
    .flatMap(({ name }) =>
      name === customFieldsName ? [name, ...changedCustomFields(columns, previous[name], next[name])] : name,
    )
}

/**
 * The event of the operation, then the additional events. An update without changed fields has only the additional events, if there are
 * any; so has a change whose event they replace.
 */
export function eventsOf(source: TrackedObject, change: Change, actorId: string | null): EventDraft[] {
  const { object, events: declared } = source
  if (!declared) return []
  const { operation, previous, next, events: additional = [], isEventReplaced = false } = change
  const record = payloadOf(source, next)
  const before = operation === 'UPDATE' ? payloadOf(source, previous!) : null
  const changedFields = before && (change.changedFields ?? differing(record, before))
  const { id } = next as { id: string }
  const data = { object, id, record, previous: before, changedFields, actorId }
  const main = eventTypeOf(source, operation)
  const isReplaced = isEventReplaced || (changedFields?.length === 0 && additional.length > 0)
  const types = isReplaced ? additional : [main, ...additional]
  return types.map((type) => {
    const declaredType = declared.types[type]
    if (!declaredType) throw new Error(`${object} does not declare the event type ${type}`)
    const extra = declaredType.adds ? addedData(declaredType.adds, change) : null
    const { version = 1 } = declaredType
    return { type, version, object, recordId: id, data: extra ? { ...data, ...extra } : data }
  })
}

/** `record.status` is the column `status` after the change, `previous.status` before the change, `change.mergedIds` of the change itself. */
function addedData(adds: Readonly<Record<string, string>>, { next, previous, mergedIds }: Change): Fields {
  const values: Readonly<Record<string, Fields | null>> = {
    record: next as Fields,
    previous: previous as Fields | null,
    change: { mergedIds },
  }
  return Object.fromEntries(
    Object.entries(adds).map(([name, path]) => {
      const [source, column] = path.split('.', 2) as [string, string]
      return [name, values[source]?.[column] ?? null]
    }),
  )
}
