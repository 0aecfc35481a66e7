import { writeScopeOfObject } from '../../../kernel/acting-scopes.ts'
import type { FieldProblem } from '../../../kernel/errors.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { writableColumns } from '../../../kernel/record/inputs.ts'
import { extendedTypeMax, unknownObject } from '../../extended-type.ts'
import { objectNamed, objectRule, shapeIn, shapeOf, type WorkflowObject } from '../objects.ts'
import { problemAt, text, type Config, type StepCheck, type StepRun } from './step-type.ts'

export const objectSchema = { type: 'string', maxLength: extendedTypeMax }
export const valuesSchema = { type: 'object', minProperties: 1, maxProperties: 100 }
export const idSchema = text(2_000)

/** The scope of a step that changes a record. */
export function changedScopes({ object }: Config, triggerObject: WorkflowObject | null): string[] {
  const changed = objectNamed(object) ?? triggerObject
  return changed ? [writeScopeOfObject(changed.object)] : []
}

/** The type of record that a step names, or that of the workflow. */
export function objectProblems({ ctx, config, path, triggerObject }: StepCheck): FieldProblem[] {
  const { object } = config
  if (object === undefined && triggerObject) {
    return []
  }
  if (object === undefined)
    return [problemAt(`${path}.object`, 'REQUIRED', 'is required, because the run has no record')]
  const named = objectNamed(object)
  if (!named) return [problemAt(`${path}.object`, 'WRONG_VALUE', objectRule)]
  return shapeIn(ctx.shapes, named) ? [] : [unknownObject(`${path}.object`)]
}

/** Fields that the type does not have, or that a client may not set. */
export function valuesProblems(check: StepCheck, operation: 'CREATE' | 'UPDATE'): FieldProblem[] {
  const wrong = objectProblems(check)
  if (wrong.length > 0) return wrong
  const object = objectNamed(check.config['object']) ?? check.triggerObject!
  const writable = new Set(writableColumns(shapeOf(object).entity, operation).map(({ name }) => name))
  const { values } = check.config
  return Object.keys(isJsonObject(values) ? values : {})
    .filter((name) => !writable.has(name))
    .map((name) =>
      problemAt(
        `${check.path}.values.${name.slice(0, 64)}`,
        'UNKNOWN_FIELD',
        `is not a field of ${object.object} that can be set`,
      ),
    )
}

/** The target of a step: the record that it names, or that of the run. */
export function targetOf({ input, config, record }: Pick<StepRun, 'input' | 'record'> & { readonly config: Config }): {
  readonly object: WorkflowObject
  readonly id: string
} | null {
  const object = objectNamed(config['object']) ?? record?.object
  const named = input['recordId']
  const isOwn = record !== null && object === record?.object
  const id = config['recordId'] === undefined ? (isOwn ? record.id : null) : named
  return object && typeof id === 'string' && id !== '' ? { object, id } : null
}

export const targetProblems = (check: StepCheck): FieldProblem[] => {
  const wrong = objectProblems(check)
  const { object, recordId } = check.config
  if (wrong.length > 0 || recordId !== undefined) return wrong
  if (check.triggerObject && (object === undefined || object === check.triggerObject.name)) return []
  return [problemAt(`${check.path}.recordId`, 'REQUIRED', 'is required for another type than that of the workflow')]
}
