import type { ColumnKind } from '../column-kind.ts'

/** The table with the values of indexed custom fields. */
export const valueTable = 'kernel.record_value'

/** The columns of the table by the kind of their values. The migration was made from it, so it only grows with another one. */
export const valueColumns = {
  text: { column: 'text_value', type: 'text' },
  number: { column: 'number_value', type: 'numeric' },
  boolean: { column: 'boolean_value', type: 'boolean' },
  time: { column: 'time_value', type: 'timestamptz' },
  date: { column: 'date_value', type: 'date' },
  id: { column: 'id_value', type: 'uuid' },
} as const

export type ValueKind = keyof typeof valueColumns

/** The kind under which the values of a column are indexed; columns of the other kinds cannot be. */
export const valueKinds: Readonly<Partial<Record<ColumnKind, ValueKind>>> = {
  text: 'text',
  enum: 'text',
  money: 'number',
  boolean: 'boolean',
  timestamp: 'time',
  date: 'date',
  id: 'id',
}

/** What two values that must not be equal are compared by. */
export type UniqueForm = 'TEXT' | 'PHONE' | 'NUMBER'

/** How the values of a custom field are indexed. */
export interface ValueIndex {
  readonly kind: ValueKind
  /** Every live record has its row, so that lists may read them. Writes write the rows from the beginning. */
  readonly isReady: boolean
  /** Null unless the field is unique. */
  readonly unique: UniqueForm | null
}

/** Longer texts are indexed by their beginning, because an entry of an index has a limited size. */
export const indexedCharacters = 500
