import type { RequestContext } from '../request.ts'

/** Any record, by the names of its columns. */
export type AnyRecord = Record<string, unknown>

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE'

/** One event type of a record; `P` is the type of the record in the payload. `npm run schema` prints `schema/events` from it. */
export interface EventType<P extends object = AnyRecord> {
  readonly operation: Operation
  readonly description: string
  /**
   * Version of the schema of its data; default 1. Raise it with a breaking change, which removes or retypes a property. The printed files of
   * former versions stay in `schema/events`.
   */
  readonly version?: number
  /** Additional properties of `data`, each with the source of its value: `record.status`; `change.mergedIds` are the ids of merged records. */
  readonly adds?: Readonly<Record<string, `${'record' | 'previous'}.${keyof P & string}` | 'change.mergedIds'>>
  /** Values in the sample event of this type that differ from the sample record. */
  readonly sample?: Partial<P>
  /** Values of the record before the change in the sample event. */
  readonly before?: Partial<P>
}

/** The type of a property in an event payload. The suffix `?` means nullable. */
export type PropertyKind = 'id' | 'text' | 'integer' | 'boolean' | 'timestamp' | 'textList'

/** The payload of a record in events, when it differs from the record's GraphQL columns. */
export interface EventPayload<T extends object = object> {
  readonly properties: Readonly<Record<string, PropertyKind | `${PropertyKind}?`>>
  of(record: T): object
}

/** All event types of a record. Writing an event of a type that is not listed throws. */
export interface RecordEvents<T extends object = object, P extends object = T> {
  readonly types: Readonly<Record<string, EventType<P>>>
  /** What differs in the sample events from the examples of the columns; a column without either has its initial value. */
  readonly sample?: Partial<P>
  readonly payload?: EventPayload<T>
  /** Columns that can be null but are not in events of this record type, with their descriptions for receivers. */
  readonly neverNull?: Readonly<Partial<Record<keyof P & string, string>>>
}

/** A checked change. */
export interface Change<T extends object = object> {
  readonly operation: Operation
  readonly previous: T | null
  /** The record after the change; for a record that is removed from the table, its last values. */
  readonly next: T
  /** Updates: names of the changed fields. Default: the properties that differ between the two event payloads. */
  readonly changedFields?: readonly string[]
  /** Types of additional events of the same change. */
  readonly events?: readonly string[]
  /** The additional events replace the event of the operation. */
  readonly isEventReplaced?: boolean | undefined
  /** The records that were merged into this one. */
  readonly mergedIds?: readonly string[] | undefined
  /** The action in the audit log; default: the type of the event. */
  readonly action?: string
}

/** Collects the parameters of an SQL statement; `add` returns the placeholder. */
export interface StatementValues {
  add(value: unknown): string
}

/** An object whose changes are published as events and written to the audit log: a record or data with another storage. */
export interface TrackedObject<T extends object = object> {
  /** The record type in events: `account`. */
  readonly object: string
  /** Event types by operation; default: `<object>.<created|updated|deleted|restored>`. */
  readonly eventTypes?: Partial<Record<Operation, string>>
  readonly events?: RecordEvents<T, AnyRecord>
  /** Only owners and admins receive the events. This always holds for objects that are not records. */
  readonly isAdministrative?: boolean
  /** SQL that inserts the audit log entry, as `insert ... select ... from <when>`; it becomes part of the statement of the change. */
  audit?(ctx: RequestContext, values: StatementValues, change: AuditedChange<T>, when: string): string
}

export interface AuditedChange<T extends object = object> extends Change<T> {
  readonly action: string
}
