import { parseJsonExactly } from '../json/exact-json.ts'
import { isExactNumber, plainDigits, textOfNumber } from '../json/exact-number.ts'
import type { Database } from '../database/database.ts'
import type { Column } from '../record/column.ts'
import { columnKinds, type ColumnKind } from '../record/column-kind.ts'
import { customField, type CustomFieldKind } from '../record/custom-field-column.ts'
import { fieldOfColumn } from './column-field.ts'
import { compileFormula, type BlankAs, type FormulaReturnType } from './compile.ts'
import type { Formula, FormulaFields, Place } from './formula.ts'
import { momentIn } from './moment.ts'

// A record type with columns and custom fields of every kind, as JSON for JavaScript and as a table for PostgreSQL.

const kinds: Readonly<Record<string, ColumnKind>> = {
  amount: 'money',
  price: 'money',
  score: 'integer',
  ratio: 'number',
  name: 'text',
  note: 'text',
  ownerId: 'id',
  stage: 'enum',
  tags: 'textList',
  active: 'boolean',
  closedAt: 'timestamp',
  openedAt: 'timestamp',
  dueOn: 'date',
  startOn: 'date',
}

const customKinds: Readonly<Record<string, CustomFieldKind>> = {
  margin: 'money',
  label: 'text',
  tier: 'enum',
  regions: 'textList',
  loyal: 'boolean',
  eager: 'boolean',
  renewalAt: 'timestamp',
  signedOn: 'date',
}

const columnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const tableColumn = (name: string, kind: ColumnKind): Column => ({
  name,
  column: columnName(name),
  kind,
  type: String,
  nullable: true,
  sql: (alias) => `${alias}.${columnName(name)}`,
  stored: (value) => value,
})

const columns: readonly Column[] = [
  ...Object.entries(kinds).map(([name, kind]) => tableColumn(name, kind)),
  ...Object.entries(customKinds).map(([name, kind]) =>
    customField({ name, kind, members: [], ...(name === 'eager' && { default: true }) }),
  ),
]

const known = new Map(columns.map((column) => [column.name, fieldOfColumn(column)!]))

/** The fields of a row; `account` is another row. */
export const rowFields: FormulaFields = {
  of: 'row',
  field: (name) => known.get(name) ?? null,
  related: (relation) => (relation === 'account' ? rowFields : null),
}

export const fieldNames: readonly string[] = [...known.keys()]

export type Row = Readonly<Record<string, unknown>>

/** 1 day after the leap day of 2028, in a zone where it still is the leap day. */
export const now = new Date('2028-03-01T02:30:00.125Z')
export const zone = 'America/New_York'
export const moment = momentIn(zone, now)

export const compileRow = (
  text: string,
  returnType: FormulaReturnType,
  { blankAs = 'BLANK', decimals }: { readonly blankAs?: BlankAs; readonly decimals?: number } = {},
): Formula =>
  compileFormula(text, { fields: rowFields, returnType, blankAs, ...(decimals !== undefined && { decimals }) })

const aliases = ['a', 'b', 'c']

/** Where the rows of `formula_row` are in `rowSource`. */
export const place: Place = {
  alias: () => 'r',
  related(relations, sql) {
    const rows = relations.map((_, index) => `formula_row ${aliases[index]!}`)
    const joined = relations.map((_, index) => `${aliases[index]!}.id = ${['r', ...aliases][index]!}.account`)
    return `(select ${sql(aliases[relations.length - 1]!)} from ${rows.join(', ')} where ${joined.join(' and ')})`
  },
  moment: { today: '$1::date', now: '$2::timestamptz', zone: '$3::text' },
}
export const momentValues: readonly unknown[] = [moment.today, now.toISOString(), zone]

export const rowSource = 'formula_row r'

const text = (sql: string, { type }: Formula): string =>
  type === 'DATETIME'
    ? `kernel.formula_text(${sql})`
    : type === 'DATE'
      ? `to_char(${sql}, 'YYYY-MM-DD')`
      : `(${sql})::text`

/** The value of a formula as text, as `inJs` has it. */
export const sqlText = (formula: Formula): string => text(formula.toSql(place), formula)

export function inJs(formula: Formula, row: Row): string | null {
  const value = formula.evaluate(row, moment)
  if (value === null) return null
  return isExactNumber(value) ? plainDigits(textOfNumber(value)) : String(value as string | boolean)
}

/** Rows are JSON texts, so that numbers keep their digits; `account` is the index of an earlier row. */
export class Rows {
  readonly records: readonly Row[]

  constructor(readonly texts: readonly string[]) {
    const records: Record<string, unknown>[] = []
    for (const each of texts) {
      const record = parseJsonExactly(each) as Record<string, unknown>
      const { account } = record
      records.push({ ...record, account: typeof account === 'number' ? records[account] : null })
    }
    this.records = records
  }

  async createIn(database: Database): Promise<void> {
    const all = Object.entries(kinds).map(([name, kind]) => `${columnName(name)} ${columnKinds[kind].databaseType}`)
    await database.query('drop table if exists formula_row')
    await database.query(
      `create table formula_row (id int primary key, account int, custom_fields jsonb, ${all.join(', ')})`,
    )
    const read = Object.entries(kinds).map(([name, kind]) =>
      kind === 'textList'
        ? `kernel.text_list_of(record -> '${name}')`
        : `(record ->> '${name}')::${columnKinds[kind].databaseType}`,
    )
    await database.query(
      `insert into formula_row (id, account, custom_fields, ${Object.keys(kinds).map(columnName).join(', ')})
       select index - 1, (record ->> 'account')::int, record -> 'customFields', ${read.join(', ')}
       from unnest($1::jsonb[]) with ordinality rows(record, index)`,
      [this.texts],
    )
  }
}
