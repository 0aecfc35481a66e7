import { isJsonObject } from '../../json/exact-number.ts'
import { itemsMax } from '../check-values.ts'
import { isDerived, type Column } from '../column.ts'
import { customFieldsName } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { isSameValue } from '../same-value.ts'

type Fields = Readonly<Record<string, unknown>>

/** Columns that say of a record itself what it is. */
const ofTheRecord: ReadonlySet<string> = new Set([
  'id',
  'organizationId',
  'version',
  'createdAt',
  'updatedAt',
  'createdById',
  'updatedById',
  'deletedAt',
  customFieldsName,
])

export const isMergedColumn = (
  shape: RecordShape,
  { name, computed = false, isUnversioned = false }: Column,
): boolean => !ofTheRecord.has(name) && name !== shape.objectColumn && !computed && !isUnversioned

/** Whether a client may choose from which record the value is taken. */
export const isChosen = (shape: RecordShape, column: Column): boolean =>
  column.key === undefined
    ? isMergedColumn(shape, column) && (column.writable ?? 'ALWAYS') === 'ALWAYS'
    : !isDerived(column)

export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'string') return value.trim() === ''
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

/** A value without what can no longer be chosen. */
function withoutRetired(retired: ReadonlySet<unknown>, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !retired.has(item))
  return retired.has(value) ? null : value
}

/**
 * The value by the default rule: a list has the items of all lists, as many as fit; anything else is the first value that is not blank. The first record
 * keeps what it has; what can no longer be chosen is not taken from others.
 */
export function mergedValue(
  [own, ...others]: readonly unknown[],
  { custom, maxItems = itemsMax }: Pick<Column, 'custom' | 'maxItems'> = {},
): unknown {
  const retired = custom?.retired
  const values = [own, ...(retired?.size ? others.map((value) => withoutRetired(retired, value)) : others)]
  const filled = values.filter((value) => !isBlank(value))
  const isList =
    filled.length > 1 &&
    filled.every((value) => Array.isArray(value) && value.every((item) => typeof item === 'string'))
  if (!isList) return filled[0] ?? null
  return [...new Set(filled.flat())].slice(0, Math.max(maxItems, Array.isArray(own) ? own.length : 0))
}

interface Merged {
  /** The records, the one that stays first. */
  readonly records: readonly Fields[]
  /** The fields that are taken from a certain record, by their names. */
  readonly chosen: Readonly<Record<string, Fields>>
  /** Flags that stay true if they are true in one of the records. */
  readonly keepsTrue: readonly string[]
  /** Columns with ids of records of the same type: none of the merged records is named. */
  readonly ownReferences: readonly string[]
}

interface MergedValues {
  /** What the caller has chosen, as far as the record that stays has another value. */
  readonly values: Fields
  /** What follows from the default rule, as far as the record that stays has another value. */
  readonly implied: Fields
}

/** The values of the record that stays. The records are not changed. */
export function mergedValues(shape: RecordShape, { records, chosen, keepsTrue, ownReferences }: Merged): MergedValues {
  const ids = new Set(records.map(({ id }) => id))
  const own = (name: string, value: unknown): unknown => (ownReferences.includes(name) && ids.has(value) ? null : value)
  const [winner] = records as [Fields]
  const values: Record<string, unknown> = {}
  const implied: Record<string, unknown> = {}
  const set = (
    name: string,
    column: Column | undefined,
    of: (record: Fields) => unknown,
    into: (isGiven: boolean, value: unknown) => void,
  ): void => {
    const from = Object.hasOwn(chosen, name) ? chosen[name] : undefined
    const value = from
      ? own(name, of(from) ?? null)
      : keepsTrue.includes(name)
        ? records.some((record) => of(record) === true)
        : mergedValue(
            records.map((record) => own(name, of(record))),
            column,
          )
    if (isSameValue(value, of(winner) ?? null)) return
    into(from !== undefined, value)
  }
  for (const column of shape.columns.stored) {
    if (!isMergedColumn(shape, column)) continue
    const { name } = column
    set(
      name,
      column,
      (record) => record[name],
      (isGiven, value) => {
        // An empty list or text stays as it is.
        if (!isGiven && isBlank(value) && isBlank(winner[name])) return
        ;(isGiven ? values : implied)[name] = value
      },
    )
  }
  const customOf = (record: Fields): Fields => (record[customFieldsName] ?? {}) as Fields
  const given: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const key of new Set(records.flatMap((record) => Object.keys(customOf(record))))) {
    const column = shape.columns.customFields.get(key)
    // A value without a definition cannot be written any more.
    if (column ? isDerived(column) : shape.columns.hasDefinedKeysOnly) continue
    set(
      `${customFieldsName}.${key}`,
      column,
      (record) => (Object.hasOwn(customOf(record), key) ? customOf(record)[key] : null),
      (isGiven, value) => ((isGiven ? given : others)[key] = value),
    )
  }
  if (Object.keys(given).length > 0) values[customFieldsName] = given
  if (Object.keys(others).length > 0) implied[customFieldsName] = others
  return { values, implied }
}
