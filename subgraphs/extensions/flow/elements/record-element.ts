import { readScopeOfObject, requireActingScopes, writeScopeOfObject } from '../../../kernel/acting-scopes.ts'
import type { FieldProblem } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import type { RecordShape, StoredRow } from '../../../kernel/record/definition.ts'
import { operationsNamed } from '../../../kernel/record/record-operations.ts'
import type { Records } from '../../../kernel/record/records-of.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { changingRecords, checkedValues } from '../../record-changes.ts'
import { objectNamed, shapeIn, type WorkflowObject } from '../../workflow/objects.ts'
import { idSchema, objectProblems, valuesProblems } from '../../workflow/steps/record-values.ts'
import { ElementFailure, problemAt, type Config, type ElementCheck, type ElementRun } from './element-type.ts'

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

export { checkedValues, idSchema }

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
  const { object } = requireShape(ctx, config)
  requireActingScopes(ctx.caller, writeScopes(config))
  const caller = { ...ctx.caller, origin, depth: ctx.caller.depth ?? 0 }
  const done = changingRecords({ ...ctx, caller } as RequestContext, object.object, work)
  if (!done) throw new ElementFailure('NOT_FOUND', `Records of the type ${object.name} cannot be changed here.`)
  return done
}

export function requireRecordId({ input }: ElementRun): string {
  const { recordId } = input
  if (typeof recordId === 'string' && isId(recordId)) return recordId
  throw new ElementFailure('NO_RECORD', 'recordId names no record.')
}
