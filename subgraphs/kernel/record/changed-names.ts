import type { RecordShape } from './definition.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { isSameValue } from './same-value.ts'
import { writableParts } from './structure.ts'
import type { Column } from './column.ts'

/** The names of the given values that differ from the record. Parts that only the platform sets are not compared, because nobody sends them. */
export function changedNames<T extends object>(
  { columns: { byName } }: RecordShape,
  previous: T,
  given: Partial<T>,
): (keyof T)[] {
  const isChanged = (name: keyof T): boolean => {
    const column = byName.get(name as string)
    const [before, after] = [previous[name], given[name]]
    return column?.structure
      ? !isSameValue(writableOf(column, before), writableOf(column, after))
      : !isSameValue(before, after)
  }
  return (Object.keys(given) as (keyof T)[]).filter((name) => given[name] !== undefined && isChanged(name))
}

/** Whether an update names no value. It is possible in every state of a record, because it changes nothing. */
export const isNothingGiven = (values: object): boolean => Object.values(values).every((value) => value === undefined)

function writableOf(column: Column, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => writableOf(column, item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(writableParts(column.structure!.parts).map(({ name }) => [name, value[name] ?? null]))
}
