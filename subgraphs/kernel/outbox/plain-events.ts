/** What a property of an event's record holds; with `?` it may be null. */
export type PlainKind = 'id' | 'text' | 'boolean' | 'timestamp' | 'textList'

/** One event type, with the record that the catalog's sample shows. */
export interface PlainEventType {
  readonly description: string
  readonly record: { readonly id: string } & Readonly<Record<string, unknown>>
  /** Updates: what the record was before, where it differs. */
  readonly before?: Readonly<Record<string, unknown>>
}

/** Event types of something that is no record: nobody lists, filters or changes it as one. `schema/events` is printed from this. */
export interface PlainEvents {
  readonly object: string
  readonly properties: Readonly<Record<string, PlainKind | `${PlainKind}?`>>
  readonly types: Readonly<Record<string, PlainEventType>>
}
