import type { Column } from '../record/column.ts'
import type { ColumnKind } from '../record/column-kind.ts'
import { customFieldsName } from '../record/custom-field-column.ts'
import type { RecordShape } from '../record/definition.ts'
import type { FormulaField, FormulaFields, FormulaType } from './formula.ts'

const types: Readonly<Record<ColumnKind, FormulaType | null>> = {
  id: 'TEXT',
  text: 'TEXT',
  enum: 'PICKLIST',
  integer: 'NUMBER',
  number: 'NUMBER',
  money: 'NUMBER',
  boolean: 'BOOLEAN',
  timestamp: 'DATETIME',
  date: 'DATE',
  textList: 'LIST',
  json: null,
}

/** The value of a column as SQL of the type of the formula. A cast of double precision to numeric would keep 15 digits only. */
const casts: Partial<Record<ColumnKind, (sql: string) => string>> = {
  id: (sql) => `${sql}::text`,
  integer: (sql) => `${sql}::numeric`,
  number: (sql) => `${sql}::text::numeric`,
  textList: (sql) => `kernel.formula_list(${sql})`,
}

/** The field of a column, custom fields included; null for a column whose value is not that of the record itself, or that formulas cannot read. */
export function fieldOfColumn({
  name,
  kind,
  key,
  column,
  internal,
  rollup,
  default: initial,
  formula,
  sql,
}: Column): FormulaField | null {
  const type = types[kind]
  if (type === null || internal || rollup !== undefined || formula?.isLocal === false) return null
  const path = key === undefined ? [name] : [customFieldsName, key]
  // The items of a list may have any type where the values of custom fields are, so the list itself is read.
  if (kind === 'textList' && key !== undefined)
    return { type, path, sql: (alias) => `(${alias}.${column} -> '${key.replaceAll("'", "''")}')` }
  const absent = kind === 'boolean' && key !== undefined && initial === true
  return { type, path, ...(absent && { absent }), sql: (alias) => (casts[kind] ?? String)(sql(alias)) }
}

/** The columns and custom fields of a record type, without relations: for formulas that read the record itself only. */
export const fieldsOfRecord = ({ object, columns }: RecordShape): FormulaFields => ({
  of: object,
  field(name) {
    const column = columns.byName.get(name)
    return column ? fieldOfColumn(column) : null
  },
})
