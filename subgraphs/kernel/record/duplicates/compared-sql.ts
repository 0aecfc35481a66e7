import { customFieldsName, sqlLiteral } from '../custom-field-column.ts'
import type { Matcher } from './duplicate-rules.ts'

/** The select list of a record with its id and what the matchers compare. */
export function comparedSql(matchers: readonly Matcher[], alias: string): string {
  const columns = new Map(matchers.map(({ column }) => [column.name, column]))
  const own = [...columns.values()].filter(({ key }) => key === undefined)
  const keys = [...columns.values()].flatMap(({ key }) => (key === undefined ? [] : sqlLiteral(key)))
  const custom = keys.map((key) => `${key}, ${alias}.custom_fields -> ${key}`).join(', ')
  return [
    `${alias}.id`,
    ...own.map((column) => `${column.sql(alias)} as "${column.name}"`),
    ...(keys.length > 0 ? [`jsonb_build_object(${custom}) as "${customFieldsName}"`] : []),
  ].join(', ')
}
