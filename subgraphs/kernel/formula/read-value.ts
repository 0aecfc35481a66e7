import { isExactNumber, isJsonObject } from '../json/exact-number.ts'
import { dayText, parseDay, parseTime, timeText } from './calendar.ts'
import { fromExact, toDigits } from './fixed-point.ts'
import { exactNumber } from '../json/exact-number.ts'
import type { FormulaType, Value, ValueOf } from './formula.ts'
import { formulaLimits } from './limits.ts'
import { firstOf } from './text.ts'

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? firstOf(value, formulaLimits.fieldText) : null

/** The value of a field of each type; a value of another type, stored before the field was defined, is blank. */
const readers: { readonly [T in FormulaType]: (value: unknown) => ValueOf[T] | null } = {
  NUMBER: (value) => (isExactNumber(value) ? fromExact(value) : null),
  TEXT: textOf,
  PICKLIST: textOf,
  LIST: (value) => (Array.isArray(value) ? (value as string[]) : null),
  DATE: (value) => (typeof value === 'string' ? parseDay(value) : null),
  DATETIME: (value) => (typeof value === 'string' ? parseTime(value) : null),
  BOOLEAN: (value) => (typeof value === 'boolean' ? value : null),
}

/** Follows names in JSON; undefined where there is no such member. */
const memberAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)

/** Reads a field of a record. A `BOOLEAN` is `absent` where the record has none. */
export function reader(type: FormulaType, names: readonly string[], absent = false): (record: Fields) => Value {
  const read = readers[type]
  const blank = type === 'BOOLEAN' ? absent : null
  return (record) => read(memberAt(record, names)) ?? blank
}

const writers: { readonly [T in FormulaType]: (value: ValueOf[T]) => unknown } = {
  NUMBER: (value) => exactNumber(toDigits(value)),
  TEXT: (value) => value,
  PICKLIST: (value) => value,
  LIST: (value) => value,
  DATE: dayText,
  DATETIME: timeText,
  BOOLEAN: (value) => value,
}

/** The value as in the JSON of a record. */
export const toJson = (type: FormulaType, value: Value): unknown =>
  value === null ? null : (writers[type] as (value: Value) => unknown)(value)
