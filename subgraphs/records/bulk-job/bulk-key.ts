import type { RecordShape } from '../../kernel/record/definition.ts'
import {
  keyFieldNamed,
  keyValueOf,
  withKey,
  withoutKey,
  givenKey,
  type KeyField,
} from '../../kernel/record/upsert/key-field.ts'
import type { FieldProblem } from '../../kernel/errors.ts'

/** The field by which the rows of a file name records: the id, the external id or a unique custom field. */
export interface BulkKey {
  /** `id`, `externalId` or `customFields.<name>`. */
  readonly name: string
  /** Null for the id. */
  readonly field: KeyField | null
}

type Fields = Readonly<Record<string, unknown>>

export const keyById: BulkKey = { name: 'id', field: null }

/** The key of a record type with this name; null if there is none. A custom field is named with `customFields.` or without. */
export function bulkKeyNamed(definition: RecordShape, name: string): BulkKey | null {
  if (name === keyById.name) return keyById
  const field = keyFieldNamed(definition, name)
  return field && { name: field.name, field }
}

/** Whether the key is a unique custom field, whose values are compared as they are unique. */
export const isCustomKey = ({ field }: BulkKey): boolean => field?.column.key !== undefined

/** The value of a key in a row; null without one. */
export function valueOfKey({ name, field }: BulkKey, value: unknown): string | FieldProblem | null {
  if (typeof value === 'string' && value.trim() === '') return null
  if (field) return keyValueOf(field, value, name)
  return typeof value === 'string' ? value.trim() : null
}

/** The values of a new record, with its key. */
export const createdWithKey = ({ field }: BulkKey, values: Fields, key: string): Fields =>
  field ? (withKey(field, values, key) as Fields) : values

/** The values of a change, which does not set the key; null if they have another one. */
export function changedWithoutKey({ name, field }: BulkKey, values: Fields, key: string): Fields | null {
  if (!field) return values
  const given = givenKey(field, values)
  if (given === undefined) return values
  return keyValueOf(field, given, name) === key ? withoutKey(field, values) : null
}
