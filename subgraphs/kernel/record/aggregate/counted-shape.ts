import { tableColumn, type Column } from '../column.ts'
import { Columns } from '../columns.ts'
import { outputColumnsOf } from '../declared-value.ts'
import type { RecordShape } from '../definition.ts'
import { DateTime } from '../scalars.ts'
import { shortTextMax } from './aggregate-columns.ts'

/** Texts of a log are names that the platform has written, so each value is a group. */
const asName = (column: Column): Column => (column.kind === 'text' ? { max: shortTextMax, ...column } : column)

/** The shape of a log with these columns only: what a reader of its list may filter, group and add up. Default: all of them. */
export const countedBy = (
  shape: RecordShape,
  names: readonly string[] = shape.columns.stored.map(({ name }) => name),
): RecordShape => ({
  ...shape,
  columns: new Columns(
    names.map((name) => {
      const column = shape.columns.byName.get(name)
      if (!column) throw new Error(`${shape.object} has no column ${name}.`)
      return asName(column)
    }),
  ),
})

interface Log<T> {
  readonly object: string
  readonly table: string
  /** Fields of the type, which are columns of the table. */
  readonly by: readonly (keyof T & string)[]
  /** The field with the time of creation, if it is not `createdAt`. */
  readonly createdAs?: keyof T & string
}

/** The shape of a log of the whole organization, whose entries are no records, by fields that its type declares with `OutputField`. */
export function countedLog<T>(entity: new () => T, { object, table, by, createdAs }: Log<T>): RecordShape {
  const columns = [...outputColumnsOf(entity)]
  const created = columns.find(({ name }) => name === createdAs)
  if (created) columns.push({ ...tableColumn('createdAt', DateTime, { internal: true }), sql: created.sql })
  return countedBy({ entity, columns: new Columns(columns), object, table, visibleBy: [], searchable: [] }, [
    'id',
    ...by,
    ...(created ? ['createdAt'] : []),
  ])
}
