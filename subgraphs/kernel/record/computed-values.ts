import type { Column } from './column.ts'
import type { Columns } from './columns.ts'
import { sqlLiteral } from './custom-field-column.ts'
import { localSql } from './local-formula.ts'

type Fields = Readonly<Record<string, unknown>>

/** PostgreSQL functions have at most 100 arguments. */
const membersMax = 40

/** A value in the form in which JavaScript writes it to JSON. */
const jsonSql = ({ kind, sql }: Column, alias: string): string =>
  kind === 'date' || kind === 'timestamp' ? `kernel.formula_text(${sql(alias)})` : sql(alias)

function objectSql(columns: readonly Column[], alias: string): string {
  const members = columns.map((column) => `${sqlLiteral(column.key!)}, ${jsonSql(column, alias)}`)
  const parts = Array.from({ length: Math.ceil(members.length / membersMax) }, (_, index) =>
    members.slice(index * membersMax, (index + 1) * membersMax),
  )
  return parts.map((part) => `jsonb_strip_nulls(jsonb_build_object(${part.join(', ')}))`).join(' || ')
}

/** The custom fields without these keys. */
export const withoutKeysSql = (sql: string, keys: Iterable<string>): string =>
  `(${sql} - array[${[...keys].map(sqlLiteral).join(', ')}]::text[])`

/** The custom fields of a record as they are read: with the values that reads compute, whatever is stored under their keys. */
export function customValuesSql(sql: string, { computedByReads, droppedKeys }: Columns, alias: string): string {
  const stored = withoutKeysSql(sql, [...computedByReads.map(({ key }) => key!), ...droppedKeys])
  return computedByReads.length > 0 ? `(${stored} || ${objectSql(computedByReads, alias)})` : stored
}

/** The custom fields of a record with the values of these formulas over its own fields. */
export const withFormulasSql = (sql: string, formulas: readonly Column[], alias: string): string =>
  `(${withoutKeysSql(
    sql,
    formulas.map(({ key }) => key!),
  )} || ${objectSql(
    formulas.map((column) => ({ ...column, sql: localSql(column.formula!) })),
    alias,
  )})`

/** SQL of an object with the values of these custom fields of a record. */
export const valuesSql = objectSql

/** The custom fields of a record with the values of its formulas, and without those of rollups, which change without it. */
function computed({ formulas, rollups, droppedKeys }: Columns, record: Fields): Fields {
  const values: Record<string, unknown> = { ...(record.customFields as Fields) }
  for (const key of droppedKeys) delete values[key]
  for (const { key } of rollups) delete values[key!]
  for (const { key, formula } of formulas) {
    const value = formula?.isLocal ? formula.evaluate(record) : null
    if (value === null) delete values[key!]
    else values[key!] = value
  }
  return values
}

/** The record with the values of its formulas and without those of its rollups; the same object when its record type has neither. */
export const withFormulas = <T extends object>(columns: Columns, record: T): T =>
  columns.isComputed ? { ...record, customFields: computed(columns, record as Fields) } : record

/** Sets the values of the formulas of a record. */
export function setFormulas(columns: Columns, record: object): void {
  if (columns.isComputed) (record as Record<string, unknown>).customFields = computed(columns, record as Fields)
}

/** The custom fields of a record that another one can take over: without the values of formulas and rollups. */
export const withoutFormulas = <T extends Fields>(columns: Columns, values: T): T => {
  const { formulas, rollups, droppedKeys, isComputed } = columns
  if (!isComputed) return values
  const computedKeys = new Set([...[...formulas, ...rollups].map(({ key }) => key), ...droppedKeys])
  return Object.fromEntries(Object.entries(values).filter(([key]) => !computedKeys.has(key))) as T
}
