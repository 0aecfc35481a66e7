import type { EventDraft } from '../outbox/event.ts'
import type { Column } from './column.ts'
import { customFieldsName } from './custom-field-column.ts'
import { changedCustomFields } from './custom-fields.ts'
import { type ExtraEvent, type Operation, type RecordShape } from './definition.ts'

type Fields = Readonly<Record<string, unknown>>

/** One event type of a record, as its contract describes it. `schema/events` is printed from this. */
export interface EventType<T extends object = object> {
  readonly operation: Operation
  readonly description: string
  /** Properties of `data` beside those of every record event, and the place in it whose value each repeats: `record.status`. */
  readonly adds?: Readonly<Record<string, `${'record' | 'previous'}.${string}`>>
  /** What the catalog's sample says that the record was before. */
  readonly before?: Partial<T>
}

/** Every event type that changes of a record announce. A type that is not listed cannot be written. */
export interface RecordEvents<T extends object = object> {
  readonly types: Readonly<Record<string, EventType<T>>>
  /** The record of the catalog's samples; a column left out is blank. */
  readonly sample: Partial<T>
}

const pastTense = { CREATE: 'created', UPDATE: 'updated', DELETE: 'deleted', RESTORE: 'restored' } as const

/** Columns that every change touches. */
export const bookkeeping: ReadonlySet<string> = new Set(['version', 'updatedAt', 'updatedById'])

/** A change of a record that has passed every check. */
export interface Change {
  readonly operation: Operation
  readonly previous: Fields | null
  readonly next: Fields
  readonly changed: readonly Column[]
  /** Null when the system itself changed it. */
  readonly actorId: string | null
  readonly events?: readonly ExtraEvent[]
}

const shownValues = (definition: RecordShape, record: Fields): Fields =>
  Object.fromEntries(definition.columns.shown.map(({ name }) => [name, record[name]]))

/** Names of the columns that changed and, after `customFields`, of the defined custom fields in it. */
function changedNames({ columns }: RecordShape, { changed, previous, next }: Change): string[] {
  return changed
    .filter(({ name, internal }) => !internal && !bookkeeping.has(name))
    .flatMap(({ name }) =>
      name === customFieldsName ? [name, ...changedCustomFields(columns, previous![name], next[name])] : name,
    )
}

/** The event of the operation itself, then the further ones of the same change; those stand alone when nothing that shows was changed. */
export function eventsOf(definition: RecordShape, change: Change): EventDraft[] {
  const { operation, previous, next, actorId, events = [] } = change
  const isUpdate = operation === 'UPDATE'
  const data = {
    object: definition.object,
    id: next.id,
    record: shownValues(definition, next),
    previous: isUpdate ? shownValues(definition, previous!) : null,
    changedFields: isUpdate ? changedNames(definition, change) : null,
    actorId,
  }
  const main: ExtraEvent = {
    type: definition.eventTypes?.[operation] ?? `${definition.object}.${pastTense[operation]}`,
  }
  const isHidden = data.changedFields?.length === 0 && events.length > 0
  return [...(isHidden ? [] : [main]), ...events].map(({ type, data: added }) => {
    if (!definition.events?.types[type]) throw new Error(`${definition.object} does not declare the event type ${type}`)
    return { type, version: 1, object: definition.object, recordId: next.id as string, data: { ...data, ...added } }
  })
}
