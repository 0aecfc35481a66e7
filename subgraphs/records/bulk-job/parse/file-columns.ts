import type { FieldProblem } from '../../../kernel/errors.ts'
import { customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import { isDerived, tableColumn, type Column } from '../../../kernel/record/column.ts'
import { recordTypeIn } from '../../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { namedRecordOf } from '../../../kernel/record/named-records.ts'
import type { OrganizationShapes } from '../../../kernel/record/shape-source.ts'
import { isSettable } from '../../../kernel/record/typed-values.ts'
import type { BulkOperation, BulkReadOnlyColumns } from '../bulk-job.enumerations.ts'

/** What a column of the file is for. */
export interface FileColumn {
  /** Its name in the file. */
  readonly name: string
  readonly column: Column
  /** The API name of a custom field. */
  readonly customKey: string | null
  /** The record type whose external ids the column has, in place of ids. */
  readonly externalIdsOf: RecordShape | null
  readonly isKey: boolean
  /** Whether a change of an existing record may set it. */
  readonly isUpdatable: boolean
}

export interface ColumnsOfFile {
  /** In the order of the file; null for a column that is not loaded. */
  readonly columns: readonly (FileColumn | null)[]
  readonly problems: readonly FieldProblem[]
}

export interface ColumnRules {
  readonly operation: BulkOperation
  readonly matchBy: string
  readonly mapping: Readonly<Record<string, string | null>>
  readonly readOnlyColumns: BulkReadOnlyColumns
}

/** The columns that results have besides those of the file; whoever sends corrected results again need not remove them. */
export const resultColumns = ['_row', '_id', '_created', '_code', '_field', '_message'] as const

const externalIdSuffix = '.externalId'
const customPrefix = `${customFieldsName}.`

interface WithShapes {
  readonly shapes: OrganizationShapes | null
}

type Found = Pick<FileColumn, 'column' | 'customKey' | 'externalIdsOf'>

/** The record type whose ids a column has; null if nothing says it. */
function targetOf({ entity, relations = {} }: RecordShape, { name, kind, lookup }: Column): string | null {
  if (lookup) return lookup.to
  if (kind !== 'id') return null
  const relation = Object.values(relations).find(({ by }) => by === name)
  return relation ? relation.to().object : namedRecordOf(entity, name)
}

/** The column of the record type with this name, or whose records are named by external ids; null if there is none. */
export function columnNamed(ctx: WithShapes, definition: RecordShape, name: string): Found | null {
  const { columns } = definition
  if (name.endsWith(externalIdSuffix)) {
    const found = columnNamed(ctx, definition, name.slice(0, -externalIdSuffix.length))
    const target = found && targetOf(definition, found.column)
    const externalIdsOf = target ? recordTypeIn(ctx, target) : null
    return found && externalIdsOf?.columns.byName.has('externalId') ? { ...found, externalIdsOf } : null
  }
  const column = columns.byName.get(name)
  if (column && !column.internal) return { column, customKey: column.key ?? null, externalIdsOf: null }
  const key = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : ''
  // Without any definition of the record type, its keys are free.
  const isFree = key !== '' && columns.byName.has(customFieldsName) && !columns.hasDefinedKeysOnly
  return isFree ? { column: tableColumn(name, String, { nullable: true }), customKey: key, externalIdsOf: null } : null
}

/** What owners and admins may set in new records only; whether the user of the job is one is decided for each row. */
const isImported = ({ column: { writable } }: Found): boolean => writable === 'ON_IMPORT'

function isWritable(definition: RecordShape, found: Found, operation: 'CREATE' | 'UPDATE'): boolean {
  const { column, customKey } = found
  if (isImported(found)) return operation === 'CREATE'
  return customKey === null ? isSettable(definition, column.name, operation) : !isDerived(column)
}

/** What the columns of a file are for. A column that is empty, repeated, unknown or not writable is a problem of the whole job. */
export function columnsOfFile(
  ctx: WithShapes,
  definition: RecordShape,
  names: readonly string[],
  { operation, matchBy, mapping, readOnlyColumns }: ColumnRules,
): ColumnsOfFile {
  const problems: FieldProblem[] = []
  const seen = new Set<string>()
  const fields = new Set<string>()
  const refuse = (index: number, code: string, message: string): null => {
    problems.push({ path: `columns.${index}`, code, message })
    return null
  }
  const columnAt = (name: string, index: number): FileColumn | null => {
    if (name === '') return refuse(index, 'EMPTY', `Column ${index + 1} of the file must have a name.`)
    if (seen.has(name)) return refuse(index, 'DUPLICATE', `The file has two columns with the name ${name}.`)
    seen.add(name)
    const field = Object.hasOwn(mapping, name) ? mapping[name]! : name
    if (field === null || (resultColumns as readonly string[]).includes(field)) return null
    const found = columnNamed(ctx, definition, field)
    if (!found)
      return refuse(
        index,
        'UNKNOWN_FIELD',
        `${definition.object} has no field ${field}; map the column ${name} to a field, or to null to leave it out.`,
      )
    const target = found.column.name
    if (fields.has(target)) return refuse(index, 'DUPLICATE', `Two columns of the file are for the field ${target}.`)
    fields.add(target)
    const isKey = operation !== 'INSERT' && field === matchBy
    if (isKey || field === 'id') return { name, ...found, isKey, isUpdatable: false }
    const [isCreatable, isUpdatable] = [
      isWritable(definition, found, 'CREATE'),
      isWritable(definition, found, 'UPDATE'),
    ]
    const isAllowed =
      operation === 'DELETE' ||
      (operation === 'UPDATE' ? isUpdatable : operation === 'INSERT' ? isCreatable : isCreatable || isUpdatable)
    if ((!isAllowed || isImported(found)) && readOnlyColumns === 'IGNORE') return null
    if (!isAllowed)
      return refuse(index, 'NOT_WRITABLE', `${field} cannot be set; map the column ${name} to null to leave it out.`)
    return operation === 'DELETE' ? null : { name, ...found, isKey, isUpdatable }
  }
  const columns = names.map(columnAt)
  if (operation !== 'INSERT' && !columns.some((column) => column?.isKey) && problems.length === 0)
    problems.push({
      path: 'columns',
      code: 'REQUIRED',
      message: `The file must have a column for ${matchBy}, by which records are found.`,
    })
  for (const name of Object.keys(mapping))
    if (!seen.has(name))
      problems.push({ path: 'options.mapping', code: 'UNKNOWN_FIELD', message: `The file has no column ${name}.` })
  return { columns, problems }
}
