import { mutate, objectArgument } from './graph-call.ts'
import {
  changedScopes,
  idSchema,
  objectSchema,
  targetOf,
  targetProblems,
  valuesProblems,
  valuesSchema,
} from './record-values.ts'
import { failed, settings, type StepType } from './step-type.ts'

export const updateRecord: StepType = {
  type: 'UPDATE_RECORD',
  schema: settings({ object: objectSchema, recordId: idSchema, values: valuesSchema }, ['values']),
  scopes: changedScopes,
  isRepeatable: () => true,
  problems: (check) => [...targetProblems(check), ...valuesProblems(check, 'UPDATE')],
  run(run) {
    const target = targetOf(run)
    if (!target) return failed('NO_RECORD', 'recordId names no record.')
    const { id, object } = target
    const { declared, given, variables } = objectArgument(object)
    const document = `mutation (${declared}$id: ID!, $input: ${object.type}UpdateInput!) { result: ${object.operations}Update(${given}id: $id, input: $input) { id } }`
    return mutate(run, document, { ...variables, id, input: run.input['values'] }, () => ({ id, object: object.name }))
  },
}
