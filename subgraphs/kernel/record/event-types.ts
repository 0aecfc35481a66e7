import type { RequestContext } from '../request.ts'

/** Any record, by the names of its columns. */
export type AnyRecord = Record<string, unknown>

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE'

/** One event type of a record, which events tell of as `P`. `schema/events` is printed from this. */
export interface EventType<P extends object = AnyRecord> {
  readonly operation: Operation
  readonly description: string
  /** Properties of `data` beside those of every record event, and where the value of each comes from: `record.status`. */
  readonly adds?: Readonly<Record<string, `${'record' | 'previous'}.${keyof P & string}`>>
  /** What the catalog's sample of this type has otherwise than the sample of the record. */
  readonly sample?: Partial<P>
  /** What the catalog's sample says that the record was before. */
  readonly before?: Partial<P>
}

/** What a property of an event's record holds; with `?` it may be null. */
export type PropertyKind = 'id' | 'text' | 'boolean' | 'timestamp' | 'textList'

/** How events tell of a record, where that is not by its columns in the graph. */
export interface EventPayload<T extends object = object> {
  readonly properties: Readonly<Record<string, PropertyKind | `${PropertyKind}?`>>
  of(record: T): object
}

/** Every event type that changes of a record announce. A type that is not listed cannot be written. */
export interface RecordEvents<T extends object = object, P extends object = T> {
  readonly types: Readonly<Record<string, EventType<P>>>
  /** The record of the catalog's samples; a column left out has its initial value. */
  readonly sample: Partial<P>
  readonly payload?: EventPayload<T>
}

/** A change that has passed every check. */
export interface Change<T extends object = object> {
  readonly operation: Operation
  readonly previous: T | null
  /** The record as it is afterwards; one that is gone, as it was. */
  readonly next: T
  /** Updates: names of what changed. Absent, what differs in what events tell of the record. */
  readonly changedFields?: readonly string[]
  /** Types of further events of the same change. */
  readonly events?: readonly string[]
  /** What the audit log calls the change, where that is not the type of its event. */
  readonly action?: string
}

/** The values of the statement that an entry becomes part of. */
export interface StatementValues {
  add(value: unknown): string
}

/** A kind of thing whose changes are told in events and in the audit log: a record, or what is stored otherwise. */
export interface TrackedObject<T extends object = object> {
  /** Object kind in events: `account`. */
  readonly object: string
  /** Event types, where they are not `<object>.<created|updated|deleted|restored>`. */
  readonly eventTypes?: Partial<Record<Operation, string>>
  readonly events?: RecordEvents<T, AnyRecord>
  /** The entry in the audit log, as `insert ... select ... from <when>`: part of the statement that makes the change. */
  audit?(ctx: RequestContext, values: StatementValues, change: AuditedChange<T>, when: string): string
}

export interface AuditedChange<T extends object = object> extends Change<T> {
  readonly action: string
}
