import { tableColumn, type Column } from '../column.ts'
import { Columns } from '../columns.ts'
import { outputColumnsOf } from '../declared-value.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { DateTime } from '../scalars.ts'
import { shortTextMax } from './aggregate-columns.ts'

/** Texts of a log are names that the platform has written, so each value is a group. */
const asName = (column: Column): Column => (column.kind === 'text' ? { max: shortTextMax, ...column } : column)

/** The shape of a log of which these columns can be grouped and added up. The filter of its list may have its other columns, too. */
export function countedBy(shape: RecordShape, names: readonly string[]): RecordShape {
  const others = shape.columns.stored.filter(({ name }) => !names.includes(name))
  const internal = others.map((column) => ({ ...column, internal: true }))
  return { ...shape, columns: new Columns([...names.map((name) => asName(columnOf(shape, name))), ...internal]) }
}

/** The shape of records whose time of creation has another name; lists are in its order unless another one is requested. */
export function createdAs(shape: RecordShape, name: string): RecordShape {
  const { sql } = columnOf(shape, name)
  const createdAt = { ...tableColumn('createdAt', DateTime, { internal: true }), sql }
  return { ...shape, columns: new Columns([...shape.columns.stored, createdAt]) }
}

interface Log<T> {
  readonly object: string
  readonly table: string
  /** Fields of the type, which are columns of the table. */
  readonly by: readonly (keyof T & string)[]
}

/** The shape of a log of the whole organization, whose entries are no records, by fields that its type declares with `OutputField`. */
export const countedLog = <T>(entity: new () => T, { object, table, by }: Log<T>): RecordShape =>
  countedBy({ entity, columns: new Columns(outputColumnsOf(entity)), object, table, visibleBy: [], searchable: [] }, [
    'id',
    ...by,
  ])
