import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'
import type { FieldChange } from './history.types.ts'

type Fields = Readonly<Record<string, unknown>>

/** What identifies a record, and what every change sets. */
const unlisted: ReadonlySet<string> = new Set(['id', 'organizationId', ...bookkeeping])

const none: Fields = {}

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? (value as Fields) : none)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** The fields of the second of two states that differ from the first, custom fields one by one. A missing field has no value. */
export function fieldChanges(shape: RecordShape, before: Fields | null, after: Fields | null): FieldChange[] {
  const [previous, next] = [before ?? none, after ?? none]
  const changes: FieldChange[] = []
  const compare = (field: string, previousValue: unknown, value: unknown): void => {
    if (isSameValue(previousValue, value) || (isEmpty(previousValue) && isEmpty(value))) return
    changes.push({ field, previousValue: previousValue ?? null, value: value ?? null })
  }
  for (const { name } of shape.columns.shown) {
    if (unlisted.has(name) || !(name in previous || name in next)) continue
    if (name !== customFieldsName) {
      compare(name, previous[name], next[name])
      continue
    }
    const [one, other] = [fieldsOf(previous[name]), fieldsOf(next[name])]
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      if (!shape.columns.droppedKeys.has(key)) compare(customFieldName(key), one[key], other[key])
  }
  return changes
}
