import { invalid, type FieldProblem } from '../kernel/errors.ts'
import { isJsonObject } from '../kernel/json/exact-number.ts'
import { customObjectName } from '../kernel/record/custom-object.ts'
import type { RecordShape, StoredRow } from '../kernel/record/definition.ts'
import { isRequired } from '../kernel/record/inputs.ts'
import { operationsNamed } from '../kernel/record/record-operations.ts'
import type { Records } from '../kernel/record/records-of.ts'
import { shapeFor } from '../kernel/record/shape-source.ts'
import { isSettable, typedValues } from '../kernel/record/typed-values.ts'
import { inTransaction, type RequestContext } from '../kernel/request.ts'
import { withCustomRecords } from './custom-record/custom-records.ts'

type Values = Readonly<Record<string, unknown>>
type Work<T> = (records: Records<StoredRow>, inner: RequestContext, shape: RecordShape) => Promise<T>

/** Changes records of a type (`account`, `custom:site_visit`) as its clients do, in a transaction of its own: a refusal leaves nothing of it. Null without operations that change them. */
export function changingRecords<T>(ctx: RequestContext, object: string, work: Work<T>): Promise<T> | null {
  const customName = customObjectName(object)
  const operations = customName === null ? operationsNamed(object) : null
  if (customName === null && !operations) return null
  return inTransaction(ctx, (inner) =>
    operations
      ? work(operations.records, inner, shapeFor(inner, operations.definition))
      : withCustomRecords(inner, customName!, (records, current, definition) =>
          work(records as unknown as Records<StoredRow>, current, definition),
        ),
  )
}

/** Values by the names of fields with the types of these fields; throws what is wrong with them. */
export function checkedValues(shape: RecordShape, given: unknown, operation: 'CREATE' | 'UPDATE'): Values {
  const values = isJsonObject(given) ? given : {}
  const problem = (path: string, code: string, rule: string): FieldProblem => ({
    path,
    code,
    message: `${path} ${rule}.`,
  })
  const problems = Object.keys(values)
    .filter((name) => !isSettable(shape, name, operation))
    .map((name) => problem(name, 'UNKNOWN_FIELD', `is not a field of ${shape.object} that can be set`))
  if (operation === 'CREATE')
    for (const column of shape.columns.shown)
      if (isSettable(shape, column.name, 'CREATE') && isRequired(column) && (values[column.name] ?? null) === null)
        problems.push(problem(column.name, 'REQUIRED', 'must have a value'))
  if (problems.length > 0) throw invalid(...problems)
  const typed = typedValues(shape, values)
  if ('problems' in typed) throw invalid(...typed.problems)
  return typed.values
}
