import { invalid, Refusal, type FieldProblem } from '../../../kernel/errors.ts'
import type { Column } from '../../../kernel/record/column.ts'
import { customFieldKey, customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { fieldNotReadable, type FieldRules } from '../../../kernel/record/field-security.ts'
import { jsonFilter } from '../../../kernel/record/json-filter.ts'
import { ListQuery } from '../../../kernel/record/list-query.ts'
import type { LoadableRecords } from '../../../kernel/record/loadable-records.ts'
import type { OrderInput } from '../../../kernel/record/order.ts'
import { LiteralValues } from '../../../kernel/record/predicate.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { organizationZone } from '../../../kernel/time/days.ts'
import type { BulkContentType } from '../bulk-job.enumerations.ts'
import type { JobOptions } from '../bulk-job.options.ts'
import { csvRecord } from '../parse/csv-fields.ts'
import type { ExportOrder, ExportQuery } from './export-query.types.ts'
import { csvLineSql, jsonLineSql, type LineSql } from './line-sql.ts'

/** How an export is read and written. */
export interface ExportPlan {
  readonly definition: RecordShape
  readonly rules: FieldRules | null
  readonly columns: readonly Column[]
  /** The COPY that writes the lines of the records. */
  readonly copy: string
  /** What the file begins with. */
  readonly head: string
  readonly lineEnd: string
}

const oldestFirst: readonly OrderInput[] = [{ field: 'createdAt', direction: 'ASC' }]
const byteOrderMark = '\ufeff'

const isShown = (column: Column | undefined): column is Column => column !== undefined && !column.internal

/** All fields that the caller may read. The custom fields that an organization has defined are columns of their own. */
function allColumns({ columns }: RecordShape, rules: FieldRules | null): Column[] {
  const own = columns.hasDefinedKeysOnly ? columns.shown.filter(({ name }) => name !== customFieldsName) : columns.shown
  const custom = columns.hasDefinedKeysOnly ? [...columns.customFields.values()] : []
  return [...own, ...custom].filter(({ name }) => !rules?.hidden.has(name))
}

function namedColumns({ object, columns }: RecordShape, rules: FieldRules | null, names: readonly string[]): Column[] {
  const problems: FieldProblem[] = []
  const found = names.flatMap((name, index) => {
    const path = `query.fields.${index}`
    const column = columns.byName.get(name)
    if (names.indexOf(name) !== index)
      problems.push({ path, code: 'DUPLICATE', message: `fields must name ${name} once.` })
    else if (!isShown(column))
      problems.push({ path, code: 'UNKNOWN_FIELD', message: `${object} has no field ${name}.` })
    else return [column]
    return []
  })
  const hasAll = names.includes(customFieldsName)
  if (hasAll && names.some((name) => customFieldKey(name) !== null))
    problems.push({
      path: 'query.fields',
      code: 'DUPLICATE',
      message: 'fields must name customFields or single custom fields.',
    })
  if (problems.length > 0) throw invalid(...problems)
  const hidden = names.filter((name) => rules?.hidden.has(name))
  if (hidden.length > 0) throw fieldNotReadable(hidden.map((name) => `query.fields.${names.indexOf(name)}`))
  return found
}

function orderBy({ object, columns }: RecordShape, order: readonly ExportOrder[] | null): readonly OrderInput[] {
  if (!order?.length) return oldestFirst
  return order.map(({ field, direction }, index) => {
    if (!isShown(columns.byName.get(field)))
      throw invalid({
        path: `query.orderBy.${index}.field`,
        code: 'UNKNOWN_FIELD',
        message: `${object} has no field ${field}.`,
      })
    const key = customFieldKey(field)
    return key === null ? { field, direction } : { customField: key, direction }
  })
}

/** The refusal of a part of the query, with its path in the job. */
function inQuery<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const problems = error instanceof Refusal && (error.extensions.errors as FieldProblem[] | undefined)
    if (!problems) throw error
    const errors = problems.map((problem) => ({
      ...problem,
      path: problem.path.startsWith('query.') ? problem.path : `query.${problem.path}`,
    }))
    throw new Refusal(error.code, error.message, { ...error.extensions, errors })
  }
}

/** What an export reads for the caller of the context. Refuses a query with what the record type lacks, or with what the caller may not read. */
export async function planExport(
  ctx: RequestContext,
  { definition: builtIn }: LoadableRecords,
  {
    query,
    contentType,
    options,
  }: { readonly query: ExportQuery; readonly contentType: BulkContentType; readonly options: JobOptions },
): Promise<ExportPlan> {
  const zone = await organizationZone(ctx)
  const definition = shapeFor(ctx, builtIn)
  return inQuery(() => {
    const given = query.filter ?? null
    const filter = given === null ? null : jsonFilter(ctx, definition, given, { path: 'query.filter', zone })
    const args = { filter, search: query.search, orderBy: orderBy(definition, query.orderBy) }
    const list = new ListQuery(ctx, definition, args, null, new LiteralValues())
    const copied = (lines: LineSql): string =>
      `copy (${list.whole(lines.columns).text}) to stdout with (${lines.options})`
    const { rules } = list
    const columns = query.fields ? namedColumns(definition, rules, query.fields) : allColumns(definition, rules)
    const source = { definition, rules }
    if (contentType === 'NDJSON')
      return {
        ...source,
        columns,
        copy: copied(jsonLineSql(source, columns)),
        head: '',
        lineEnd: '\n',
      }
    const delimiter = options.delimiter ?? ','
    const names = columns.map(({ name }) => name)
    return {
      ...source,
      columns,
      copy: copied(csvLineSql(source, columns, { ...options, delimiter, zone })),
      head: (options.spreadsheetSafe ? byteOrderMark : '') + csvRecord(names, delimiter),
      lineEnd: '\r\n',
    }
  })
}
