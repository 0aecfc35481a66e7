import { readScopeOfObject, requireActingScopes, writeScopeOfObject } from '../../../kernel/acting-scopes.ts'
import { invalid, type FieldProblem } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import type { RecordShape, StoredRow } from '../../../kernel/record/definition.ts'
import { isRequired } from '../../../kernel/record/inputs.ts'
import { operationsNamed } from '../../../kernel/record/record-operations.ts'
import type { Records } from '../../../kernel/record/records-of.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import { isSettable, typedValues } from '../../../kernel/record/typed-values.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { withCustomRecords } from '../../custom-record/custom-records.ts'
import { objectNamed, shapeIn, type WorkflowObject } from '../../workflow/objects.ts'
import { idSchema, objectProblems, valuesProblems } from '../../workflow/steps/record-values.ts'
import {
  ElementFailure,
  problemAt,
  type Config,
  type ElementCheck,
  type ElementRun,
  type Values,
} from './element-type.ts'

/** The checks of workflows, for a step that has no record of its own. */
const asStep = ({ ctx, config, path }: ElementCheck) =>
  ({ ctx: ctx as never, step: null as never, config, path, triggerObject: null }) as const

/** The record type of an element must exist, and have operations that change its records. */
export function recordTypeProblems(check: ElementCheck): FieldProblem[] {
  const wrong = objectProblems(asStep(check))
  if (wrong.length > 0) return wrong
  const object = objectNamed(check.config['object'])!
  if (object.customName !== null || operationsNamed(object.object)) return []
  return [problemAt(`${check.path}.object`, 'NOT_ALLOWED', 'must be a type whose records can be changed')]
}

export const changedValueProblems = (check: ElementCheck, operation: 'CREATE' | 'UPDATE'): FieldProblem[] => {
  const wrong = recordTypeProblems(check)
  return wrong.length > 0 ? wrong : valuesProblems(asStep(check), operation)
}

export const readScopes = ({ object }: Config): string[] => {
  const named = objectNamed(object)
  return named ? [readScopeOfObject(named.object)] : []
}

export const writeScopes = ({ object }: Config): string[] => {
  const named = objectNamed(object)
  return named ? [writeScopeOfObject(named.object)] : []
}

export { idSchema }

/** The record type of an element, as the organization has it now. */
export function requireShape(ctx: RequestContext, config: Config): { object: WorkflowObject; shape: RecordShape } {
  const object = objectNamed(config['object'])
  const shape = object && shapeIn(ctx.shapes, object)
  if (!shape) throw new ElementFailure('NOT_FOUND', `The record type ${String(config['object'])} does not exist.`)
  return { object, shape }
}

/** Changes records of a type as its clients do, in a transaction of its own: a refusal leaves nothing of it. */
export function withRecords<T>(
  { ctx, config, origin }: ElementRun,
  work: (records: Records<StoredRow>, inner: RequestContext, shape: RecordShape) => Promise<T>,
): Promise<T> {
  const { object, shape } = requireShape(ctx, config)
  requireActingScopes(ctx.caller, writeScopes(config))
  const caller = { ...ctx.caller, origin, depth: ctx.caller.depth ?? 0 }
  return inTransaction({ ...ctx, caller } as RequestContext, (inner) => {
    if (object.customName !== null)
      return withCustomRecords(inner, object.customName, (records, current, definition) =>
        work(records as unknown as Records<StoredRow>, current, definition),
      )
    const operations = operationsNamed(object.object)
    if (!operations) throw new ElementFailure('NOT_FOUND', `Records of the type ${object.name} cannot be changed here.`)
    return work(operations.records, inner, shapeFor(inner, shape))
  })
}

/** The values of an element with the types of their fields. */
export function checkedValues(shape: RecordShape, given: unknown, operation: 'CREATE' | 'UPDATE'): Values {
  const values = isJsonObject(given) ? given : {}
  const problems = Object.keys(values)
    .filter((name) => !isSettable(shape, name, operation))
    .map((name) => problemAt(name, 'UNKNOWN_FIELD', `is not a field of ${shape.object} that can be set`))
  if (operation === 'CREATE')
    for (const column of shape.columns.shown)
      if (isSettable(shape, column.name, 'CREATE') && isRequired(column) && (values[column.name] ?? null) === null)
        problems.push(problemAt(column.name, 'REQUIRED', 'must have a value'))
  if (problems.length > 0) throw invalid(...problems)
  const typed = typedValues(shape, values)
  if ('problems' in typed) throw invalid(...typed.problems)
  return typed.values
}

export function requireRecordId({ input }: ElementRun): string {
  const { recordId } = input
  if (typeof recordId === 'string' && isId(recordId)) return recordId
  throw new ElementFailure('NO_RECORD', 'recordId names no record.')
}
