import type { Column } from '../../../kernel/record/column.ts'
import { customValuesSql, valuesSql } from '../../../kernel/record/computed-values.ts'
import { customFieldsName, sqlLiteral } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { restrictedSql, type FieldRules } from '../../../kernel/record/field-security.ts'
import type { JobOptions } from '../bulk-job.options.ts'

// PostgreSQL writes the lines of an export by COPY, so that a process only passes them on.

export interface LineOptions extends Pick<JobOptions, 'dateFormat' | 'decimalSeparator' | 'spreadsheetSafe'> {
  readonly delimiter: string
  /** Time zone of the organization, in which other date formats than ISO write times. */
  readonly zone: string
}

interface LineSource {
  readonly definition: RecordShape
  readonly rules: FieldRules | null
}

/** The alias of the table in the statement. */
const alias = 't'

const isoTime = (sql: string): string => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const dayFormats = { DMY: 'DD.MM.YYYY', MDY: 'MM/DD/YYYY', YMD: 'YYYY/MM/DD' } as const

function dateSql(sql: string, { dateFormat }: LineOptions): string {
  return dateFormat === 'ISO' ? `${sql}::text` : `to_char(${sql}, '${dayFormats[dateFormat]}')`
}

function timeSql(sql: string, { dateFormat, zone }: LineOptions): string {
  if (dateFormat === 'ISO') return isoTime(sql)
  return `to_char(${sql} at time zone ${sqlLiteral(zone)}, '${dayFormats[dateFormat]} HH24:MI:SS')`
}

/** The value of the column of all custom fields, without those that are hidden. */
function customFieldsSql({ definition: { columns }, rules }: LineSource, column: Column): string {
  const stored = column.sql(alias)
  const sql = columns.isComputedByReads ? customValuesSql(stored, columns, alias) : stored
  return (rules && restrictedSql(rules, column, sql)) ?? sql
}

/** A text that an import takes back as it is. An apostrophe is also put before one that precedes such a character. */
const calculated = `E'^''*[=+\\\\-@\\t]'`

function textCell(sql: string, { spreadsheetSafe }: LineOptions): string {
  return spreadsheetSafe ? `case when ${sql} ~ ${calculated} then '''' || ${sql} else ${sql} end` : sql
}

/** Items that separators would change: those with one, with white space around them, empty ones, and what looks like a list of JSON. */
const unclearItems = `E'(^|\\x01)(\\\\s|\\x01|$)|\\\\s(\\x01|$)|;|^\\\\['`

/** The items separated by semicolons, or as a list of JSON where that would not give them back. */
const listSql = (sql: string): string =>
  `case when cardinality(${sql}) = 0 then null when array_to_string(${sql}, E'\\x01') ~ ${unclearItems} then to_json(${sql})::text
     else array_to_string(${sql}, ';') end`

function cellSql(source: LineSource, column: Column, options: LineOptions): string {
  const sql = column.sql(alias)
  switch (column.kind) {
    case 'id':
    case 'integer':
    case 'boolean':
      return `(${sql})::text`
    case 'number':
    case 'money':
      return options.decimalSeparator === 'COMMA' ? `replace((${sql})::text, '.', ',')` : `(${sql})::text`
    case 'date':
      return dateSql(`(${sql})`, options)
    case 'timestamp':
      return timeSql(`(${sql})`, options)
    case 'enum':
    case 'text':
      return textCell(`(${sql})`, options)
    case 'textList':
      return textCell(`(${listSql(`(${sql})`)})`, options)
    case 'json':
      return `(${column.name === customFieldsName ? customFieldsSql(source, column) : sql})::text`
  }
}

/** Texts are quoted, so that an empty one differs from none, which is nothing between two delimiters. */
function isQuoted({ kind }: Column, { decimalSeparator }: LineOptions): boolean {
  if (kind === 'number' || kind === 'money') return decimalSeparator === 'COMMA'
  return kind === 'enum' || kind === 'text' || kind === 'textList' || kind === 'json'
}

/** How records become lines: the columns that a statement selects, and the options with which COPY writes them. */
export interface LineSql {
  readonly columns: string
  readonly options: string
}

/** Lines in CSV. */
export function csvLineSql(source: LineSource, columns: readonly Column[], options: LineOptions): LineSql {
  const nameOf = (column: Column): string => `c${columns.indexOf(column)}`
  const quoted = columns.filter((column) => isQuoted(column, options)).map(nameOf)
  return {
    columns: columns.map((column) => `${cellSql(source, column, options)} as ${nameOf(column)}`).join(', '),
    options: `format csv, delimiter ${sqlLiteral(options.delimiter)}${quoted.length > 0 ? `, force_quote (${quoted.join(', ')})` : ''}`,
  }
}

function jsonSql(source: LineSource, column: Column): string {
  const sql = column.sql(alias)
  if (column.name === customFieldsName) return customFieldsSql(source, column)
  return column.kind === 'timestamp' ? isoTime(`(${sql})`) : sql
}

/** In the object of custom fields, one without a value is absent. */
const withoutEmptyLists = (column: Column): Column =>
  column.kind === 'textList' ? { ...column, sql: (of) => `nullif(${column.sql(of)}, '{}'::text[])` } : column

/** COPY quotes no cell by itself: JSON has no such characters. */
const unquoted = `format csv, delimiter E'\\x02', quote E'\\x01'`

/** Lines in NDJSON. Custom fields are in an object, as the API has them. */
export function jsonLineSql(source: LineSource, columns: readonly Column[]): LineSql {
  const own = columns.filter(({ key }) => key === undefined)
  const custom = columns.filter(({ key }) => key !== undefined)
  const members = [
    ...own.map((column) => `${jsonSql(source, column)} as "${column.name}"`),
    ...(custom.length > 0 ? [`${valuesSql(custom.map(withoutEmptyLists), alias)} as "${customFieldsName}"`] : []),
  ]
  return { columns: `(select row_to_json(line)::text from (select ${members.join(', ')}) line)`, options: unquoted }
}
