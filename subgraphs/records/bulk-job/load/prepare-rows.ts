import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { isRequired } from '../../../kernel/record/inputs.ts'
import { isSettable, typedValue } from '../../../kernel/record/typed-values.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { organizationZone } from '../../../kernel/time/days.ts'
import { cellValue, dayValue, type CellFormat } from '../parse/cell-value.ts'
import { columnsOfFile, type ColumnRules, type FileColumn } from '../parse/file-columns.ts'
import { isProblem, type FileRow, type RowProblem } from '../read-file.ts'
import { changedWithoutKey, createdWithKey, valueOfKey } from '../bulk-key.ts'
import type { Loading } from './loading.ts'

type Fields = Record<string, unknown>

/** A field that names a record by its external id. */
export interface ExternalReference {
  readonly column: FileColumn
  readonly externalId: string
}

/** What a row asks for. */
export interface LoadRow {
  readonly row: number
  /** The value of the key by which its record is found; null for INSERT. */
  readonly key: string | null
  /** The values of a new record. */
  readonly created: Readonly<Fields>
  /** The values of a change. */
  readonly changed: Readonly<Fields>
  readonly references: readonly ExternalReference[]
  readonly problem: RowProblem | null
}

export interface RowReader {
  read(row: FileRow): LoadRow
  /** The custom fields that the rows read so far have named, without those of the columns of CSV. */
  named(): readonly string[]
}

/** Sets a custom field. A key is a text of the file, which may be the name of what objects inherit, such as `__proto__`. */
function setCustom(into: Fields, key: string, value: unknown): void {
  if (!isJsonObject(into[customFieldsName]))
    into[customFieldsName] = { ...(into[customFieldsName] as Fields | undefined) }
  Object.defineProperty(into[customFieldsName], key, { value, configurable: true, enumerable: true, writable: true })
}

/** Reads the rows of a job for the record type as it is now. */
export async function rowReaderOf(
  ctx: RequestContext,
  { job, definition, key: keyField }: Pick<Loading, 'job' | 'definition' | 'key'>,
): Promise<RowReader> {
  const { operation, matchBy, options } = job
  const { dateFormat, decimalSeparator, blankMeans, readOnlyColumns, spreadsheetSafe } = options
  const mapping = (options.mapping ?? {}) as ColumnRules['mapping']
  const rules: ColumnRules = { operation, matchBy, mapping, readOnlyColumns }
  const zone = await organizationZone(ctx)
  const format: CellFormat = { dateFormat, decimalSeparator, zone, spreadsheetSafe: spreadsheetSafe ?? true }
  const { columns, problems } = columnsOfFile(ctx, definition, job.format!.columns, rules)
  const byName = new Map<string, FileColumn | RowProblem | null>()
  // A column that the record type had when the upload was complete may be gone.
  const fileProblem = job.format!.delimiter === null ? undefined : problems[0]

  const columnOfKey = (name: string): FileColumn | RowProblem | null => {
    let found = byName.get(name)
    if (found === undefined) {
      const own = Object.hasOwn(mapping, name) ? { [name]: mapping[name]! } : {}
      const read = columnsOfFile(ctx, definition, [name], { ...rules, mapping: own })
      const refused = read.problems.find(({ path }) => path.startsWith('columns.'))
      found = refused ? { code: refused.code, field: name, message: refused.message } : read.columns[0]!
      byName.set(name, found)
    }
    return found
  }

  const read = ({ row, content }: FileRow): LoadRow => {
    const created: Fields = {}
    const changed: Fields = {}
    const references: ExternalReference[] = []
    let key: string | null = null
    let problem: RowProblem | null = null
    const refuse = (code: string, field: string | null, message: string): void => {
      problem ??= { code, field, message }
    }
    const set = (into: Fields, { column, customKey }: FileColumn, value: unknown): void => {
      if (customKey !== null) setCustom(into, customKey, value)
      else into[column.name] = column.name === customFieldsName && isJsonObject(value) ? { ...value } : value
    }
    const take = (fileColumn: FileColumn, value: unknown, isBlank: boolean): void => {
      const { column, isKey, externalIdsOf, isUpdatable, customKey } = fileColumn
      if (isBlank) {
        if (blankMeans === 'CLEAR' && isUpdatable) set(changed, fileColumn, null)
        return
      }
      if (externalIdsOf && value !== null) {
        if (typeof value === 'string') references.push({ column: fileColumn, externalId: value.trim() })
        else refuse('WRONG_TYPE', column.name, `${column.name}.externalId must be text.`)
        return
      }
      const day = dayValue(column, value, zone)
      const converted = customKey === null ? typedValue(column, day) : day
      if (converted === undefined) {
        refuse('WRONG_TYPE', column.name, `${column.name} must not have a value of this type.`)
        return
      }
      if (isKey && keyField) {
        const value = valueOfKey(keyField, converted)
        if (value === null || typeof value === 'string') key = value
        else refuse(value.code, keyField.name, value.message)
      }
      set(created, fileColumn, converted)
      if (isUpdatable) set(changed, fileColumn, converted)
    }
    const takeCells = (cells: readonly string[]): void => {
      for (const [index, column] of columns.entries()) {
        if (!column) continue
        const cell = cells[index]!
        if (cell.trim() === '') {
          take(column, null, true)
          continue
        }
        const value = column.externalIdsOf ? cell : cellValue(column.column, cell, format)
        if (value === undefined)
          refuse('WRONG_TYPE', column.column.name, `${column.name} must not have the value "${cell.slice(0, 100)}".`)
        else take(column, value, false)
      }
    }
    const takeObject = (object: Readonly<Fields>): void => {
      for (const [name, value] of Object.entries(object)) {
        const column = name === customFieldsName && isJsonObject(value) ? null : columnOfKey(name)
        if (name === customFieldsName && isJsonObject(value)) {
          for (const [custom, each] of Object.entries(value)) takeObject({ [`${customFieldsName}.${custom}`]: each })
        } else if (column && 'code' in column) refuse(column.code, column.field, column.message)
        else if (column) take(column, value, false)
      }
    }
    if (isProblem(content)) problem = content
    else if (fileProblem) refuse(fileProblem.code, null, fileProblem.message)
    else if (Array.isArray(content)) takeCells(content as readonly string[])
    else takeObject(content as Readonly<Fields>)
    if (keyField && key === null)
      refuse('REQUIRED', matchBy, `${matchBy} must have a value, by which the record is found.`)
    if (!keyField || key === null || problem) return { row, key, created, changed, references, problem }
    const change = changedWithoutKey(keyField, changed, key)
    if (!change)
      refuse('DIFFERENT_KEY', matchBy, `${matchBy} must be the value by which the record is found, or absent.`)
    return { row, key, created: createdWithKey(keyField, created, key), changed: change ?? {}, references, problem }
  }
  const named = () =>
    [...byName.values()].flatMap((column) => (column && 'customKey' in column && column.customKey) || [])
  return { read, named }
}

/** The problem of a new record without a value that it must have. */
export function missingValue(definition: RecordShape, created: Readonly<Fields>): RowProblem | null {
  const missing = requiredOf(definition).find((name) => created[name] === undefined || created[name] === null)
  return missing === undefined ? null : { code: 'REQUIRED', field: missing, message: `${missing} must have a value.` }
}

const requiredNames = new WeakMap<object, readonly string[]>()

function requiredOf(definition: RecordShape): readonly string[] {
  const { shown } = definition.columns
  let names = requiredNames.get(shown)
  if (!names) {
    names = shown
      .filter((column) => isSettable(definition, column.name, 'CREATE') && isRequired(column))
      .map(({ name }) => name)
    requiredNames.set(shown, names)
  }
  return names
}
