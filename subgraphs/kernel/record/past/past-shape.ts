import { noValueSql } from '../blank-sql.ts'
import { Columns } from '../columns.ts'
import type { Column } from '../column.ts'
import { hasColumn, type RecordShape } from '../definition.ts'
import { isLive } from '../live-formulas.ts'

/** Whether the state of a record at a past time is known: each of its changes has an event with all columns. */
export const hasPast = (shape: RecordShape): boolean =>
  !shape.isAdministrative &&
  !shape.storedIn &&
  !shape.partsOf &&
  !shape.events?.payload &&
  ['createdAt', 'deletedAt', 'version'].every((name) => hasColumn(shape, name)) &&
  Object.values(shape.events?.types ?? {}).some(({ operation }) => operation === 'CREATE')

const shapes = new WeakMap<RecordShape, RecordShape>()

/** Whether the value follows from other records or the time, so that no event has it. */
const isOfOthers = (column: Column): boolean => isLive(column) || column.rollup !== undefined

function withoutValue(column: Column): Column {
  const { formula: _formula, rollup: _rollup, ...plain } = column
  return { ...plain, writable: 'NEVER', sql: () => noValueSql(column) }
}

function pastColumns({ columns }: RecordShape): Columns {
  if (columns.customFields.size === 0) return columns
  const fields = [...columns.customFields.values()].map((column) => {
    const { valueIndex: _valueIndex, ...read } = isOfOthers(column) ? withoutValue(column) : column
    return read
  })
  const derived = [...columns.customFields.values()].filter(isOfOthers).map(({ key }) => key!)
  const droppedKeys = new Set([...columns.droppedKeys, ...derived])
  return new Columns(columns.stored, fields, columns.hasDefinedKeysOnly, droppedKeys)
}

/**
 * The shape of the past states of a record type: without what indexes and totals have of the current states, and without values of rollups and of
 * formulas over other records and the time.
 */
export function pastShape(shape: RecordShape): RecordShape {
  let past = shapes.get(shape)
  if (!past) {
    const { hasSearchText: _hasSearchText, totals: _totals, derived: _derived, ...plain } = shape
    past = { ...plain, columns: pastColumns(shape) }
    shapes.set(shape, past)
  }
  return past
}
